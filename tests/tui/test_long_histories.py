"""What a key costs does not grow with the history: rows are counted, not seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import pytest
from textual.pilot import Pilot

from tests.patience import PATIENCE
from tests.tui.driving import array_file, drive, frame, press, settled
from toolpair.history.conversation import Conversation
from toolpair.session.session import PairRow, Session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.controllers import working
from toolpair.tui.row_search import text_test
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.widgets.pair_view import PairView, RowHeights

PAIRS = 3_000


class Counted(Sequence[PairRow]):
    """Rows that count how often one is asked for, and may not be walked."""

    def __init__(self, rows: Sequence[PairRow]) -> None:
        self._rows = rows
        self.asked = 0

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, key: int) -> PairRow: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[PairRow]: ...
    def __getitem__(self, key: int | slice) -> PairRow | Sequence[PairRow]:
        assert isinstance(key, int), "no key needs many rows at once"
        self.asked += 1
        return self._rows[key]

    def __iter__(self) -> Iterator[PairRow]:
        raise AssertionError("no key walks over all rows")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Gives back how many rows were asked for since the last time."""
    given: list[Counted] = []
    rows = Conversation.rows

    def of(conversation: Conversation) -> Sequence[PairRow]:
        given.append(Counted(rows.__get__(conversation)))
        return given[-1]

    monkeypatch.setattr(Conversation, "rows", property(of))

    def asked() -> int:
        count = sum(each.asked for each in given)
        for each in given:
            each.asked = 0
        return count

    return asked


@pytest.mark.parametrize("size", [(60, 24), (120, 40)], ids=str)
def test_no_key_walks_over_the_rows(tmp_path: Path, counted: Callable[[], int], size: tuple[int, int]) -> None:
    path = array_file(tmp_path / "long.json", PAIRS, missing=range(9, PAIRS, 300))

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        assert counted() < 40 * size[1], "nor does the first frame"
        for key in (
            "j", "k", "ctrl+f", "ctrl+b", "ctrl+d", "right_square_bracket", "right_square_bracket",
            "left_square_bracket", "G", "g", "right_square_bracket", "space", "u", "ctrl+r", "u", "space",
        ):  # fmt: skip
            await press(pilot, key)
            assert counted() < 40 * size[1], key
        assert len(app.session.staged) == 1 and "Problem" in frame(app)

    drive(path, play, size, drawn=True)


def test_heights_are_measured_where_one_looks_and_the_view_stays(tmp_path: Path) -> None:
    path = array_file(tmp_path / "long.json", 160)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        pairs = app.screen.query_one(PairView)
        await press(pilot, "G")
        last = frame(app)
        assert "src/159.py" in last
        seen: list[int] = []
        for _ in range(45):
            await press(pilot, "ctrl+b")
            seen.append(pairs.row_index or 0)
        assert seen == sorted(seen, reverse=True) and seen[-1] == 0
        assert "src/0.py" in frame(app)
        for _ in range(45):
            await press(pilot, "ctrl+f")
        assert frame(app) == last

    drive(path, play, (60, 24), drawn=True)  # a pair takes two lines there


def test_row_heights() -> None:
    heights = [1 + n % 3 for n in range(1000)]
    asked: set[int] = set()

    def height(n: int) -> int:
        asked.add(n)
        return heights[n]

    rows = RowHeights(1000, height)
    assert rows.total == 1000 and not asked
    assert rows.at(500) and len(asked) < 64
    rows.measure(0, 999)
    assert rows.total == sum(heights) and rows.top(700) == sum(heights[:700])
    assert all(rows.at(rows.top(n)) == n == rows.at(rows.top(n) + rows.height(n) - 1) for n in range(1000))
    assert rows.at(10**9) == 999


def test_hits_are_shown_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may = threading.Event()

    def slow(overview: Any, query: str) -> Callable[[int], bool]:
        test = text_test(overview, query)
        return lambda n: (n < 60 or may.wait(PATIENCE)) and test(n)

    monkeypatch.setattr("toolpair.tui.controllers.text_search.text_test", slow)
    path = array_file(tmp_path / "long.json", 200, argument="src/{n}.py")

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in ("slash", "7", "full_stop", "p", "y", "enter"):
            await pilot.press(key)
            await pilot.pause()
        for _ in range(300):
            await pilot.pause(0.01)
            if "so far" in frame(app):
                break
        assert "matches so far" in frame(app) or "match so far" in frame(app)
        await pilot.press("n")
        await pilot.pause()
        row = app.screen.query_one(PairView).row
        assert row is not None and row.pair is not None and row.pair.index == 17, "known hits are gone through"
        may.set()
        await settled(pilot)
        assert "of 20" in frame(app)
        await press(pilot, "escape", "N")
        assert "/ finds text" in frame(app)

    drive(path, play, drawn=True)


def test_escape_leaves_the_session_as_it_was(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "MANY_MESSAGES", 1)
    may, begun = threading.Event(), threading.Event()
    stage_recommended = Session.stage_recommended

    def slow(session: Session) -> Any:
        begun.set()
        may.wait(PATIENCE)
        return stage_recommended(session)

    monkeypatch.setattr(Session, "stage_recommended", slow)

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await pilot.press("A")
        begun.wait(PATIENCE)
        await pilot.pause(0.15)
        assert "fixing" in frame(app) and "esc stops" in frame(app)
        await pilot.press("j", "space")
        await pilot.pause()
        assert "not yet" in frame(app) and not app.session.staged
        await pilot.press("escape")
        await pilot.pause()
        assert "nothing was changed" in frame(app)
        may.set()
        await settled(pilot)
        assert not app.session.staged and not isinstance(app.screen, ReviewScreen)
        await press(pilot, "A")
        assert app.session.changed and isinstance(app.screen, ReviewScreen)

    drive(broken, play, drawn=True)


def test_what_a_fix_changes_is_told_when_the_keys_rest(tmp_path: Path) -> None:
    path = array_file(tmp_path / "long.json", PAIRS, missing={5, 2000})

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "right_square_bracket")
        for _ in range(100):
            await pilot.pause(0.02)
            if "1 message" in frame(app).partition("Fix:")[2]:
                break
        assert "1 message" in frame(app).partition("Fix:")[2]

    drive(path, play, (120, 40), drawn=True)
