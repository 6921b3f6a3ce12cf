"""The heights of very many rows, measured only where they are looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Final

RUN: Final = 16
"""Rows are measured in runs of this length."""


class RowHeights:
    """Rows not measured yet count as one line each, so lines below may move when they are measured."""

    def __init__(self, count: int, height: Callable[[int], int]) -> None:
        """`height` returns the lines of the row at a position, at least one."""
        self._count = count
        self._height = height
        whole, rest = divmod(count, RUN)
        self._lines: list[int] = [RUN] * whole + [rest] * (rest > 0)
        self._tops: list[int] = [*range(0, count, RUN), count]
        self._inner: dict[int, list[int]] = {}
        """For each measured run: where its rows begin in it, and where it ends."""

    def __len__(self) -> int:
        return self._count

    @property
    def total(self) -> int:
        """Total lines, as far as known."""
        return self._tops[-1]

    def measure(self, first: int, last: int) -> None:
        """Measure the rows at these positions, and the rest of their runs."""
        first, last = max(0, first), min(last, self._count - 1)
        changed = False
        for run in range(first // RUN, last // RUN + 1) if first <= last else ():
            if run not in self._inner:
                begin = run * RUN
                heights = map(self._height, range(begin, min(begin + RUN, self._count)))
                self._inner[run] = inner = list(accumulate(heights, initial=0))
                changed = changed or inner[-1] != self._lines[run]
                self._lines[run] = inner[-1]
        if changed:
            self._tops = list(accumulate(self._lines, initial=0))

    def top(self, position: int) -> int:
        """The line where the row at `position` begins."""
        self.measure(position, position)
        run, rest = divmod(position, RUN)
        return self._tops[run] + self._inner[run][rest]

    def height(self, position: int) -> int:
        """The number of lines of the row."""
        self.measure(position, position)
        run, rest = divmod(position, RUN)
        return self._inner[run][rest + 1] - self._inner[run][rest]

    def at(self, line: int) -> int:
        """The position of the row drawn at `line`; the last one for a line past the end."""
        line = max(0, min(line, self.total - 1))
        run = bisect_right(self._tops, line) - 1
        while run not in self._inner:
            self.measure(run * RUN, run * RUN)
            line = min(line, self.total - 1)
            run = bisect_right(self._tops, line) - 1
        return run * RUN + bisect_right(self._inner[run], line - self._tops[run]) - 1
