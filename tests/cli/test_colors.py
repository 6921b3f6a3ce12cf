"""Colours: on a terminal by themselves, else as --color and the environment say."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from toolpair.cli.terminal import style_for


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize(
    ("color", "environment", "on"),
    [
        ("auto", {}, None),
        ("auto", {"NO_COLOR": "1"}, False),
        ("auto", {"NO_COLOR": ""}, None),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "0"}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"NO_COLOR": "1"}, True),
        ("always", {"TERM": "dumb"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_who_decides(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, color: str, environment: dict[str, str], on: bool | None
) -> None:
    monkeypatch.delenv("NO_COLOR")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert style_for(Stream(terminal), color).on is (terminal if on is None else on)


@pytest.mark.parametrize(
    "words",
    [
        ["check", "FILE"],
        ["fix", "FILE", "--diff"],
        ["compare", "FILE"],
        ["sees", "FILE"],
        ["explain", "result.missing"],
        ["formats"],
        ["profiles"],
        ["rules"],
        ["recipes"],
    ],
)
def test_every_command_that_prints_knows_it(run: Run, copy: Callable[[str], Path], words: list[str]) -> None:
    path = copy("sanitised-on-one-side.json")
    words = [str(path) if word == "FILE" else word for word in words]
    assert b"\x1b[" in run(*words, "--color", "always").raw
    assert b"\x1b[" not in run(*words, "--color", "never").raw
    assert b"\x1b[" not in run(*words).raw


def test_the_interface_takes_it(monkeypatch: pytest.MonkeyPatch, copy: Callable[[str], Path]) -> None:
    import os

    import toolpair.tui
    from toolpair.cli import main, open
    from toolpair.tui import RunResult

    told: list[str | None] = []
    monkeypatch.setattr(open, "has_terminal", lambda: True)
    monkeypatch.setattr(toolpair.tui, "run", lambda *_, **__: told.append(os.environ.get("NO_COLOR")) or RunResult())
    path = str(copy("valid.json"))
    for words in ([], ["--color", "always"], ["--color", "never"]):
        monkeypatch.setenv("NO_COLOR", "yes")
        main.main([path, *words])
    assert told == ["yes", None, "1"]
