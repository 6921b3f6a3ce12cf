"""Work done a little at a time while no key is pressed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from textual.timer import Timer

_REST: Final = 0.03
"""Seconds without a key before it starts."""
_PAUSE: Final = 0.005
_SHARE: Final = 0.004
"""Seconds per run: a key pressed meanwhile waits no longer than for one more step."""


class Idle:
    """Takes the steps of one piece of work."""

    def __init__(self, later: Callable[[float, Callable[[], None]], Timer]) -> None:
        self._later = later
        self._timer: Timer | None = None
        self._steps: Iterator[object] = iter(())

    def begin(self, steps: Iterable[object]) -> None:
        """Take these steps instead of any earlier ones."""
        if self._timer is not None:
            self._timer.stop()
        self._steps = iter(steps)
        self._timer = self._later(_REST, self._go_on)

    def _go_on(self) -> None:
        self._timer = None
        until = time.perf_counter() + _SHARE
        for _ in self._steps:
            if time.perf_counter() > until:
                self._timer = self._later(_PAUSE, self._go_on)
                return
