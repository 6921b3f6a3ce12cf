"""`toolpair excerpt`: where it goes, who may read it, what is said about it."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.reports.secrets_in_sessions import SESSIONS, found_in
from tests.session_folders import claude_bytes


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "annika-quokka.jsonl"
    path.write_bytes(claude_bytes(20, missing=9))
    return path


def test_to_standard_output_and_to_a_file(run: Run, broken: Path, tmp_path: Path) -> None:
    ran = run("excerpt", broken)
    assert ran.code == 0 and all(map(json.loads, ran.out.splitlines()))
    assert "Problem 1 of 1, result.missing: 3 of" in ran.err or "Problem 1 of 1, result.missing: 2 of" in ran.err
    assert (
        " lines, " in ran.err
        and "Replaced: every text, name, path" in ran.err
        and "Read it before you send it" in ran.err
    )
    before = broken.read_bytes()
    out = tmp_path / "out.jsonl"
    ran = run("excerpt", broken, "-o", out)
    assert ran.code == 0 and ran.out == "" and stat.S_IMODE(out.stat().st_mode) == 0o600
    first = out.read_bytes()
    ran = run("excerpt", broken, "-o", out)
    assert ran.code == 3 and out.read_bytes() == first and "exists" in ran.err
    assert run("excerpt", broken, "-o", out, "--force").code == 0 and out.read_bytes() != first
    assert broken.read_bytes() == before and run("check", out).code == 1


def test_what_cannot_be_shown(run: Run, broken: Path, copy: Callable[[str], Path], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for arguments, code, said in (
        ((broken, "--problem", "7"), 3, "There is no problem 7"),
        ((broken, "--problem", "toolu_none"), 3, "No problem is about"),
        ((broken, "--rule", "chain"), 3, "has no problem of chain"),
        ((broken, "--rule", "result.misssing"), 2, "Did you mean result.missing?"),
        ((broken, "--force"), 2, "--force belongs to -o"),
        ((copy("valid.json"),), 3, "has no problems"),
        ((tmp_path / "none.jsonl",), 2, "none.jsonl"),
    ):
        ran = run("excerpt", *arguments, *(() if "--force" in arguments else ("-o", out)))
        assert (ran.code, ran.out) == (code, "") and said in ran.err and len(ran.err.splitlines()) == 1, arguments
        assert not out.exists()


def test_the_issue_and_where_it_goes(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "annika-quokkaworks-claude.jsonl"
    path.write_bytes(SESSIONS[path.name]())
    ran = run("excerpt", path, "--issue")
    assert ran.code == 0 and "- Agent: Claude Code 2.1.330" in ran.out and "### Excerpt" in ran.out
    assert "https://github.com/anthropics/claude-code/issues" in ran.err
    assert not found_in(ran.raw)


def test_without_redaction_it_says_so(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "annika-quokkaworks-claude.jsonl"
    path.write_bytes(SESSIONS[path.name]())
    ran = run("excerpt", path, "--no-redact")
    assert ran.code == 0 and found_in(ran.raw) and "Not redacted" in ran.err
    assert "It is not redacted." in run("excerpt", path, "--no-redact", "--issue").out


def test_by_rule_by_number_by_id_from_standard_input(run: Run, copy: Callable[[str], Path]) -> None:
    path = copy("codex-killed.jsonl")
    listed = run("check", path, "--output-format", "json").json["files"][0]["problems"]
    for number, problem in enumerate(listed, 1):
        assert f"Problem {number} of 3, {problem['rule']}" in run("excerpt", path, "--problem", number).err
    assert "result.kind" in run("excerpt", path, "--rule", "result.kind").err
    assert "Problem 1 of 3" in run("excerpt", path, "--problem", listed[0]["call_id"]).err
    assert run("excerpt", "-", stdin=path.read_bytes()).code == 0


def test_nothing_of_a_session_reaches_a_terminal(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolpair.cli import excerpt

    monkeypatch.setattr(excerpt, "is_terminal", lambda stream: True)
    path = tmp_path / "a.json"
    body = [
        {"role": "user", "content": "\x9b31m \u202e"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "run", "input": {}}]},
        {"role": "user", "content": "and?\x9b31m \u202e"},
    ]
    path.write_text(json.dumps(body, ensure_ascii=False))
    out = run("excerpt", path, "--no-redact").out
    assert "\x9b" not in out and "\u202e" not in out and "and?" in out
