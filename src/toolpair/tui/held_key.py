"""Distinguishes an answer to the current screen from a key pressed before the screen could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpair.tui.screens.base_screen import BaseScreen

HELD = 0.4
"""Seconds after a screen has been drawn during which no answer is accepted."""
REPEATED = 0.15
"""Seconds: the same key within this time is being held; it repeats every 0.03 s."""


class HeldKey:
    """For the keys of a screen that write, discard or confirm something."""

    def __init__(self, screen: BaseScreen[Any]) -> None:
        self._screen = screen
        self._last: dict[str, float] = {}

    def fresh(self, key: str = "enter") -> bool:
        """Whether the current key was pressed for what the screen shows, however long it waited in the queue."""
        came = self._screen.tool.typed_ahead.came
        last = self._last.get(key)
        self._last[key] = came
        held = last is not None and came - last < min(HELD, REPEATED)
        return came - self._screen.seen_since >= HELD and not held
