"""What one must be able to read is not cut, and what is said is still true when it is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.session_folders import claude_session
from tests.tui.driving import array_file, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.layout import areas
from toolpair.tui.screens.saved import SavedScreen
from toolpair.tui.styled_text import Glyphs


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_title_of_a_filtered_list_keeps_how_many_rows_there_are(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(
            pilot, "ampersand", "text:src a very long text that nothing has -tool:Nothing -tool:Neither", "enter"
        )
        await press(
            pilot, "ampersand", *["ctrl+u"], "text:src -tool:Nothing -tool:Neither -tool:None -id:abcdef", "enter"
        )
        title = next(line for line in lines_of(app) if "─ call ·" in line)
        assert " · 20 rows (esc) " in title and "call · src" in title and "result" in title

    drive(broken, play, size)


def test_the_screen_after_saving_says_what_came_of_it(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "A", "enter")
        shown = frame(app)
        assert isinstance(app.screen, SavedScreen)
        assert " ✓ Saved broken.json" in shown and " VALID " in shown and "Original  kept as" in shown
        assert "3 × give the result the call's id" in shown, "the same fix of two steps is one line"
        await press(pilot, "enter")
        assert "w reviews and saves" not in frame(app), "nothing is left to be saved"

    drive(broken, play)


def test_problems_that_say_the_same_are_one_line_of_the_review(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "w")
        assert "2 × This result has a different id from its call, Read." in frame(app)
        assert frame(app).count("This result has a different id") == 1

    drive(broken, play)


def test_a_card_shows_a_message_between_words_and_an_output_where_it_is_found(tmp_path: Path) -> None:
    said = "Find out why and fix it, please; then run all of the tests. " * 3
    output = "\n".join([f"line {n}" for n in range(60)] + ["here is the needle"])
    path = array_file(tmp_path / "a.json", 2, text=said.strip(), output=output)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g")
        assert "run all of the tests. Find out why and fix it" in " ".join(frame(app).split())
        await press(pilot, "slash", "text:needle", "enter")
        assert "here is the needle" in frame(app)

    drive(path, play)


def test_how_a_list_is_checked_is_not_cut_in_the_head(tmp_path: Path) -> None:
    path = array_file(tmp_path / "a longer name.json", 2)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "checked against Anthropic" in lines_of(app)[0] and "…" not in lines_of(app)[0]

    drive(path, play)


def test_a_folded_line_gets_the_colours_of_all_of_it() -> None:
    body = TextBody(Glyphs(), "one\n" + "word " * 40 + "**bold**", language="markdown")
    body.lay_out(40)
    for row in range(body.rows):
        body.line(row)
    asked = body.wanted()
    assert asked is not None and asked.lines == ("one", "word " * 40 + "**bold**")


def test_a_large_screen_gives_the_list_what_card_and_causes_cannot_use() -> None:
    found = areas(200, 60, 3, 500, True, False)
    assert found.beside and found.lower == 30
    assert areas(160, 45, 3, 500, True, False).beside
    assert not areas(159, 45, 3, 500, True, False).beside


def test_a_sound_session_shows_more_rows_than_a_broken_one(sound: Path, tmp_path: Path) -> None:
    assert areas(80, 24, 3, 100, False, False).lower < areas(80, 24, 3, 100, True, False).lower


def test_the_keys_of_a_preview_say_where_there_is_one(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "J")
        assert "120 x 40 has a preview" in frame(app)

    drive(path, play)


def test_keys_that_find_again_are_named_once_something_is_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"role": "user", "content": "one two"}, {"role": "assistant", "content": "yes"}]))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "g", "enter")
        assert "next match" not in frame(app)
        await press(pilot, "slash", "text:two", "enter")
        assert "n next match" in frame(app)

    drive(path, play)
