"""Drives the interface with keys and reads its screen as text."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

from textual import _callback, _wait
from textual._compositor import Compositor
from textual._context import active_app, visible_screen_stack
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.drivers.headless_driver import HeadlessDriver
from textual.events import Callback
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from tests.patience import PATIENCE
from toolpair.session.journal.folder import Folder
from toolpair.session.session import open_session
from toolpair.tui.app import ToolpairApp
from toolpair.tui.own import USUAL, Own
from toolpair.tui.screens import base_screen
from toolpair.tui.session_list import Sessions
from toolpair.tui.widgets.pair_view import PairView

SIZES = ((60, 20), (80, 24), (120, 40), (200, 60))
LETTERS = {" ": "space", ":": "colon", "/": "slash", "_": "underscore", ".": "full_stop", "-": "minus"}


class Recorder(HeadlessDriver):
    """A terminal that records its output."""

    written: list[str]

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.__dict__.setdefault("written", []).append(data)


def array_file(
    path: Path,
    pairs: int,
    mismatched: Collection[int] = (),
    missing: Collection[int] = (),
    *,
    output: Any = "import os\nimport sys",
    tool: str = "Read",
    text: str = "now run the tests",
    suffix: str = "",
    argument: str = "src/{n}.py",
) -> Path:
    """An Anthropic array with one call per exchange."""
    messages: list[Any] = [{"role": "user", "content": text}]
    for n in range(pairs):
        id_ = f"toolu_read_file_{n:03}{suffix}"
        call = {"type": "tool_use", "id": id_, "name": tool, "input": {"file_path": argument.format(n=n)}}
        messages.append({"role": "assistant", "content": [call]})
        if n in missing:
            messages.append({"role": "user", "content": text})
            continue
        written = f"toolu.read.file:{n:03}{suffix}" if n in mismatched else id_
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": written, "content": output}]}
        )
    path.write_text(json.dumps(messages, indent=1), encoding="utf-8")
    return path


def lines_of(app: ToolpairApp) -> list[str]:
    """The screen as drawn, line by line."""
    visible_screen_stack.set(app._background_screens)
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


def frame(app: ToolpairApp) -> str:
    return "\n".join(line.rstrip() for line in lines_of(app))


BESIDE = ("search", "work")
"""The background threads."""


async def press(pilot: Pilot[Any], *keys: str, names: Collection[str] = BESIDE) -> None:
    """Press keys, in Textual's names; `text:…` types. Each waits until these threads have ended."""
    await settled(pilot, names)
    for key in keys:
        with _hardly_waiting():
            await pilot.app._press_keys(
                (LETTERS.get(char, char) for char in key[5:]) if key.startswith("text:") else (key,)
            )
        await settled(pilot, names)
    if isinstance(pilot.app, ToolpairApp) and pilot.app.is_running:
        frame(pilot.app)


async def undo_all(pilot: Pilot[Any]) -> None:
    """Undo fix after fix, so that the session is as it was opened."""
    app = pilot.app
    assert isinstance(app, ToolpairApp)
    for _ in range(20):
        if not app.session.changed:
            return
        await press(pilot, "u")
    raise AssertionError(frame(app))


@contextmanager
def _hardly_waiting(times: int = 10) -> Iterator[None]:
    """Textual waits twice 20 ms a key, or longer until the process is idle: most of the time of these tests.

    `settled` waits for what a key leads to.
    """
    usual = _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE
    _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE = usual[0] / times, usual[1]
    try:
        yield
    finally:
        _wait.SLEEP_GRANULARITY, _wait.SLEEP_IDLE = usual


class _Frames:
    """Nobody sees what is drawn without a terminal: a frame is drawn when a test reads it, and after its keys."""

    all_drawn = False
    usual = Compositor.render_update

    @staticmethod
    def render_update(compositor: Compositor, *given: Any, **named: Any) -> Any:
        if _Frames.all_drawn or not active_app.get().is_headless:
            return _Frames.usual(compositor, *given, **named)
        compositor._dirty_regions.clear()
        return None


Compositor.render_update = _Frames.render_update  # type: ignore[method-assign]


class _Parsed:
    """The stylesheets are the same for every app that a test starts: each is parsed once."""

    rules: ClassVar[dict[object, list[RuleSet]]] = {}
    usual = Stylesheet._parse_rules

    @staticmethod
    def parse(sheet: Stylesheet, *given: Any, **named: Any) -> list[RuleSet]:
        key = (given, *named.values(), *sheet._variables.values())
        if key not in _Parsed.rules:
            _Parsed.rules[key] = _Parsed.usual(sheet, *given, **named)
        return _Parsed.rules[key]


Stylesheet._parse_rules = _Parsed.parse  # type: ignore[method-assign]


