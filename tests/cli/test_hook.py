"""Hooks are written after asking, beside what is there, and taken out again to the byte; what they run only reports."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.conftest import SAMPLES
from toolpair.cli.main import main

SETTINGS = """{
    "model":  "opus", // no
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep \\u00e9"}]}]},
    "big": 1e400
}
""".replace(" // no", "")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_settings_keep_every_byte_and_are_as_before_once_it_is_removed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS.replace("1e400", "10"))
    path.chmod(0o640)
    before = path.read_bytes()
    assert main(["hook"]) == 0
    assert capsys.readouterr().out.count("not installed") == 3
    assert main(["hook", "claude-code"]) == 0
    shown = capsys.readouterr().out
    assert path.read_bytes() == before, "it is only shown"
    assert main(["hook", "claude-code", "--install"]) == 2
    assert "Asking needs a terminal" in capsys.readouterr().err
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    text = path.read_text()
    assert shown.partition("\n")[2] == text and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert '"model":  "opus",' in text and r'"beep \u00e9"' in text
    hooks = json.loads(text)["hooks"]
    assert [len(hooks[event]) for event in ("Stop", "SessionStart")] == [2, 1]
    assert hooks["SessionStart"][0]["hooks"][0]["command"].endswith("hook report claude-code")
    assert main(["hook", "claude-code", "--install", "--yes"]) == 0
    assert path.read_text() == text, "once is enough"
    assert "claude-code  Claude Code's hooks" in capsys.readouterr().out or main(["hook"]) == 0
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    assert path.read_bytes() == before
    assert main(["hook", "claude-code", "--remove", "--yes"]) == 0
    assert sorted(os.listdir(path.parent)) == ["settings.json"]


def test_files_of_its_own_come_and_go(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    for what, name in (
        ("skill", ".claude/skills/toolpair/SKILL.md"),
        ("opencode", "config/opencode/plugins/toolpair.js"),
    ):
        assert main(["hook", what, "--install", "--yes"]) == 0
        assert "toolpair hook" in (home / name).read_text()
        assert main(["hook", what, "--remove", "--yes"]) == 0
        assert not (home / name).exists()
    for what in ("claude-code",):
        assert main(["hook", what, "--install", "--yes"]) == 0
        assert set(json.loads((home / ".claude/settings.json").read_text())) == {"hooks"}


@pytest.mark.parametrize("text", ["[]", "{", '{"hooks": 1}'])
def test_settings_that_are_not_understood_stay(home: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text(text)
    assert main(["hook", "claude-code", "--install", "--yes"]) == 2
    assert "nothing was written" in capsys.readouterr().err and path.read_text() == text


def _asked(monkeypatch: pytest.MonkeyPatch, text: bytes) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(text))
    monkeypatch.setattr("sys.stdin", stdin)


def test_what_they_run_tells_of_what_is_lost_and_fails_at_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = home / "session.jsonl"
    shutil.copy(SAMPLES / "claude-code-branches.jsonl", path)
    before = path.read_bytes()
    _asked(monkeypatch, json.dumps({"transcript_path": str(path), "hook_event_name": "SessionStart"}).encode())
    assert main(["hook", "report", "claude-code"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"systemMessage"} and told["systemMessage"].startswith("toolpair: ")
    assert f"toolpair {path}" in told["systemMessage"] and path.read_bytes() == before
    assert main(["fix", str(path), "--in-place"]) == 0
    capsys.readouterr()
    for given in (
        json.dumps({"transcript_path": str(path)}).encode(),
        json.dumps({"transcript_path": str(home / "none.jsonl")}).encode(),
        b"{}", b"[]", b"", b"\xff",
    ):  # fmt: skip
        _asked(monkeypatch, given)
        assert main(["hook", "report", "claude-code"]) == 0
        assert capsys.readouterr() == ("", "")
    for words in (["shell", " --resume 0a1b2c3d-0000-4000-8000-000000000000"], ["opencode", "ses_x"], ["opencode"], []):
        assert main(["hook", "report", *words]) == 0
        assert capsys.readouterr() == ("", "")


def test_the_shell_function(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hook", "shell"]) == 0
    assert 'report shell " $*"' in capsys.readouterr().out
    assert main(["hook", "claud"]) == 2
    assert "Did you mean claude-code?" in capsys.readouterr().err
