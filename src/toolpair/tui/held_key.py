"""Tells an answer to what is on the screen from a key that was typed before that could be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolpair.tui.screens.base_screen import BaseScreen

HELD = 0.4
"""Seconds after a screen has been drawn in which no answer is taken."""
REPEATED = 0.15
"""Seconds: the same key again within them is a held one, which repeats every 0.03 s."""


class HeldKey:
    """For the keys of one screen that write, throw away or confirm something."""

    def __init__(self, screen: BaseScreen[Any]) -> None:
        self._screen = screen
        self._last: dict[str, float] = {}

    def fresh(self, key: str = "enter") -> bool:
        """Whether the key that is handled now was typed for what the screen shows, however long it has waited."""
        came = self._screen.tool.typed_ahead.came
        last = self._last.get(key)
        self._last[key] = came
        held = last is not None and came - last < min(HELD, REPEATED)
        return came - self._screen.seen_since >= HELD and not held
