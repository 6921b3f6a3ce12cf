"""`:` takes every command by name, completes it, and is one list with the palette."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.rounds import some
from tests.tui.driving import SIZES, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.commands import Command, commands_of_main, completed, found_for
from toolpair.tui.keys import GROUPS
from toolpair.tui.screens.command import CommandScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.statistics import StatisticsScreen
from toolpair.tui.screens.viewer import ViewerScreen
from toolpair.tui.styled_text import Glyphs
from toolpair.tui.widgets.field import SafeInput


def test_every_command_has_a_name_of_its_own_that_can_be_typed() -> None:
    commands = commands_of_main(Glyphs().keys)
    names = [command.name for command in commands]
    assert len(set(names)) == len(names) > 25
    assert all(name == name.lower() and name.replace("-", "").isalpha() for name in names)
    actions = {key.action for group in GROUPS for key in group.keys if key.palette}
    assert actions <= {command.action for command in commands}
    screen = {name.removeprefix("action_") for name in dir(PairScreen) if name.startswith("action_")}
    assert {command.action.partition("(")[0] for command in commands} <= screen


def test_completion() -> None:
    commands = [Command(name, "", "", name) for name in ("fix", "fix-all", "fix-cause", "find", "statistics")]
    assert completed("f", commands) == "fi" and completed("fix-c", commands) == "fix-cause"
    assert completed("", commands) == "fix" and completed("st", commands) == "statistics"
    assert completed("zzz", commands) == "zzz"
    assert [command.name for command in found_for("fix", commands)] == ["fix", "fix-all", "fix-cause"]
    assert [command.name for command in found_for("fix c", commands)] == ["fix-cause"]


@pytest.mark.parametrize(("size", "key"), some([(size, key) for size in SIZES for key in ("colon", "ctrl+p")], 2))
def test_a_command_by_its_name(broken: Path, size: tuple[int, int], key: str) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, key, "text:sta")
        assert isinstance(app.screen, CommandScreen) and " of " in lines_of(app)[-1]
        await press(pilot, "tab")
        assert app.screen.query_one(SafeInput).value == "statistics"
        await press(pilot, "enter")
        assert isinstance(app.screen, StatisticsScreen)
        await press(pilot, "escape", key, "text:nothing like it", "enter")
        assert isinstance(app.screen, CommandScreen) and "0 of" in frame(app)
        assert "No command is called that." in frame(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen)

    drive(broken, play, size)


def test_it_acts_as_the_key_does(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "colon", "text:fix", "enter")
        assert len(app.session.staged) == 1
        await press(pilot, "colon", "text:undo", "enter")
        assert not app.session.staged
        row = app.screen.pairs.row_index  # type: ignore[attr-defined]
        await press(pilot, "colon", "text:next-p", "enter")
        assert app.screen.pairs.row_index > row  # type: ignore[attr-defined]
        await press(pilot, "colon", "down", "down", "up", "enter")
        assert isinstance(app.screen, PairScreen)

    drive(broken, play)


def test_other_screens_have_their_own_commands(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "enter", "colon", "text:wrap", "enter")
        assert isinstance(app.screen, ViewerScreen) and "scroll sideways" in frame(app)

    drive(broken, play)
