"""Handling keys, clicks and pastes one at a time: each acts on what the screen shows when it is handled.

Textual passes a key from widget to widget through queues, and opens screens concurrently. A key that arrived together
with another would find a half-built screen, or an outdated state. So the next one waits until everything that the last
one started is done, and any screen it opened has been drawn.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable
from typing import Any, Final, TypeGuard

from textual import events
from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

_PATIENCE: Final = 5.0
"""Seconds after which the next one is handled regardless: a screen must never hang."""
_ATTEMPTS: Final = 2
"""The time may be up only because one key's work took all of it."""
_TURNS: Final = 100
"""Most keys are done within this many turns of the event loop; slower ones are polled."""
_PAUSE: Final = 0.002
"""Seconds between polls."""
_MOST: Final = 20
"""Keys that are kept for a screen that is not there yet."""

Input = events.InputEvent | events.Paste


def is_input(event: Message) -> TypeGuard[Input]:
    """Whether it comes from the terminal and no widget has seen it yet."""
    return isinstance(event, (events.InputEvent, events.Paste)) and not event.is_forwarded


def is_forwarded_input(event: Message) -> bool:
    """Whether it comes from the terminal, and the widgets of a screen had no use for it."""
    return isinstance(event, (events.InputEvent, events.Paste)) and event.is_forwarded


class TypedAhead:
    """Input that has not been handled yet."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._waiting: deque[Input] = deque()
        self._handled_now = False
        self._let_in: Input | None = None
        self._settling: asyncio.Task[None] | None = None
        self._ended = False
        self._meant_for: Screen[Any] | None = None
        """The screen that was on top when the input being handled was admitted."""
        self.came = 0.0
        """When the input being handled was typed, by the monotonic clock."""
        self.let_in = 0.0
        """When it was let in."""
        self.last = 0.0
        """When anything was last typed."""

    def has_ended(self) -> bool:
        """Whether the program is ending, and nothing is handled any more."""
        return self._ended

    @property
    def busy(self) -> bool:
        """Whether something is being handled, or is waiting."""
        return self._handled_now

    def admits(self, event: Input) -> bool:
        """Whether to handle it now; otherwise its turn comes later. Call `handled` afterwards."""
        if self._ended:
            return False
        if event is self._let_in:
            self._let_in = None
        else:
            self.last = event.time
            if self._handled_now:
                self._wait(event)
                return False
            if not _is_drawn(self._app):
                self._wait(event)
                self._handled_now = True
                self.handled()
                return False
        self._handled_now = True
        self._meant_for = _top(self._app)
        self.came = event.time
        self.let_in = time.monotonic()
        return True

    @property
    def is_outdated(self) -> bool:
        """Whether the input being handled was typed at another screen than the one on top now.

        What no widget of a screen uses comes back to the app, which would use it on the screen that is there by then.
        """
        return self._meant_for is not _top(self._app)

    def came_late(self, key: events.Key) -> None:
        """Another screen came before the one that it was typed at had used it: lost, unless that was to make way."""
        early = getattr(self._meant_for, "early", None)
        if isinstance(early, EarlyKeys) and early.are_handed_over:
            early.keep(key)

    def _wait(self, event: Input) -> None:
        if isinstance(event, events.MouseMove) and self._waiting and isinstance(self._waiting[-1], events.MouseMove):
            self._waiting[-1] = event  # only the current position of the pointer matters
        else:
            self._waiting.append(event)

    def again(self, keys: Iterable[events.Key]) -> None:
        """Handle keys that came before there was a screen for them, as if they were typed now at the one there is.

        What waits stays in the order in which it was typed.
        """
        copies: list[Input] = []
        for key in keys:
            # Else it would come from the widget that hands it on, and go no further than there.
            copy = events.Key(key.key, key.character).set_sender(self._app)
            copy.time = key.time
            copies.append(copy)
        self._waiting = deque(sorted((*copies, *self._waiting), key=lambda event: event.time))
        if self._waiting and not self._handled_now and not self._ended:
            self._handled_now = True
            self.handled()

    def handled(self) -> None:
        """The admitted event has been passed on."""
        if not self._ended:
            self._settling = asyncio.create_task(self._next())

    def end(self) -> None:
        """The program is ending: nothing more is handled."""
        self._ended = True
        self._waiting.clear()
        if self._settling is not None:
            self._settling.cancel()

    async def _next(self) -> None:
        for _ in range(_ATTEMPTS):
            try:
                async with asyncio.timeout(_PATIENCE):
                    await _settled(self._app)
                break
            except TimeoutError:
                continue
            except Exception:  # no screen any more, or a different Textual: keys must go on working
                break
        if not self._waiting or not self._app.is_running:
            self._handled_now = False
            return
        self._let_in = self._waiting.popleft()
        if not self._app.post_message(self._let_in):
            self._waiting.clear()


def _top(app: App[None]) -> Screen[Any] | None:
    return app.screen_stack[-1] if app.screen_stack else None


def _is_drawn(app: App[None]) -> bool:
    return bool(getattr(_top(app), "drawn", True))


async def _settled(app: App[None]) -> None:
    """Return when no widget has anything left to do and the top screen has been drawn."""
    turns = 0
    while True:
        screen = app.screen
        if _is_idle(app) and _is_idle(screen) and all(map(_is_idle, screen.walk_children())):
            if getattr(screen, "drawn", True):
                return
            turns = _TURNS
        turns += 1
        await asyncio.sleep(_PAUSE if turns > _TURNS else 0)


def _is_idle(pump: MessagePump) -> bool:
    """Whether it is waiting for its next message, and there is none."""
    if pump._closed:
        return True
    queue: Any = pump._message_queue
    # Only the event knows who waits for it. If it does not say, an empty queue must do.
    return queue.empty() and bool(getattr(queue.ready_event, "_waiters", True))


class EarlyKeys:
    """What was typed at a screen for what comes after it, in order."""

    def __init__(self) -> None:
        self._kept: list[events.Key] = []
        self._next: TypedAhead | None = None

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def are_handed_over(self) -> bool:
        """Whether the screen that they are for has come."""
        return self._next is not None

    def keep(self, key: events.Key) -> None:
        if self._next is not None:
            self._next.again([key])
        elif len(self._kept) < _MOST:
            self._kept.append(key)

    def forget(self) -> None:
        self._kept = []

    def type_again(self, typed_ahead: TypedAhead) -> None:
        """Handle them as if they were typed now."""
        keys, self._kept = self._kept, []
        typed_ahead.again(keys)

    def hand_over(self, typed_ahead: TypedAhead) -> None:
        """The screen that they are for is there. A key that was let in before may still come to the one before it."""
        self._next = typed_ahead
        self.type_again(typed_ahead)
