"""What shells complete, and the man page: made from the commands themselves, and shipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.make_completion import SHIPPED, completions, man_page
from toolpair.cli.main import main


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words its help otherwise in other versions")
def test_what_is_shipped_is_of_these_commands() -> None:
    """`python scripts/make_completion.py` makes it anew."""
    made = {**completions(), "toolpair.1": man_page()}
    for name, text in made.items():
        assert (SHIPPED / name).read_text() == text, name


_DRIVE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMP_LINE="$*"
_shtab_toolpair
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("ses", "sessions"),
        ("some-", "some-file.jsonl"),
        ("fix --in-p", "--in-place"),
        ("fix --profile anthropic/be", "anthropic/before-4.6"),
        ("fix some-file.jsonl --select result.mis", "result.missing"),
        ("check --output-format git", "github"),
        ("compare some-file.jsonl roo-code-s", "roo-code-sanitize"),
        ("demo codex-k", "codex-killed"),
        ("check some-", "some-file.jsonl"),
        ("check abc", "abc1234"),
        ("completion z", "zsh"),
    ],
)
def test_bash(tmp_path: Path, typed: str, wanted: str) -> None:
    (tmp_path / "some-file.jsonl").touch()
    program = tmp_path / "bin" / "toolpair"  # what is asked for the ids of sessions
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$1 $2 $3" = "completion sessions abc" ] && echo abc1234\n')
    program.chmod(0o700)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    words = ["bash", "-c", _DRIVE, "bash", SHIPPED / "toolpair.bash", "toolpair", *typed.split()]
    ran = subprocess.run(
        words, cwd=tmp_path, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    )
    assert ran.stdout.split() == [wanted]


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for what, name in (
        ("bash", "toolpair.bash"),
        ("zsh", "_toolpair"),
        ("fish", "toolpair.fish"),
        ("man", "toolpair.1"),
    ):
        assert main(["completion", what]) == 0
        assert capsys.readouterr().out == (SHIPPED / name).read_text()
    assert main(["completion", "bsh"]) == 2
    assert "Did you mean bash?" in capsys.readouterr().err
    sessions = tmp_path / ".claude/projects/-x"
    sessions.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    (sessions / "0a1b2c3d-0000-4000-8000-000000000000.jsonl").write_text('{"type":"summary"}\n')
    assert main(["completion", "sessions", "0a1b"]) == 0
    assert capsys.readouterr().out == "0a1b2c3d-0000-4000-8000-000000000000\n"
    assert main(["completion", "sessions", "ffff"]) == 0
    assert capsys.readouterr().out == ""
