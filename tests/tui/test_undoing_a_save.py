"""After a save `u` takes it back: asked once, and only while nobody else has written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import drive, frame, press, settled
from tests.tui.test_typed_ahead import at_once
from toolpair.source.errors import Refused
from toolpair.source.saving import in_place
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens import writing
from toolpair.tui.screens.confirm import ConfirmScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.screens.saved import SavedScreen


@pytest.mark.parametrize("large", [False, True])
def test_the_file_is_as_it_was_and_the_fixes_are_applied(
    broken: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr(writing, "LARGE", 0)
    original = broken.read_bytes()
    saved: list[bytes] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "right_square_bracket", "space", "w")
        rows = [(row.title, row.count) for row in app.session.staged]
        await press(pilot, "enter")
        await until(app, pilot, SavedScreen)
        assert "u undo the save" in frame(app)
        saved.append(broken.read_bytes())
        await press(pilot, "u")
        assert "Undo the save?" in frame(app) and broken.read_bytes() != original
        await press(pilot, "enter")
        await until(app, pilot, PairScreen)
        assert broken.read_bytes() == original
        assert "the save is undone" in frame(app) and "2 fixes, not saved" in frame(app)
        assert [(row.title, row.count) for row in app.session.staged] == rows and app.open_sessions.unsaved
        await press(pilot, "w", "enter")
        await until(app, pilot, SavedScreen)
        assert broken.read_bytes() == saved[0]
        await press(pilot, "u", "enter")
        await until(app, pilot, PairScreen)
        assert broken.read_bytes() == original
        await press(pilot, "u", "u")
        assert not app.session.changed

    app = drive(broken, play)
    assert sum(line.startswith("Restored ") for line in app.result.lines) == 2


async def until(app: ToolpairApp, pilot: Pilot[Any], kind: type) -> None:
    for _ in range(500):
        await settled(pilot)
        if isinstance(app.screen, kind):
            return
        await pilot.pause(0.01)
    raise AssertionError(frame(app))


def test_a_key_typed_ahead_writes_nothing(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        saved = broken.read_bytes()
        at_once(app, "u", "enter", "enter", "u", "enter")
        await settled(pilot)
        assert isinstance(app.screen, ConfirmScreen) and "press enter again" in frame(app)
        assert broken.read_bytes() == saved
        await press(pilot, "escape")
        assert isinstance(app.screen, SavedScreen) and broken.read_bytes() == saved

    drive(broken, play)


def test_who_held_enter_in_the_review_undoes_nothing(broken: Path) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        at_once(app, "A", "enter", "u", "enter", "enter")
        await settled(pilot)
        assert isinstance(app.screen, ReviewScreen) and broken.read_bytes() == original

    drive(broken, play)


def test_what_an_agent_has_added_since_is_not_taken_away(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        messages = [*json.loads(broken.read_bytes()), {"role": "assistant", "content": "and I went on"}]
        broken.write_text(json.dumps(messages, indent=1))
        changed = broken.read_bytes()
        await press(pilot, "u", "enter")
        assert isinstance(app.screen, SavedScreen) and "not undone: the file has changed" in frame(app)
        assert broken.read_bytes() == changed

    drive(broken, play, (100, 30))


def test_a_writer_is_not_written_over(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        saved = broken.read_bytes()

        def held(self: Any) -> None:
            raise Refused("Another program has this file open for writing.", "held")

        monkeypatch.setattr(in_place.Replaced, "refuse_writer", held)
        await press(pilot, "u", "enter")
        assert isinstance(app.screen, SavedScreen) and "open for writing" in frame(app)
        assert broken.read_bytes() == saved

    drive(broken, play, (100, 30))


def test_a_copy_leaves_nothing_to_undo(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "s", "enter")
        assert isinstance(app.screen, SavedScreen) and "undo the save" not in frame(app)
        await press(pilot, "u")
        assert "you saved a copy" in frame(app)

    drive(broken, play)


@pytest.mark.parametrize("name", ["docker-agent-late-result.db", "kimi-code-late-result.jsonl"])
def test_an_agent_is_offered_to_be_asked_where_it_can_be(samples: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes((samples / name).read_bytes())

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "enter")
        await until(app, pilot, SavedScreen)
        assert ("V ask the agent" in frame(app)) == name.startswith("kimi")

    drive(path, play)
