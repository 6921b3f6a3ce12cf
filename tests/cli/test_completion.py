"""What shells complete, and the man page: made from the commands themselves, and shipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.make_completion import SHIPPED, completions, man_page
from tests.terminal import Terminal
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


TYPED = (
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
    ("hook cla", "claude-code"),
    ("schema first", "first-break"),
    ("help exit", "exit-codes"),
)
"""What is typed after the program's name, and the word that its last one becomes."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A folder with a file in it, and a program that knows the id of a session."""
    (tmp_path / "some-file.jsonl").touch()
    program = tmp_path / "bin" / "toolpair"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n[ "$1 $2 $3" = "completion sessions abc" ] && echo abc1234\n')
    program.chmod(0o700)
    return {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}


def test_bash(tmp_path: Path, environment: dict[str, str]) -> None:
    for typed, wanted in TYPED:
        words = ["bash", "-c", _DRIVE, "bash", SHIPPED / "toolpair.bash", "toolpair", *typed.split()]
        ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment)
        assert ran.stdout.split() == [wanted], typed


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish(tmp_path: Path, environment: dict[str, str]) -> None:
    asked = "".join(f"complete -C 'toolpair {typed}' | string split -f 1 \\t\n" for typed, _ in TYPED)
    words = ["fish", "--no-config", "-c", f"source {SHIPPED / 'toolpair.fish'}\n{asked}"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout.split() == [wanted for _, wanted in TYPED]


_ZSH = """
PS1='ready> '
fpath=({shipped} $fpath)
autoload -Uz compinit && compinit -D -u
told() {{ print -r -- "$BUFFER" >> {told}; BUFFER=; print -n 'told> ' }}
zle -N told
bindkey '^X' told
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_as_it_is_typed_in_a_terminal(tmp_path: Path, environment: dict[str, str]) -> None:
    told = tmp_path / "told"
    (tmp_path / ".zshrc").write_text(_ZSH.format(shipped=SHIPPED, told=told))
    zsh = shutil.which("zsh")
    assert zsh is not None
    terminal = Terminal([zsh, "-d", "-i"], environment={**environment, "TERM": "xterm"}, folder=tmp_path)
    terminal.read(until=b"ready> ")
    for typed, _ in TYPED:
        terminal.press(f"toolpair {typed}\t\x18")
        terminal.read(until=b"told> ")
    terminal.press("exit\n")
    terminal.close()
    typed_out = told.read_text().splitlines()
    assert typed_out == [f"toolpair {' '.join([*typed.split()[:-1], wanted])} " for typed, wanted in TYPED]


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
