"""Keys, clicks and pastes, one at a time: each acts on what the screen shows when it is handled.

Textual hands a key from widget to widget through queues, and opens a screen beside them. A key that came with the one
before it would find a screen half made, or the state from before. So the next one waits until everything that
the last one has set going is done, and what it opened has been drawn.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final, TypeGuard

from textual import events
from textual.app import ScreenStackError
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

if TYPE_CHECKING:
    from toolpair.tui.app import ToolpairApp

_PATIENCE: Final = 5.0
"""Seconds after which the next one is handled whatever goes on: a screen must never hang."""
_ATTEMPTS: Final = 2
"""The time may have been over only because one key's work took all of it."""
_DRAWN: Final = 0.002
"""Seconds between two looks at whether a screen has been drawn."""
_CALM: Final = 2
"""So many looks in a row have to find nothing going on."""

Input = events.InputEvent | events.Paste


def is_input(event: Message) -> TypeGuard[Input]:
    """Whether a terminal sent it, and no widget has seen it yet."""
    return isinstance(event, (events.InputEvent, events.Paste)) and not event.is_forwarded


class TypedAhead:
    """What was typed and is not handled yet."""

    def __init__(self, app: ToolpairApp) -> None:
        self._app = app
        self._waiting: deque[Input] = deque()
        self._handled_now = False
        self._let_in: Input | None = None
        self._settling: asyncio.Task[None] | None = None
        self._ended = False
        self.came = 0.0
        """When what is handled now was typed, by the monotonic clock."""
        self.last = 0.0
        """When anything was typed."""

    def has_ended(self) -> bool:
        """Whether the program ends, and nothing is handled any more."""
        return self._ended

    @property
    def busy(self) -> bool:
        """Whether something is being handled, or waits for that."""
        return self._handled_now

    def admits(self, event: Input) -> bool:
        """Whether it is to be handled now; else it is handled when its turn comes. `handled` has to follow."""
        if self._ended:
            return False
        if event is self._let_in:
            self._let_in = None
        else:
            self.last = event.time
            if self._handled_now:
                self._wait(event)
                return False
        self._handled_now = True
        self.came = event.time
        return True

    def _wait(self, event: Input) -> None:
        if isinstance(event, events.MouseMove) and self._waiting and isinstance(self._waiting[-1], events.MouseMove):
            self._waiting[-1] = event  # only where the pointer is now matters
        else:
            self._waiting.append(event)

    def handled(self) -> None:
        """The one that was admitted has been handed to whom it is meant for."""
        if not self._ended:
            self._settling = asyncio.create_task(self._next())

    def end(self) -> None:
        """The program ends: nothing is handled any more."""
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
            except ScreenStackError:
                break
        if not self._waiting or not self._app.is_running:
            self._handled_now = False
            return
        self._let_in = self._waiting.popleft()
        if not self._app.post_message(self._let_in):
            self._waiting.clear()


async def _settled(app: ToolpairApp) -> None:
    """Return when no widget has anything left to do and the screen on top has been drawn."""
    calm = 0
    while calm < _CALM:
        screen = app.screen
        pumps = [pump for pump in _pumps(app, screen) if await _passed(pump)]
        await asyncio.sleep(0)
        if app.screen is not screen or any(pump.message_queue_size for pump in pumps):
            calm = 0
        elif not getattr(screen, "drawn", True):
            calm = 0
            await asyncio.sleep(_DRAWN)
        else:
            calm += 1


def _pumps(app: ToolpairApp, screen: Screen[object]) -> list[MessagePump]:
    """Those that a key goes through, in its order, and others that have something to do."""
    way: list[MessagePump] = list(screen.focused.ancestors_with_self) if screen.focused is not None else [screen, app]
    busy: list[MessagePump] = [
        widget for widget in screen.walk_children() if widget.message_queue_size and widget not in way
    ]
    return busy + way


async def _passed(pump: MessagePump) -> bool:
    """Return when the pump has done what it was given until now; False when it is closed."""
    passed = asyncio.Event()
    return pump.call_later(passed.set) and await passed.wait()
