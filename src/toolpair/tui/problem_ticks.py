"""Where in the list the problems are, found row by row while no key is pressed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toolpair.tui.overview import Overview, problem_style

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Problem

_REST: Final = 0.05
"""Seconds without a change before it starts."""
_PAUSE: Final = 0.01
_SHARE: Final = 0.003
"""Seconds per run: a key pressed meanwhile waits no longer than that."""


_EXACT: Final = 1000
"""Rows of a list in which each row has a place of its own in the scroll bar. In a longer one a cell stands for many,
and reading a row reads its window.
"""


class ProblemTicks:
    """One pass over the problems after each change of them."""

    def __init__(self, later: Callable[[float, Callable[[], None]], Timer], found: Callable[[], None]) -> None:
        """`found` is called when there are more of them."""
        self._later = later
        self._found = found
        self._timer: Timer | None = None
        self._left: Iterator[Problem] = iter(())
        self._walk: Sequence[Problem] | None = None
        self.rows: list[tuple[int, str, Problem]] = []
        """The rows with problems, the worst problems first: row, style, problem."""

    def follow(self, overview: Overview) -> None:
        """Begin again if the problems have changed."""
        if overview.walk is self._walk:
            return
        self._walk = overview.walk
        self._left = iter(sorted(overview.walk, key=lambda problem: _ORDER[problem_style(problem)]))
        fresh: list[tuple[int, str, Problem]] = []
        self._stop()
        self._timer = self._later(_REST, lambda: self._go_on(overview, fresh))

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _go_on(self, overview: Overview, fresh: list[tuple[int, str, Problem]]) -> None:
        self._timer = None
        until = time.perf_counter() + _SHARE
        row_of = overview.row_of if len(overview.rows) <= _EXACT else overview.row_near
        for problem in self._left:
            fresh.append((row_of(problem), problem_style(problem), problem))
            if time.perf_counter() > until:
                self._timer = self._later(_PAUSE, lambda: self._go_on(overview, fresh))
                return
        # All at once: the ticks of a half-finished pass would jump.
        self.rows = fresh
        self._found()


_ORDER: Final = {"error": 0, "warning": 1, "dim": 2}
