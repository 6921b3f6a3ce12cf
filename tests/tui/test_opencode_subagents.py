"""What a person meets in a session of opencode whose calls started sub-agents, in the same database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests import opencode_folders
from tests.formats.test_opencode_subagents import LATER, asking, children
from tests.opencode_sessions import ID, written
from tests.tui.driving import drive, frame, press
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp


@pytest.mark.parametrize("kind", ["database", "folder"])
def test_a_fix_of_a_sub_agents_session_and_one_of_its_own_are_both_saved(kind: str, tmp_path: Path) -> None:
    parent, found = asking(), children()
    for session, call in ((parent, "a"), (found[1], "z")):
        del session.state(call)["output"]
    if kind == "folder":
        path = opencode_folders.written(tmp_path, parent, *found)
    else:
        path = written(tmp_path / "opencode.db", parent, *found)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "escape")
        assert app.session.changed
        await press(pilot, "b", "down", "enter")
        await pilot.pause()
        assert "you: Look around." in frame(app)
        await press(pilot, "A")
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await pilot.pause(0.5)
        assert errors_in(f"{path}::{LATER}") == [] != errors_in(f"{path}::{ID}")
        await press(pilot, "q", "q")
        assert "you: Ask them." in frame(app) and app.session.changed
        await press(pilot, "w")
        await pilot.pause(0.5)
        await press(pilot, "enter")
        await pilot.pause(0.5)

    drive(Path(f"{path}::{ID}"), play, (100, 40))
    assert errors_in(f"{path}::{ID}") == []


def errors_in(address: str) -> list[str]:
    return [problem.rule for problem in open_session(address).problems if problem.severity == "error"]
