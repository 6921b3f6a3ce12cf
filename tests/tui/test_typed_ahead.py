"""Keys that are typed ahead do what they do when they are typed one by one."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from textual import events
from textual.pilot import Pilot

from tests.rounds import tries
from tests.tui.driving import drive, frame, press, settled
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.review import ReviewScreen

ALWAYS = -1e9
"""Seconds: what was typed before a question could be read counts as an answer, so that only the order matters."""
CHARACTERS = {"enter": "\r", "escape": "\x1b", "space": " ", "right_square_bracket": "]", "slash": "/", "at": "@"}
KEYS = [
    "f", "f", "enter", "enter", "enter", "escape", "escape", "a", "A", "space", "space", "right_square_bracket",
    "j", "k", "G", "g", "u", "ctrl+r", "w", "x", "p", "y", "1", "at", "m", "e", "question_mark", "l", "h", "q",
]  # fmt: skip
"""None of which starts a thread, whose moments differ from run to run."""


def at_once(app: ToolpairApp, *keys: str) -> None:
    """Keys of one read of the terminal."""
    for key in keys:
        character = CHARACTERS.get(key, key if len(key) == 1 else None)
        app.post_message(events.Key(key, character))


def state(app: ToolpairApp) -> tuple[object, ...]:
    return (
        [type(screen).__name__ for screen in app.screen_stack],
        [(row.title, row.count) for row in app.session.staged],
        app.session.to_bytes(),
        re.sub(r"\d{8}-\d{6}", "TIME", frame(app)),
    )


def test_a_screen_that_is_closed_at_once_does_no_harm(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for keys in ("f", "enter"), ("M", "enter"), ("M", "q"), ("P", "enter"), ("f", "q"), ("f", "j", "enter"):
            at_once(app, *keys)
            await settled(pilot)
            await pilot.pause(0.1)
            assert app.is_running and isinstance(app.screen_stack[1], PairScreen), keys
            while not isinstance(app.screen, PairScreen):
                await press(pilot, "escape")
            while app.session.changed:
                await press(pilot, "u")

    assert drive(broken, play).result.error is None


def test_what_is_typed_ahead_acts_on_what_the_key_before_has_led_to(broken: Path) -> None:
    """What is fixed is the problem under the cursor, not the one that was there before; a click is meant for what the
    key before it opens.
    """

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        at_once(app, "f", "enter", "right_square_bracket", "f", "enter")
        await settled(pilot)
        assert isinstance(app.screen, PairScreen) and [row.count for row in app.session.staged] == [1, 1]

        await press(pilot, "u", "u", "g")
        assert not app.session.staged
        problem = next(each for each in app.overview.walk if each.call is not None and each.call.id.endswith("_012"))
        at_once(app, *["j"] * app.overview.row_of(problem), "space")
        await settled(pilot)
        (staged,) = app.session.staged
        assert "_012'" in staged.decisions[0].call_id

        await press(pilot, "u")
        assert not app.session.staged
        at_once(app, "f")
        where: dict[str, Any] = {
            "x": 3,
            "y": 23,
            "delta_x": 0,
            "delta_y": 0,
            "button": 1,
            "shift": False,
            "meta": False,
            "ctrl": False,
        }
        app.post_message(events.MouseDown(None, **where))
        app.post_message(events.MouseUp(None, **where))
        await settled(pilot)
        assert isinstance(app.screen, PairScreen) and len(app.session.staged) == 1

        # What is typed into a line stays in order.
        at_once(app, "slash", *"src", "enter", "n")
        await settled(pilot)
        await pilot.pause(0.2)
        assert "src: match" in frame(app)

    drive(broken, play)


@pytest.mark.parametrize("seed", range(tries(12, 4)))
def test_a_burst_ends_where_slow_keys_do(broken: Path, seed: int) -> None:
    chance = random.Random(seed)
    keys = [chance.choice(KEYS) for _ in range(chance.randint(3, 25))]
    original = broken.read_bytes()
    ends: list[tuple[object, ...]] = []

    async def slowly(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        for key in keys:
            if app.is_running:
                await settled(pilot)
                at_once(app, key)
                await settled(pilot)
        await ended(app, pilot)

    async def fast(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        at_once(app, *keys)
        await ended(app, pilot)

    async def ended(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.pause(0.05)
        ends.append(state(app) if app.is_running else ())

    for play in (slowly, fast):
        broken.write_bytes(original)
        for kept in broken.parent.glob("*.bak"):
            kept.unlink()
        drive(broken, play, held=ALWAYS)
    assert ends[0] == ends[1], keys


def test_an_answer_that_was_typed_before_the_question_was_seen_is_none(broken: Path) -> None:
    original = broken.read_bytes()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        at_once(app, "A", "enter", "enter")
        await settled(pilot)
        assert isinstance(app.screen, ReviewScreen) and "press enter again" in frame(app)

    drive(broken, play)
    assert broken.read_bytes() == original


def test_a_key_for_a_screen_that_is_replaced_does_nothing_on_the_next(broken: Path) -> None:
    """What a screen has no use for comes back to the app: by then another screen may be there, and half built."""

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        old = app.screen
        old.set_focus(None)

        def replaced_meanwhile(self: PairScreen, event: events.Event) -> None:
            app.open_sessions.show(open_session(broken))
            assert app.screen is not old and not app.screen.is_mounted
            event._set_forwarded()
            app.post_message(event)

        with patch.object(PairScreen, "_forward_event", replaced_meanwhile):
            at_once(app, "space")
            await settled(pilot)
        assert app.screen is not old and app.is_running and not app.session.staged

    assert drive(broken, play).result.error is None


def test_a_key_waits_for_a_screen_that_came_by_itself(broken: Path) -> None:
    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        drawn: list[bool] = []
        handle = ToolpairApp._handle_input

        async def noted(self: ToolpairApp, event: events.Event) -> None:
            drawn.append(self.screen.drawn)
            await handle(self, event)

        with patch.object(ToolpairApp, "_handle_input", noted):
            assert not app.open_sessions.show(open_session(broken)).drawn
            at_once(app, "space")
            await settled(pilot)
        assert drawn == [True] and len(app.session.staged) == 1

    assert drive(broken, play).result.error is None
