"""The review: its bars, its lists, and the diff of the row under the cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.driving import array_file, drive, frame, lines_of, press, undo_all
from tests.tui.test_main_view import until
from toolpair.tui.app import ToolpairApp


def test_before_and_after_are_bars_on_one_scale(native: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        [line] = [line for line in lines_of(app) if "Outputs the model sees" in line]
        assert " 7 " in line and "9/9, 1 placeholder" in line
        before, after = line.index("█"), line.rindex("█")
        assert line[before:].split()[0].count("█") < line[: after + 1].split()[-1].count("█") + 1

    drive(native, play)
    drive(native, play, (120, 40))


def test_a_row_is_excluded_by_a_click_on_its_box_and_what_loses_something_comes_first(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        before = len(app.session.staged)
        y = next(n for n, line in enumerate(lines_of(app)) if "[x]" in line)
        await pilot.click(offset=(2, y))
        await pilot.pause()
        assert len(app.session.staged) == before - 1 and "excluded" in frame(app)
        await pilot.click(offset=(2, y))
        await pilot.pause()
        assert len(app.session.staged) == before
        await press(pilot, "escape")
        await undo_all(pilot)

        await press(pilot, "space", "space")
        problem = next(each for each in app.session.problems if each.rule == "result.missing")
        losing = next(fix for fix in problem.fixes if fix.loses)
        app.session.stage(problem, losing)
        app.open_sessions.changed(app.open_sessions.desks[-1])
        await press(pilot, "w")
        rows = [line for line in lines_of(app) if "[x]" in line]
        assert "LOSES" in rows[0] and "loses nothing" in rows[1]

    drive(broken, play)


def test_the_diff_follows_the_cursor_and_every_change_of_a_row_is_reached(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await until(pilot, app, "1 of 3")
        await until(pilot, app, "toolu.read.file:005")
        await press(pilot, "right_square_bracket")
        await until(pilot, app, "toolu.read.file:006")
        await press(pilot, "left_square_bracket", "left_square_bracket")
        await until(pilot, app, "toolu.read.file:012")
        await press(pilot, "j")
        await until(pilot, app, "No result was recorded")

    drive(broken, play, (110, 30))


def test_what_is_not_fixed_is_listed_and_read_but_not_excluded(tmp_path: Path) -> None:
    path = array_file(tmp_path / "two.json", 6, mismatched={1}, missing={4})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "w")
        assert "── not fixed: 1 ──" in frame(app)
        await press(pilot, "j")
        [line] = [line for line in lines_of(app) if line.startswith("▌")]
        assert "Read was called" in line, "the heading is skipped"
        await until(pilot, app, "It is not applied")
        assert "   call    Read src/4.py" in frame(app) and " + [No result was recorded for this call." in frame(app)
        await press(pilot, "x")
        assert "this one is not applied" in frame(app) and len(app.session.staged) == 1
        await press(pilot, "k", "x")
        assert not app.session.staged

    drive(path, play)


@pytest.mark.parametrize("size", [(40, 10), (60, 20), (80, 24), (200, 60)], ids=str)
def test_every_size_keeps_the_rows_and_the_keys(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        shown = lines_of(app)
        assert len(shown) == size[1] and any("[x]" in line for line in shown) and "enter save" in shown[-1]

    drive(broken, play, size)
