"""What comes back from a thread or a timer is used only while it is about what is on the screen."""

from __future__ import annotations

import ast
import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

import toolpair.tui
from tests.patience import PATIENCE
from tests.tui.driving import drive, frame, press, settled
from tests.tui.test_loading import Slow, long, play_on  # noqa: F401 - a fixture among them
from toolpair.session.session import Session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.aside import Aside
from toolpair.tui.background_loading import Opening
from toolpair.tui.controllers import working
from toolpair.tui.open_sessions import OpenSessions
from toolpair.tui.screens.help import HelpScreen
from toolpair.tui.screens.loading import OpeningScreen
from toolpair.tui.screens.pair_screen import PairScreen
from toolpair.tui.screens.viewer import ViewerScreen

BY_ITS_OWN = {
    "call_from_thread", "run_worker", "set_timer", "set_interval", "call_later", "call_after_refresh", "call_next",
    "push_screen", "push_screen_wait", "switch_screen", "pop_screen", "to_thread", "create_task", "Thread", "run_in_executor",
}  # fmt: skip
MECHANISM = {"later.py", "aside.py", "typed_ahead.py", "app.py", "leaving.py"}
OF_THE_APP = {
    ("application.py", "call_later"),
    *(("open_sessions.py", name) for name in ("push_screen", "switch_screen", "pop_screen")),
}
"""What the app does itself: the terminal's answer comes from a thread, and it keeps the stack of main screens."""


def test_no_screen_does_anything_later_in_its_own_way() -> None:
    folder = Path(toolpair.tui.__file__).parent
    found = [
        f"{path.relative_to(folder)}:{node.lineno} {node.attr}"
        for path in folder.rglob("*.py")
        if path.name not in MECHANISM
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in BY_ITS_OWN and (path.name, node.attr) not in OF_THE_APP
    ]
    assert not found


def screen_of(app: ToolpairApp) -> PairScreen:
    assert isinstance(app.screen, PairScreen)
    return app.screen


def test_a_screen_that_is_gone_hears_nothing(broken: Path) -> None:
    heard: list[str] = []
    go = threading.Event()

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press(pilot, "question_mark")
        screen = app.screen
        assert isinstance(screen, HelpScreen)

        def work(aside: Aside) -> None:
            go.wait(PATIENCE)
            aside.run_in_ui(lambda: heard.append("thread"))

        screen.in_thread(work, "work")
        with timers(screen) as due:
            screen.later(0.05, lambda: heard.append("timer"))
        screen.after_refresh(lambda: heard.append("refresh"))
        await settled(pilot, names=())
        assert heard == ["refresh"]
        await press_without_waiting(pilot, "escape")
        go.set()
        await settled(pilot)
        due[0]()
        assert heard == ["refresh"]

    drive(broken, play)


@contextmanager
def timers(screen: PairScreen | HelpScreen) -> Iterator[list[Callable[[], object]]]:
    """What is asked for later becomes due when it is called here, however slow the machine is."""
    due: list[Callable[[], object]] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(screen), "set_timer", lambda self, seconds, what: due.append(what))
        yield due


async def press_without_waiting(pilot: Pilot[Any], key: str) -> None:
    await pilot.press(key)
    await settled(pilot, names=())


def test_what_was_made_for_another_state_is_not_used(broken: Path) -> None:
    heard: list[str] = []

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        screen = screen_of(app)
        kept, bound = screen.ticket(), screen.ticket(of_state=True)
        assert kept.is_good and bound.is_good
        with timers(screen) as due:
            screen.later(0.05, lambda: heard.append("of this state"), of_state=True)
            screen.later(0.05, lambda: heard.append("of any"))
        await press(pilot, "space")
        for what in due:
            what()
        assert kept.is_good and not bound.is_good and heard == ["of any"]
        # Exactly the same state is back, so that what was made for it may be used.
        await press(pilot, "u")
        assert bound.is_good
        await press(pilot, "question_mark")
        assert bound.is_good, "another screen lies over it, and will go again"

    drive(broken, play)


