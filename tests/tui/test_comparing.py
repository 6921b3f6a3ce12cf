"""Two histories side by side: from the main view, from the list of sessions, before and after the fixes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.history.opening import judged_by
from tests.history.test_two_histories import distinct, messages
from tests.rounds import mixed, some
from tests.session_folders import claude_session, set_age
from tests.tui.driving import SIZES, at_rest, drive, frame, lines_of, press, settled
from tests.tui.test_picker import drive as drive_picker
from tests.tui.test_picker import sessions
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.compare import CompareScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.picker import PickerScreen
from toolpair.tui.screens.viewer import ViewerScreen
from toolpair.tui.widgets.row_list import RowList


def cursor_line(app: ToolpairApp) -> str:
    return next(line for line in lines_of(app) if line.startswith(("▌", ">")))


@pytest.mark.parametrize("size", some(SIZES, 2))
def test_before_and_after_the_fixes(broken: Path, size: tuple[int, int]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A", "escape", "d", "enter")
        assert isinstance(app.screen, CompareScreen)
        assert "A now" in frame(app) and "B after saving" in frame(app)
        assert "4 pairs different, 16 the same" in frame(app)
        assert "difference 1 of 4" in frame(app) and "toolu" in cursor_line(app)
        if size[1] >= 24:
            await pilot.pause(0.1)
            below = frame(app).partition("─ what differs ─")[2]
            assert "toolu.read.file:005" in below and "toolu_read_file_005" in below, "the row is below in full"
        await press(pilot, "right_square_bracket", "right_square_bracket")
        assert "difference 3 of 4" in frame(app) and "no result" in cursor_line(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, ViewerScreen) and "+ [No result was recorded" in frame(app)
        await press(pilot, "escape", "left_square_bracket")
        assert "difference 2 of 4" in frame(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, PairScreen) and app.session.changed

    drive(broken, play, size)


def test_what_would_be_fixed_is_shown_before_anything_is_applied(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "enter")
        assert "after everything safe is fixed" in frame(app) and "4 pairs different" in frame(app)
        assert not app.session.changed
        await press(pilot, "right_square_bracket", "right_square_bracket")
        below = (await at_rest(pilot, app)).partition("─ what differs ─")[2]
        assert "call    Read src/" in below and "+ [No result was recorded" in below

        await press(pilot, "left_square_bracket", "left_square_bracket", "p")
        assert isinstance(app.screen, ViewerScreen) and "Exact bytes, A and B" in frame(app)
        assert any(line.strip().startswith("-") for line in lines_of(app))
        await press(pilot, "escape", "g", "p")
        assert isinstance(app.screen, CompareScreen) and "p the records of one row" in frame(app)

    drive(broken, play)


def test_a_file_and_its_original(broken: Path) -> None:
    session = open_session(broken)
    session.stage_recommended()
    session.save()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d")
        assert "the original of 20" in frame(app)
        await press(pilot, "enter")
        assert "4 pairs different" in frame(app) and ".bak" in frame(app)

    drive(broken, play, (120, 40))


@pytest.mark.parametrize(("size", "ascii"), mixed(some(SIZES, 2), [False, True]))
def test_two_sessions_of_one_beginning(tmp_path: Path, size: tuple[int, int], ascii: bool) -> None:
    """Claude Code's fork repeats the records that it continues."""
    path = claude_session(tmp_path / ".claude", pairs=12)
    lines = path.read_bytes().splitlines(keepends=True)
    other = path.with_name("9f02aa11-0000-4000-8000-000000000000.jsonl")
    other.write_bytes(b"".join(lines[:11]).replace(b"ok 3", b"OK 3"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d")
        assert "begins with the same message" in frame(app)
        await press(pilot, "enter")
        shown = frame(app)
        assert "1 pair different, 7 only in A, 4 the same" in shown
        assert "OK 3" in cursor_line(app)
        await press(pilot, "right_square_bracket")
        assert "B ends here, A goes on with 7 pairs" in cursor_line(app)
        await press(pilot, "right_square_bracket")
        assert "this is the last difference" in frame(app)
        assert all(len(line) <= size[0] for line in lines_of(app))
        assert not ascii or frame(app).isascii(), [c for c in frame(app) if not c.isascii()]

    drive(path, play, size, ascii=ascii)


def test_steps_of_long_histories_are_read_in_the_background_and_then_shown(tmp_path: Path) -> None:
    path = claude_session(tmp_path / ".claude", pairs=12)
    other = path.with_name("9f02aa11-0000-4000-8000-000000000000.jsonl")
    other.write_bytes(path.read_bytes().replace(b"ok 3", b"OK 3"))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "enter")
        assert isinstance(app.screen, CompareScreen) and app.screen.rows is not None
        assert app.screen.rows.comparison.a.conversation.fixes_are_local
        await press(pilot, "O", "g")
        await settled(pilot)
        for text in ("ok 2", "ok 3", "OK 3", "ok 4"):
            assert text in frame(app)
        assert " …" not in frame(app)

    with judged_by(2):
        drive(path, play, (120, 40), drawn=True)


def test_what_is_the_same_unfolds_and_the_cursor_keeps_its_place(tmp_path: Path) -> None:
    of = distinct(9)
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps(messages(of)))
    session = open_session(a)
    assert not session.problems
    b.write_text(json.dumps(messages([*of[:4], (*of[4][:2], "other", "t4"), *of[5:]])))
    shutil.copy(b, tmp_path / "a.json.toolpair-20261121-091200.bak")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "enter")
        rows = app.screen.query_one(RowList)
        assert rows.count == 3 and "4 ≠" in cursor_line(app)
        await press(pilot, "O")
        assert rows.count == 10 and "4 ≠" in cursor_line(app)
        await press(pilot, "O")
        assert rows.count == 3 and "4 ≠" in cursor_line(app)
        await press(pilot, "k", "enter")
        assert rows.count == 7 and rows.cursor == 0
        await press(pilot, "G")
        assert "4 pairs are the same" in cursor_line(app)
        await press(pilot, "vertical_line", "g", "j", "enter")
        assert isinstance(app.screen, ViewerScreen)

    drive(a, play, (110, 30))


