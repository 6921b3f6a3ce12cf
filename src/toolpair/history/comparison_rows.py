"""A comparison as rows: what is the same folded to one, a row for each other step, a line where the histories part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from itertools import accumulate
from typing import Final

from msgspec import Struct

from toolpair.history.comparison_text import across_text
from toolpair.history.steps import Step
from toolpair.history.two_histories import Comparison, Part


class ComparisonRow(Struct, frozen=True):
    """One row. With neither step it stands for all of its part."""

    part: int
    a: Step | None = None
    b: Step | None = None
    across: str | None = None
    """The line where the histories part, or one of them ends."""


class ComparisonRows:
    """The rows, each made when it is asked for. `unfolded` are parts that are the same and shown step by step."""

    def __init__(self, comparison: Comparison, unfolded: Collection[int] = ()) -> None:
        self.comparison: Final = comparison
        self.unfolded: Final = frozenset(unfolded)
        parts = comparison.parts
        self._across = {
            place: line
            for place in range(len(parts))
            if parts[place].kind != "same" and (line := across_text(comparison, place)) is not None
        }
        sizes = (
            (1 if part.kind == "same" and place not in self.unfolded else part.size) + (place in self._across)
            for place, part in enumerate(parts)
        )
        self._ends = list(accumulate(sizes))
        self._starts = self._differences()

    def _differences(self) -> list[int]:
        """The first row of each difference; what only one has, and then what only the other has, is one."""
        starts: list[int] = []
        before: Part | None = None
        for place, part in enumerate(self.comparison.parts):
            second = part.kind == "only b" and before is not None and before.kind == "only a"
            if part.kind != "same" and (not second or place in self._across):
                starts.append(self.row_of(place))
            before = part
        return starts

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def differences(self) -> int:
        return len(self._starts)

    def __getitem__(self, row: int) -> ComparisonRow:
        place = bisect_right(self._ends, row)
        comparison = self.comparison
        part = comparison.parts[place]
        if part.kind == "same" and place not in self.unfolded:
            return ComparisonRow(place)
        within = row - self.row_of(place)
        if place in self._across:
            if not within:
                return ComparisonRow(place, across=self._across[place])
            within -= 1
        a = comparison.a.steps[part.a[0] + within] if part.kind != "only b" else None
        b = comparison.b.steps[part.b[0] + within] if part.kind != "only a" else None
        return ComparisonRow(place, a, b)

    def row_of(self, place: int) -> int:
        """The first row of a part."""
        return self._ends[place - 1] if place else 0

    def next(self, row: int, by: int) -> int | None:
        """The first row of the next or previous difference."""
        place = bisect_right(self._starts, row) if by > 0 else bisect_right(self._starts, row - 1) - 1
        return self._starts[place] if 0 <= place < len(self._starts) else None

    def number(self, row: int) -> int:
        """The number, from 1, of the difference that a row belongs to; 0 before the first."""
        return bisect_right(self._starts, row)
