"""What does not exist and is like something that does: one sentence that says what was meant, exit 2."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli.main import COMMANDS


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek", "x"], "There is no command or file 'chek'. Did you mean `toolpair check`?"),
        (["chek"], "There is no command or file 'chek'. Did you mean `toolpair check`?"),
        (["Fix", "x", "--diff"], "There is no command or file 'Fix'. Did you mean `toolpair fix`?"),
        (["repair", "x"], "There is no command or file 'repair'. Did you mean `toolpair fix`?"),
        (["abc", "x"], "There is no command or file 'abc'. `toolpair --help` lists the commands."),
        (["check", "x", "--jbos", "2"], "There is no option --jbos. Did you mean --jobs?"),
        (["check", "--hepl"], "There is no option --hepl. Did you mean --help?"),
        (["check", "x", "--ignore", "reslut"], "There is no rule 'reslut'. Did you mean result?"),
        (["check", "x", "--outputformat=json"], "There is no option --outputformat. Did you mean --output-format?"),
        (["fix", "x", "--zzz"], "There is no option --zzz. `toolpair fix --help` shows how it is used."),
        (["excerpt", "x", "--as-test"], "--as-test takes pytest, vitest or go. `toolpair excerpt --help`"),
        (["check", "x", "--color", "pink"], "--color takes auto, always or never, not 'pink'. `toolpair check --help`"),
        (["excerpt", "x", "-o"], "--output takes a value, OUT. `toolpair excerpt --help`"),
        (["--asci", "x"], "There is no option --asci. Did you mean --ascii?"),
        (["fix", "x", "--diff", "--recipe", "recomended"], "There is no recipe 'recomended'. Did you mean recommended?"),
        (["fix", "x", "--diff", "--select", "result.mising"], "There is no rule 'result.mising'. Did you mean result.missing?"),
        (["rules", "chain.mising_parent"], "There is no rule 'chain.mising_parent'. Did you mean chain.missing_parent"),
        (["check", "FILE", "--profile", "antropic"], "There is no profile 'antropic'; did you mean anthropic?"),
        (["check", "FILE", "--format", "claude_code"], "There is no format 'claude_code'. Did you mean claude-code?"),
        (["check", "FILE", "--format", "zzz"], "There is no format 'zzz'. `toolpair formats` lists them."),
        (["sessions", "--agent", "claudecode"], "There is no agent 'claudecode'. Did you mean claude-code?"),
    ],
)  # fmt: skip
def test_what_was_meant(run: Run, copy: Callable[[str], Path], words: list[str], said: str) -> None:
    path = str(copy("valid.json"))
    ran = run(*[path if word == "FILE" else word for word in words])
    assert ran.code == 2 and not ran.out
    assert ran.err.startswith(f"toolpair: {said}"), ran.err


def test_a_file_is_a_file_whatever_it_is_called(
    run: Run, copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy("valid.json")
    monkeypatch.chdir(path.parent)
    for name in ("chek", "lint"):
        path.rename(path.with_name(name))
        path = path.with_name(name)
        assert "needs a terminal" in run(name).err


def test_the_id_of_a_session_is_no_mistyped_command(
    run: Run, copy: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copy("claude-code-branches.jsonl")
    monkeypatch.setattr("toolpair.agents.catalog.resolve", lambda name: str(path))
    assert "needs a terminal" in run("chec").err


def test_a_suggested_command_exists() -> None:
    from toolpair.cli.meant import COMMANDS_ELSEWHERE

    assert set(COMMANDS_ELSEWHERE.values()) <= {*COMMANDS, "FILE", "--help", "--version"}
    assert not set(COMMANDS_ELSEWHERE) & set(COMMANDS)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_eighty_columns(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = run(*command.split(), "--help")
    assert ran.code == 0 and not [line for line in ran.out.splitlines() if len(line) > 80]
    commands = " ".join(ran.out.replace("\\\n", " ").split())
    if command == "compare":
        assert "--output-format json | jq '.recipes[] | [.name, .valid, .losses.text]'" in commands