def test_a_file_that_is_read_while_help_is_open_is_shown_behind_it(tmp_path: Path, broken: Path) -> None:
    slow = Slow()

    async def run() -> None:
        app = ToolpairApp(None, opening=Opening(str(broken), slow))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, names=())
            assert isinstance(app.screen, OpeningScreen)
            await press_without_waiting(pilot, "question_mark")
            assert isinstance(app.screen, HelpScreen)
            slow.may.set()
            await settled(pilot)
            assert isinstance(app.screen, HelpScreen)
            await press(pilot, "escape")
            await settled(pilot)
            assert isinstance(app.screen, PairScreen) and "Read" in frame(app)

    asyncio.run(run())


def test_keys_typed_before_anything_is_shown_act_when_it_is(broken: Path) -> None:
    slow = Slow()

    async def run() -> None:
        app = ToolpairApp(None, opening=Opening(str(broken), slow))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, names=())
            for key in ("question_mark", "escape", "space", "space"):
                await press_without_waiting(pilot, key)
            assert isinstance(app.screen, OpeningScreen)
            slow.may.set()
            for _ in range(400):
                await settled(pilot)
                if isinstance(app.screen, PairScreen) and app.session.changed:
                    break
            assert "2 fixes, not saved" in frame(app)

    asyncio.run(run())


def test_a_key_that_was_let_in_before_anything_was_shown_acts_when_it_is(
    broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, show = Slow(), OpenSessions.show

    def with_a_key_on_its_way(self: OpenSessions, *shown: Any) -> PairScreen:
        self._app.screen.post_message(events.Key("space", " "))
        return show(self, *shown)

    async def run() -> None:
        app = ToolpairApp(None, opening=Opening(str(broken), slow))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, names=())
            monkeypatch.setattr(OpenSessions, "show", with_a_key_on_its_way)
            slow.may.set()
            for _ in range(400):
                await settled(pilot)
                if isinstance(app.screen, PairScreen) and app.session.changed:
                    break
            assert "1 fix, not saved" in frame(app)

    asyncio.run(run())


def test_a_key_of_a_screen_that_makes_way_before_it_was_used_acts_on_the_next(
    broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, show, let_in = Slow(), OpenSessions.show, list[events.Event]()

    def not_used_yet(self: OpeningScreen, event: events.Event) -> None:
        event._set_forwarded()
        let_in.append(event)
        slow.may.set()

    def used_after(self: OpenSessions, *shown: Any) -> PairScreen:
        made = show(self, *shown)
        for event in let_in:
            self._app.post_message(event)
        return made

    monkeypatch.setattr(OpeningScreen, "_forward_event", not_used_yet)
    monkeypatch.setattr(OpenSessions, "show", used_after)

    async def run() -> None:
        app = ToolpairApp(None, opening=Opening(str(broken), slow))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, names=())
            await press_without_waiting(pilot, "q")
            for _ in range(400):
                await settled(pilot)
                if not app.is_running:
                    break
            assert let_in and not app.is_running

    asyncio.run(run())


def test_the_review_does_not_open_over_what_was_opened_meanwhile(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    stage_recommended = Session.stage_recommended
    monkeypatch.setattr(working, "MANY_MESSAGES", 0)
    monkeypatch.setattr(Session, "stage_recommended", lambda self: (go.wait(PATIENCE), stage_recommended(self))[1])

    async def play(app: ToolpairApp, pilot: Pilot[Any]) -> None:
        await press_without_waiting(pilot, "A")
        await press_without_waiting(pilot, "enter")
        assert isinstance(app.screen, ViewerScreen)
        go.set()
        await settled(pilot)
        assert isinstance(app.screen, ViewerScreen) and app.session.changed
        await press(pilot, "escape")
        assert "not saved" in frame(app) and "w reviews and saves" in frame(app)

    drive(broken, play)
