"""All sessions of a machine counted: by agent, month, rule and cause, with nothing of a session in it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SAMPLES
from tests.opencode_folders import written
from tests.opencode_sessions import another, plain
from toolpair.cli.main import main
from toolpair.session.verdict_cache import VerdictCache


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".local/share"))
    for name, to in (
        ("claude-code-branches.jsonl", ".claude/projects/-secret-shop/a.jsonl"),
        ("codex-killed.jsonl", ".codex/sessions/2026/11/02/rollout-2026-11-02T10-00-00-0a1b2c3d-1.jsonl"),
    ):
        path = tmp_path / to
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLES / name, path)
        os.utime(path, (1_760_000_000, 1_760_000_000))
    (tmp_path / ".claude/projects/-secret-shop/b.jsonl").write_text('{"type":"summary","summary":"secret"}\n')
    written(tmp_path / ".local/share", plain(), another())
    return tmp_path


def _census(capsys: pytest.CaptureFixture[str], *words: str, code: int | None = 1) -> Any:
    """In this process, unless it is said how many are to work."""
    typed = words if "--jobs" in words else (*words, "--jobs", "1")
    assert main(["census", "--output-format", "json", *typed]) in ((1, 2) if code is None else (code,))
    return json.loads(capsys.readouterr().out)


def test_what_is_counted(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolpair.session.verdict_cache.JUST_NOW", 0)
    told = _census(capsys)
    by_agent = {one["agent"]: one for one in told["agents"]}
    assert {name: one["sessions"] for name, one in by_agent.items()} == {"Claude Code": 1, "Codex": 1, "opencode": 2}
    assert told["sessions"] == 4 and told["empty"] == 1 and told["unreadable"] == 0
    assert told["broken"] == told["losing"] + told["refused"] == sum(one["broken"] for one in told["agents"]) == 2
    assert (by_agent["Claude Code"]["outputs"], by_agent["Claude Code"]["unsent"]) == (3, 2)
    assert {"2025-10"} < {one["month"] for one in told["months"]}
    assert {"rule": "chain.missing_parent", "sessions": 1} in told["rules"]
    assert [one["unsent"] for one in told["worst"]] == sorted((one["unsent"] for one in told["worst"]), reverse=True)
    kept = VerdictCache.of_user().path
    assert kept.exists() and b"secret" not in kept.read_bytes()
    for words in ([], ["--no-cache"], ["--jobs", "2", "--no-cache"]):
        assert _census(capsys, *words) == told
    assert _census(capsys, "--agent", "opencode", code=0)["sessions"] == 2


def _planted(home: Path) -> None:
    """A broken session in which every text, name, path and id that a person or a model chose holds the word."""
    path = home / ".claude/projects/-secret-shop/secret-session.jsonl"
    common: dict[str, Any] = {
        "sessionId": "secret-session", "cwd": "/home/secret/shop", "gitBranch": "secret", "version": "2.1.300-secret",
        "timestamp": "2026-11-02T10:00:00.000Z", "userType": "external", "isSidechain": False,
    }  # fmt: skip
    call = {"type": "tool_use", "id": "toolu_secret1", "name": "mcp__secret__read", "input": {"secret": "secret"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_secret2", "content": "secret output"}
    told = (
        ("user", {"role": "user", "content": "the secret is secret"}),
        ("assistant", {"role": "assistant", "model": "secret-model", "content": [call]}),
        ("user", {"role": "user", "content": [result]}),
        ("assistant", {"role": "assistant", "model": "secret-model", "content": [{"type": "text", "text": "secret"}]}),
    )
    records = [
        {**common, "uuid": f"secret-{n}", "parentUuid": f"secret-{n - 1}" if n else None, "type": role, "message": said}
        for n, (role, said) in enumerate(told)
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    (path.parent / "secret-unreadable.jsonl").write_text('{"secret": 1}\n' * 3)


def test_a_text_has_the_most_frequent_ones(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolpair.cli.census._LISTED", 1)
    path = home / ".claude/projects/-secret-shop/a.jsonl"
    shutil.copy(path, path.with_name("c.jsonl"))
    assert main(["census", "--jobs", "1"]) == 1
    said = capsys.readouterr().out
    assert said.count("more, which --html and --output-format json have") == 2
    assert said.count("Claude Code: ") == 1 and "2 of 3 outputs not sent again (2 such sessions)" in said


def test_nothing_of_a_session_is_in_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _planted(home)
    page = home / "page.html"
    assert main(["census", "--jobs", "1", "--html", str(page)]) in (1, 2)
    text, told = capsys.readouterr()
    assert text.startswith("agent ") and "2 of 3 outputs not sent again" in text and "result.id_mismatch" in text
    last = text.rpartition("\n\n")[2]
    assert "Of 5 sessions 3 are broken (" in last and "will never be sent again." in last
    shown = page.read_text()
    assert "Of 5 sessions 3 are broken (" in shown and "result.id_mismatch" in shown and "default-src" in shown
    assert all("Calls are counted in the history that is resumed" in one for one in (text, shown))  # 1, and 3 outputs
    assert page.stat().st_mode & 0o777 == 0o600
    everything = text + told.replace(str(page), "") + shown + json.dumps(_census(capsys, code=None))
    assert "secret" not in everything and str(home) not in everything
    assert (
        main(["census", "--jobs", "1", "--show-paths", "--html", str(page)]) == 3
        and "--force" in capsys.readouterr().err
    )
    assert main(["census", "--jobs", "1", "--show-paths", "--html", str(page), "--force"]) in (1, 2)
    opening = f"toolpair {home}/.claude/projects/-secret-shop/a.jsonl"
    assert opening in capsys.readouterr().out and opening in page.read_text()
    worst = _census(capsys, "--show-paths", code=None)["worst"]
    assert {one["path"] for one in worst} >= {f"{home}/.claude/projects/-secret-shop/a.jsonl"}


def test_a_machine_without_sessions_and_a_mistyped_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["census"]) == 2
    assert capsys.readouterr().err == "toolpair: No session of an agent was found on this machine.\n"
    assert main(["census", "--agent", "codx"]) == 2
    assert "Did you mean codex?" in capsys.readouterr().err
