"""Long work in a thread that gives way to keys, and ends when nobody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from toolpair.tui.aside import Aside
from toolpair.tui.searching import TURN
from toolpair.tui.work import Stopped

_REST: Final = 0.02
"""Seconds to wait if a key has just been pressed."""
_KEYS: Final = 0.08
"""Seconds during which a key counts as just pressed."""
REPORT_EVERY: Final = 0.2
"""Seconds between two reports."""


class GivingWay:
    """Called by the work between two pieces of it."""

    def __init__(self, aside: Aside, last_key: Callable[[], float]) -> None:
        """`last_key` returns the time of the last key press by the monotonic clock."""
        self._aside = aside
        self._last_key = last_key
        self._turn = self._reported = time.monotonic()

    def __call__(self) -> bool:
        """Whether it is time for a report. Raises Stopped."""
        if self._aside.stopped:
            raise Stopped
        now = time.monotonic()
        if now - self._turn > TURN:
            time.sleep(_REST if now - self._last_key() < _KEYS else 0)
            self._turn = time.monotonic()
        if now - self._reported < REPORT_EVERY:
            return False
        self._reported = now
        return True
