"""Keys that come together, held keys, and a terminal that is too small: nothing happens unseen."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from tests.rounds import some
from tests.tui.driving import drive, frame, lines_of, press
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens import base_screen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.review import ReviewScreen
from toolpair.tui.screens.saved import SavedScreen
from toolpair.tui.typed_ahead import TypedAhead


async def burst(app: ToolpairApp, pilot: Pilot[Any], *keys: str) -> None:
    """Keys of one read of the terminal."""
    for key in keys:
        app.post_message(events.Key(key, {"enter": "\r", "space": " ", "escape": None}.get(key, key)))
    await pilot.pause()
    await pilot.pause()


@pytest.mark.parametrize(
    ("opening", "keys"),
    some([
        (["a"], ["enter", "enter", "enter"]), (["y"], ["1", "1", "1"]), (["at"], ["x", "enter", "enter"]),
        (["space", "q"], ["escape", "D", "w", "escape"]), (["f"], ["enter", "enter"]), (["question_mark"], ["escape", "escape"]),
        (["P"], ["escape", "escape", "enter"]), (["A"], ["escape", "escape"]),
    ], 4),
)  # fmt: skip
def test_two_keys_of_one_read_close_one_screen(broken: Path, opening: list[str], keys: list[str]) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, *opening)
        await burst(app, pilot, *keys)
        assert app.is_running and any(isinstance(screen, PairScreen) for screen in app.screen_stack)
        assert frame(app).strip()

    drive(broken, play)


def test_saving_is_done_once(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        await burst(app, pilot, "enter", "enter", "enter")
        assert len(app.result.saved) == 1

    drive(broken, play)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time that tells held keys from fresh ones. It stands still unless a test moves it."""
    made = SimpleNamespace(now=0.0, monotonic=lambda: made.now)
    monkeypatch.setattr(base_screen, "time", made)
    monkeypatch.setattr(TypedAhead, "came", property(lambda _: made.now, lambda *_: None), raising=False)
    return made


def test_an_early_answer_is_told_to_come_again(broken: Path, clock: SimpleNamespace) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "q", "D")
        assert app.is_running and "press D again" in frame(app)
        clock.now = 0.5
        await press(pilot, "D")

    assert drive(broken, play, held=0.4).result.lines == ["Nothing was changed."]


def test_the_page_after_saving_is_not_skipped_by_a_held_key(broken: Path, clock: SimpleNamespace) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "A")
        clock.now = 0.5
        await press(pilot, "enter", "enter", "enter")
        assert isinstance(app.screen, SavedScreen) and "press enter again" in frame(app)

    drive(broken, play, held=0.4)


def test_growing_again_lays_everything_out_anew_and_nothing_is_confirmed_blindly(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space")
        for size in ((80, 24), (40, 10)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            straight = lines_of(app)
            await pilot.resize_terminal(30, 8)
            await pilot.pause()
            await pilot.resize_terminal(*size)
            await pilot.pause()
            await pilot.pause()
            again = lines_of(app)
            assert again[:3] == straight[:3] and again[-4:] == straight[-4:]
            assert "not saved" in again[0]

        await pilot.resize_terminal(80, 24)
        await press(pilot, "u", "a")
        await pilot.resize_terminal(30, 8)
        await pilot.pause()
        await press(pilot, "enter", "space", "escape")
        assert not app.session.changed, "nothing is confirmed blindly"
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "Fix 3 like this?" in frame(app)
        await press(pilot, "enter")
        assert app.session.changed

    drive(broken, play)


def test_the_smallest_screen_shows_the_safe_choices(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "q")
        shown = frame(app)
        assert "w review and save" in shown and "D discard" in shown and shown.index("w rev") < shown.index("D disc")
        await press(pilot, "w")
        assert isinstance(app.screen, ReviewScreen) and lines_of(app)[-1].startswith(" enter save")

    drive(broken, play, (40, 10))
