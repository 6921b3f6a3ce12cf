"""Keys, clicks and pastes, one at a time: each acts on what the screen shows when it is handled.

Textual hands a key from widget to widget through queues, and opens a screen beside them. A key that came with the one
before it would find a screen half made, or the state from before. So the next one waits until everything that
the last one has set going is done, and what it opened has been drawn.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from toolpair.tui.app import ToolpairApp

_PATIENCE: Final = 5.0
"""Seconds after which the next one is handled whatever goes on: a screen must never hang."""
_ATTEMPTS: Final = 2
"""The time may have been over only because one key's work took all of it."""
_TURNS: Final = 100
"""So many turns of the event loop most keys are done in; who takes longer is looked at now and then."""
_PAUSE: Final = 0.002
"""Seconds between two such looks."""

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
            except Exception:  # there is no screen any more, or Textual is built otherwise: keys go on all the same
                break
        if not self._waiting or not self._app.is_running:
            self._handled_now = False
            return
        self._let_in = self._waiting.popleft()
        if not self._app.post_message(self._let_in):
            self._waiting.clear()


async def _settled(app: ToolpairApp) -> None:
    """Return when no widget has anything left to do and the screen on top has been drawn."""
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
    """Whether it waits for its next message, and there is none."""
    if pump._closed:
        return True
    queue: Any = pump._message_queue
    # Who waits for an event is known to the event alone. Where it did not tell, an empty queue would have to do.
    return queue.empty() and bool(getattr(queue.ready_event, "_waiters", True))