def test_two_that_are_marked_in_the_list(tmp_path: Path) -> None:
    claude = tmp_path / ".claude"
    set_age(claude_session(claude, "/home/dev/shop", "11111111-0000-4000-8000-000000000000", pairs=6), 10)
    set_age(claude_session(claude, "/home/dev/shop", "22222222-0000-4000-8000-000000000000", pairs=9), 20)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+t", names=("sessions", "work"))
        assert "is marked" in frame(app)
        await press(pilot, "ctrl+t", names=("sessions", "work"))
        assert "is marked" not in frame(app) and isinstance(app.screen, PickerScreen)
        await press(pilot, "ctrl+t", "down", "ctrl+t", names=("sessions", "work"))
        await settled(pilot)
        assert isinstance(app.screen, CompareScreen)
        assert "3 pairs only in A, 6 the same" in frame(app)  # the newest, of nine pairs, stands first
        await press(pilot, "escape")
        assert isinstance(app.screen, PickerScreen)

    drive_picker(sessions(tmp_path), play)


def test_the_same_says_so_and_an_unreadable_one_says_why(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(messages(distinct(3))))
    same, bad = (tmp_path / f"a.json.toolpair-20261121-09120{n}.bak" for n in range(2))
    shutil.copy(path, same)
    bad.write_bytes(b"\x7fELF" * 10)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "enter")
        assert "not compared:" in frame(app)
        await press(pilot, *"j[]khlO|", "enter", "escape", "d", "2")
        assert "the histories are the same" in frame(app)
        await press(pilot, *"j[]khl|", "G", "enter", "j", "enter")
        assert isinstance(app.screen, ViewerScreen)

    drive(path, play)


def test_without_anything_to_compare_with_it_says_so(sound: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d")
        assert "nothing to compare it with" in frame(app)

    drive(sound, play)


def test_content_is_never_read_as_markup_or_obeyed(tmp_path: Path) -> None:
    of = [("\x1b[31mTool[/]", "\x1b]0;x\x07[bold]", "\x9b2J\u202eabc", "t\x1b0")]
    a = tmp_path / "a.json"
    a.write_text(json.dumps(messages(of)))
    b = tmp_path / "a.json.toolpair-20261121-091200.bak"
    b.write_text(json.dumps(messages([(*of[0][:2], "\x1b[2Jother", of[0][3])])))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d")
        await press(pilot, "down") if "everything safe" in frame(app) else None
        await press(pilot, "enter")
        assert isinstance(app.screen, CompareScreen)
        shown = frame(app)
        await press(pilot, "enter")
        shown += frame(app)
        await press(pilot, "escape", "escape", "S")
        shown += frame(app)
        assert not any(char in shown for char in "\x1b\x9b\x07\u202e") and "[bold]" in shown

    drive(a, play, (120, 40))


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_rows_are_filtered_and_found_and_escape_shows_all_again(broken: Path, size: tuple[int, int]) -> None:
    async def found_as_typed(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        before, count = await at_rest(pilot, app), app.screen.query_one(RowList).count
        await press(pilot, "slash", "text:src/9.py")
        assert "match 1 of 1" in frame(app), "also in what is folded"
        await press(pilot, "escape")
        assert await at_rest(pilot, app) == before, "escape goes back to where it began, and folds again"
        await press(pilot, "slash", "text:src/9.py", "enter")
        assert "src/9.py" in cursor_line(app) and app.screen.query_one(RowList).count > count
        await press(pilot, "n", "N")
        assert "match 1 of 1" in frame(app) and "src/9.py" in cursor_line(app)
        await press(pilot, "slash", "text:zzz")
        assert "not found: src/9.pyzzz" in frame(app)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "d", "enter")
        before = await at_rest(pilot, app)
        rows = app.screen.query_one(RowList)
        await press(pilot, "ampersand", "text:is:different", "enter")
        assert rows.count == 4 and "is:different" in frame(app) and "4 rows (esc)" in frame(app)
        await press(pilot, "right_square_bracket")
        assert "difference 2 of 4" in frame(app)
        await press(pilot, "O")
        assert "esc shows all rows first" in frame(app) and rows.count == 4
        await press(pilot, "enter")
        assert isinstance(app.screen, ViewerScreen)
        await press(pilot, "escape", "escape")
        assert isinstance(app.screen, CompareScreen) and rows.count > 4 and "(esc)" not in frame(app)
        await press(pilot, "ampersand", "text:is:wrong", "enter")
        assert "is:wrong is not a filter here" in frame(app)
        await press(pilot, "escape", "left_square_bracket")
        assert await at_rest(pilot, app) == before
        if size == (80, 24):
            await found_as_typed(app, pilot)

    drive(broken, play, size)
