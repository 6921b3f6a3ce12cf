"""Keys that come before the screen they are meant for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual import events

    from toolpair.tui.typed_ahead import TypedAhead

MOST: Final = 20


class EarlyKeys:
    """What was typed at a screen for what comes after it, in order."""

    def __init__(self) -> None:
        self._kept: list[events.Key] = []
        self._next: TypedAhead | None = None

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep(self, key: events.Key) -> None:
        if self._next is not None:
            self._next.again([key])
        elif len(self._kept) < MOST:
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
