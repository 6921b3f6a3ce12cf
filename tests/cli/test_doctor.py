"""What a bug report has to say of the machine, and nothing of its user's work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from toolpair import __version__
from toolpair.cli.main import main


def test_it_tells_of_the_machine_and_nothing_of_projects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_TTY", "/dev/secret-host")
    session = tmp_path / ".claude/projects/-home-ann-secret-shop/0a1b2c3d.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text('{"type":"summary","summary":"secret words"}\n')
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert main(["doctor", "--output-format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["program"]["toolpair"] == __version__ and told["libraries"]["textual"] != "not installed"
    assert told["terminal"]["standard output"] == "not a terminal" and told["terminal"]["SSH_TTY"] == "set"
    assert told["agents"] == {"claude-code": "version not known; 1 session; ~/.claude/projects"}
    assert told["own files"]["settings"].endswith("not there")
    assert "claude-code" in text and "~/.claude/projects" in text
    for words in (text, json.dumps(told)):
        assert "secret" not in words and str(tmp_path / ".claude") not in words
