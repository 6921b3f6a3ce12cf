"""`/` finds as one types: the first match after the cursor is shown, escape goes back, enter stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.rounds import some
from tests.tui.driving import SIZES, array_file, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.prompt import FindPrompt


def main_screen(app: ToolpairApp) -> PairScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, PairScreen))


def here(app: ToolpairApp) -> int:
    row = main_screen(app).pairs.row
    assert row is not None and row.pair is not None
    return row.pair.index


@pytest.fixture
def many(tmp_path: Path) -> Path:
    return array_file(tmp_path / "many.json", 300)


@pytest.mark.parametrize("size", some(SIZES, 2))
def test_the_first_match_after_the_cursor_is_shown_with_each_letter(many: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", *["j"] * 15)
        begin = here(app)
        await press(pilot, "slash", "text:src/2")
        assert here(app) == 20 and isinstance(app.screen, FindPrompt)
        assert "src/20.py" in frame(app) and "match 2 of 111" in frame(app)
        await press(pilot, "text:5")
        assert here(app) == 25, "the search begins again where one was"
        await press(pilot, "text:9")
        assert here(app) == 259 and "match 1 of 1" in frame(app) and "src/259.py" in frame(app)
        assert {len(line) for line in lines_of(app)} == {size[0]}
        await press(pilot, "backspace", "backspace")
        assert here(app) == 20
        await press(pilot, "text:nope")
        assert here(app) == begin and "not found" in frame(app)

    drive(many, play, size)


def test_escape_goes_back_enter_stays_and_goes_on_and_only_shown_rows_are_searched(many: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        await press(pilot, "g", *["j"] * 30)
        before, shown = (view.cursor, view.scroll_offset.y), lines_of(app)
        await press(pilot, "slash", "text:src/250")
        assert here(app) == 250
        await press(pilot, "escape")
        assert (view.cursor, view.scroll_offset.y) == before and lines_of(app) == shown and not view.query_text
        await press(pilot, "slash", "text:src/25", "enter")
        assert isinstance(app.screen, PairScreen) and here(app) == 250, "25 is before the cursor"
        found = here(app)
        await press(pilot, "n")
        assert here(app) != found and "match" in frame(app)
        await press(pilot, "N")
        assert here(app) == found
        await press(pilot, "slash", "text:0", "escape")
        assert here(app) == found and view.query_text == "src/25", "the search before is still there"
        await press(pilot, "n", "N")
        assert here(app) == found

        await press(pilot, "escape", "g", "slash", "text:src/7", "enter")
        assert here(app) == 7
        await press(pilot, "slash", "enter")
        assert here(app) == 70, "enter on what was found before goes on from the cursor"
        await press(pilot, "slash", *["backspace"] * 5, "enter")
        assert here(app) == 70 and not view.query_text

        # Letters that arrive together find what they spell.
        await pilot.press("g", "slash", *"src", "slash", *"123", "enter", "n")
        await press(pilot)
        assert here(app) == 123 and isinstance(app.screen, PairScreen)
        await pilot.press("slash", *["backspace"] * 7, *"src", "escape", "j")
        await press(pilot)
        assert here(app) == 124

        await press(pilot, "escape", "ampersand", "text:src/9", "enter")
        count = len(view.shown)
        await press(pilot, "g", "slash", "text:3.py")
        assert here(app) == 93 and len(view.shown) == count
        await press(pilot, "escape")
        assert here(app) == 9 and len(view.shown) == count

    drive(many, play)