class _Handlers:
    """Which classes have a method for a kind of message, and how many arguments a function takes, is the same for every
    app that a test starts: each is looked up once.
    """

    classes: ClassVar[dict[object, list[type] | None]] = {}
    arguments: ClassVar[dict[object, int]] = {}
    usual = MessagePump._get_dispatch_methods
    usual_count = staticmethod(_callback._count_parameters)

    @staticmethod
    def methods(pump: MessagePump, name: str, message: Message) -> Iterator[tuple[type, Callable[[Message], Any]]]:
        key = type(pump), name, type(message)
        if key not in _Handlers.classes:
            _Handlers.classes[key] = _Handlers._having(*key)
        classes = _Handlers.classes[key]
        if classes is None:
            yield from _Handlers.usual(pump, name, message)
            return
        for owner in classes:
            if message._no_default_action:  # asked anew: the method before may have said so
                return
            method = owner.__dict__.get(f"_{name}") or owner.__dict__.get(name)
            if method is not None and not getattr(method, "_textual_on", None):
                yield owner, method.__get__(pump, owner)

    @staticmethod
    def _having(pump: type, name: str, message: type) -> list[type] | None:
        """None: a decorator says which, of which selectors may know more."""
        decorated = (owner.__dict__.get("_decorated_handlers") or {} for owner in pump.__mro__)
        if any(not handlers.keys().isdisjoint(message.__mro__) for handlers in decorated):
            return None
        return [owner for owner in pump.__mro__ if not {name, f"_{name}"}.isdisjoint(owner.__dict__)]

    @staticmethod
    def count(function: Callable[..., Any]) -> int:
        if not isinstance(function, FunctionType) or function.__dict__:
            return _Handlers.usual_count(function)
        if function.__code__ not in _Handlers.arguments:
            _Handlers.arguments[function.__code__] = _Handlers.usual_count(function)
        return _Handlers.arguments[function.__code__]


MessagePump._get_dispatch_methods = _Handlers.methods  # type: ignore[method-assign]
_callback._count_parameters = _Handlers.count


async def _done(pilot: Pilot[Any], timeout: float = PATIENCE) -> bool:
    """Whether the widgets have done all that they were told: as Textual's, which also asks those that wait."""
    app = pilot.app
    if not app._screen_stack:
        return False
    left, done = 0, asyncio.Event()

    def one_is() -> None:
        nonlocal left
        left -= 1
        if not left:
            done.set()

    for pump in (app, app.screen, *(child for child in app.screen.walk_children() if not _waits(child))):
        left += pump.post_message(Callback(callback=one_is))
    if left:
        ends = [asyncio.create_task(event.wait()) for event in (done, app._exception_event)]
        ended, others = await asyncio.wait(ends, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        for task in others:
            task.cancel()
        assert ended, "widgets have not done what they were told"
    return not left


def _waits(pump: MessagePump) -> bool:
    """Whether it has nothing to do, and waits to be told."""
    told = pump._message_queue.ready_event
    return not told.is_set() and bool(told._waiters) and not pump._next_callbacks  # type: ignore[attr-defined]


Pilot._wait_for_screen = _done  # type: ignore[method-assign]


async def settled(pilot: Pilot[Any], names: Collection[str] = BESIDE, seconds: float = PATIENCE) -> None:
    """Wait until background work has ended and its result is shown."""
    await pilot.pause(0)  # so that what was just typed is on its way
    end = time.monotonic() + seconds
    while time.monotonic() < end and (
        any(thread.name in names for thread in threading.enumerate()) or _is_busy(pilot.app)
    ):
        await pilot.pause(0.002)
    with _hardly_waiting(3):
        await pilot.pause()


async def at_rest(pilot: Pilot[Any], app: ToolpairApp, quiet: float = 0.4) -> str:
    """The screen when nothing more is drawn: what is shown between two keys takes its time."""
    shown, since = frame(app), time.monotonic()
    end = since + PATIENCE
    while time.monotonic() < min(end, since + quiet):
        await pilot.pause(0.02)
        if frame(app) != shown:
            shown, since = frame(app), time.monotonic()
    return shown


def _is_busy(app: App[Any]) -> bool:
    """Whether a key has not been handled yet, a screen it opened not drawn, or where the problems are not found."""
    assert isinstance(app, ToolpairApp)
    if not app.is_running:
        return False
    pairs = getattr(app.screen, "pairs", None)
    looking = isinstance(pairs, PairView) and pairs.ticks is not None and pairs.ticks._idle._timer is not None
    return looking or app.typed_ahead.busy or not getattr(app.screen, "drawn", True)


def drive(
    path: Path,
    play: Callable[[ToolpairApp, Pilot[Any]], Awaitable[None]],
    size: tuple[int, int] = (80, 24),
    *,
    at: str | None = None,
    ascii: bool = False,
    recorder: bool = False,
    drawn: bool = False,
    held: float = 0.0,
    journal: Folder | None = None,
    own: Own = USUAL,
    sessions: Callable[[], Sessions] | None = None,
) -> ToolpairApp:
    """Open `path`, play, and give the app back. `held` is how long a held key is waited for.

    `drawn`: each frame is drawn, as in a terminal; else those that are read.
    """
    old, base_screen.HELD = base_screen.HELD, held

    async def run() -> ToolpairApp:
        make = (lambda: journal) if journal is not None else None
        app = ToolpairApp(open_session(path), at=at, ascii=ascii, journal=make, own=own, sessions=sessions)
        if recorder:
            app.driver_class = Recorder
        async with app.run_test(size=size, headless=not recorder) as pilot:
            await settled(pilot)
            await play(app, pilot)
        return app

    try:
        _Frames.all_drawn = drawn
        return asyncio.run(run())
    finally:
        _Frames.all_drawn, base_screen.HELD = False, old
