"""Reading rows that are likely to be shown next, while no key is pressed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.timer import Timer

_REST: Final = 0.03
"""Seconds without a key before it starts."""
_PAUSE: Final = 0.005
_SHARE: Final = 0.004
"""Seconds per run: a key pressed meanwhile waits no longer than for one more row."""


class LookingAhead:
    """In a long history, reading a row loads its window; after that it is cached for the next read."""

    def __init__(self, later: Callable[[float, Callable[[], None]], Timer]) -> None:
        self._later = later
        self._timer: Timer | None = None
        self._left: Iterator[int] = iter(())
        self._rows: Sequence[object] = ()

    def soon(self, rows: Sequence[object], numbers: Callable[[], Iterator[int]]) -> None:
        """Read these rows when no keys are pressed, instead of those requested before."""
        self._stop()
        self._rows = rows

        def begin() -> None:
            self._left = numbers()
            self._go_on()

        self._timer = self._later(_REST, begin)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _go_on(self) -> None:
        self._timer = None
        until = time.perf_counter() + _SHARE
        for number in self._left:
            if 0 <= number < len(self._rows):
                self._rows[number]
            if time.perf_counter() > until:
                self._timer = self._later(_PAUSE, self._go_on)
                return
