"""The first frame, moving, fixing, looking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.conftest import SAMPLES
from tests.rounds import some
from tests.tui.driving import SIZES, array_file, drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen


def main_screen(app: ToolpairApp) -> PairScreen:
    return next(screen for screen in app.screen_stack if isinstance(screen, PairScreen))


@pytest.mark.parametrize("size", some(SIZES, 2), ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_first_frame_shows_verdict_pairs_problem_and_keys(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        shown = frame(app)
        lines = lines_of(app)
        assert len(lines) == size[1] and all(len(line) == size[0] for line in lines)
        assert "4 problems" in shown and "A fix everything safe, then review" in shown
        assert "toolu_read_file_005" in shown and "toolu.read.file:005" in shown
        assert "Problem 1 of 4" in shown and "space fix this" in shown
        assert lines[-1].rstrip().endswith("q quit")
        assert ("Causes" in shown) == (size[0] >= 110)

    drive(broken, play, size)


@pytest.mark.parametrize("size", [(30, 24), (80, 8)])
def test_a_terminal_that_is_too_small_says_so(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "too small" in frame(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Problem 1 of 4" in frame(app)

    drive(broken, play, size)


def test_a_sound_file(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "have results" in frame(app)
        await press(pilot, "right_square_bracket")
        assert "there are no problems" in frame(app)
        await press(pilot, "w")
        assert "nothing to save" in frame(app)
        await press(pilot, "space")
        assert not app.session.changed

    assert drive(sound, play).result.lines == ["Nothing was changed."]


def test_problems_are_walked_looked_at_fixed_and_undone(broken: Path) -> None:
    """One visit: each part leaves the session as it found it."""

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        seen = []
        for _ in range(4):
            assert view.row is not None and view.row.pair is not None
            seen.append(view.row.pair.index)
            await press(pilot, "right_square_bracket")
        assert seen == [5, 6, 8, 12]
        assert "wrapped around" in frame(app) and "Problem 1 of 4" in frame(app)
        await press(pilot, "left_square_bracket")
        assert "Problem 4 of 4" in frame(app)
        await press(pilot, "right_square_bracket", "y", "1")
        assert app.clipboard == "toolu_read_file_005" and "copied" in frame(app)

        await press(pilot, "p")
        shown = frame(app)
        assert "- " in shown and "toolu.read.file:005" in shown and "toolu_read_file_005" in shown, "its exact bytes"
        await press(pilot, "l", "q")
        assert isinstance(app.screen, PairScreen)

        await press(pilot, "f")
        assert "recommended" in frame(app) and "loses nothing" in frame(app), "other ways, with their losses"
        first = frame(app)
        await press(pilot, "j")
        assert frame(app) != first
        await press(pilot, "escape")
        assert not app.session.changed
        await press(pilot, "f", "enter")
        assert len(app.session.staged) == 1
        await press(pilot, "u")

        await press(pilot, "space")
        assert len(app.session.staged) == 1, "space fixes and goes on"
        assert "3 problems" in frame(app) and "Problem 1 of 3" in frame(app) and "1 fix, not saved" in frame(app)
        assert any("5 ✓" in line for line in lines_of(app))
        await press(pilot, "u")
        assert not app.session.changed and "4 problems" in frame(app) and "Problem 1 of 4" in frame(app)
        await press(pilot, "ctrl+r")
        assert len(app.session.staged) == 1
        await press(pilot, "space", "space", "space")
        assert len(app.session.staged) == 4
        await press(pilot, "space")
        assert len(app.session.staged) == 4, "space never unstages"
        assert "no problem is left to fix" in frame(app) and "after saving VALID" in frame(app)
        await press(pilot, "u", "u", "u", "u")
        assert not app.session.changed

        await press(pilot, "a")
        assert "Fix 3 like this? 3 certain, 0 guesses." in frame(app), "all of a cause"
        await press(pilot, "a")
        assert not app.session.changed
        await press(pilot, "escape")
        assert not app.session.changed
        await press(pilot, "a", "enter")
        assert sum(staged.count for staged in app.session.staged) == 3
        assert "1 problem" in frame(app)
        await press(pilot, "u", *["escape"] * 5)
        assert app.is_running and isinstance(app.screen, PairScreen), "escape never quits"
        await press(pilot, "P", "j", "enter")
        assert app.session.profile.id != "anthropic"

    drive(broken, play)


def test_the_text_of_a_placeholder_can_be_changed(tmp_path: Path) -> None:
    path = array_file(tmp_path / "missing.json", 3, missing={1})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "f", "e", "ctrl+u", "ctrl+a", "ctrl+k", "text:it ran", "enter")
        assert len(app.session.staged) == 1
        assert b'it ran"' in app.session.to_bytes()

    drive(path, play)


def test_cells_are_opened_rows_found_and_filtered(broken: Path) -> None:
    from textual import events

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        await press(pilot, "k", "l", "enter")
        assert "import sys" in frame(app)
        await press(pilot, "slash", "text:sys", "enter", "n", "N", "z", "greater_than_sign", "h")
        assert "file_path" in frame(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen)

        await press(pilot, "slash", "text:src/1", "enter")
        await app.workers.wait_for_complete()
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 10
        await press(pilot, "n")
        await app.workers.wait_for_complete()
        assert view.row.pair.index == 11
        await press(pilot, "N", "N")
        await app.workers.wait_for_complete()
        assert view.row.pair.index in (1, 10)
        await press(pilot, "slash", "ctrl+u", "ctrl+a", "ctrl+k", "text:nowhere", "enter")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "not found" in frame(app)
        await press(pilot, "escape", "escape")

        for words, count in (("is:problem", 4), ("tool:Read", 20), ("id:file_00", 10), ("src/3", 1)):
            before = len(view.shown)
            await press(pilot, "ampersand", f"text:{words}", "enter")
            await app.workers.wait_for_complete()
            await pilot.pause()
            assert len(view.shown) == count and "filter" in frame(app), words
            await press(pilot, "j", "G", "space", "escape")
            assert len(view.shown) >= before, words
            if app.session.changed:
                await press(pilot, "u")
            assert not app.session.changed
        await press(pilot, "ampersand", "text:is:odd", "enter")
        assert "is:problem" in frame(app), "an unknown filter says what is known"
        await press(pilot, "escape", "at")
        app.post_message(events.Paste("API Error: 400\n  toolu_read_file_008\x1b[31m\n"))
        await pilot.pause()
        await press(pilot, "enter")
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 8

    drive(broken, play)


@pytest.mark.parametrize("where", ["pair:12", "toolu_read_file_012", "messages.25.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu.read.file:012. Each"])  # fmt: skip
def test_going_to_a_place_or_an_error(broken: Path, where: str) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        assert view.row is not None and view.row.pair is not None and view.row.pair.index == 12

    drive(broken, play, at=where)


def test_movement_keys_the_mouse_the_palette_and_help(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        view = main_screen(app).pairs
        await press(pilot, "g")
        assert view.cursor == 0
        await press(pilot, "G")
        assert view.cursor == len(view.shown) - 1
        await press(pilot, "ctrl+u", "ctrl+d", "ctrl+b", "ctrl+f", "pageup", "pagedown", "up", "down", "home")
        assert view.cursor == 0
        await pilot.click(view, offset=(50, 3))
        await pilot.pause()
        assert view.cursor == 3 and view.side == "result"
        await pilot.click(main_screen(app).query_one("#keys"), offset=(2, 1))
        await pilot.pause()
        assert "Problem" in frame(app)
        await press(pilot, "ctrl+p", "text:all keys", "enter")
        assert "Problems and fixes" in frame(app)
        await press(pilot, "escape")
        await pilot.resize_terminal(80, 70)
        await press(pilot, "question_mark")
        shown = frame(app)
        assert "fix this problem, go to the next" in shown and "review and save" in shown, "help names every key"
        await press(pilot, "q")
        assert isinstance(app.screen, PairScreen)

    drive(broken, play)


def test_parallel_calls_and_conversations(samples: Path) -> None:
    async def parallel(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert "┌" in frame(app) and "└" in frame(app)

    async def conversations(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        count = len(app.session.conversations)
        assert f"conversation {count} of {count}" in frame(app)
        await press(pilot, "c", "k", "enter")
        assert app.session.current == count - 2

    drive(samples / "parallel-swapped.json", parallel)
    drive(samples / "request-log.jsonl", conversations, (120, 40))


# The walk in test_words_on_screen.py opens the others.
OPENED = (*sorted(SAMPLES.glob("*.json*"))[1::2], *SAMPLES.glob("*.db"), *SAMPLES.glob("*.txt"))


@pytest.mark.parametrize("sample", some(OPENED, 4), ids=lambda path: path.name)
def test_every_other_sample_opens_and_survives_all_keys(sample: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in ("l", "f", "escape", "p", "escape", "enter", "escape", "G", "y", "escape", "A", "escape", "u"):
            await press(pilot, key)
        await pilot.resize_terminal(70, 16)
        await pilot.pause()
        assert all(len(line) <= 70 * 2 for line in lines_of(app))

    drive(sample, play, (60, 20))
