"""A comparison as rows: what is the same folded to one, a row for each other step, a line where the histories part."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.history.comparison_text import DIFFER, across_text, same_text
from toolpair.history.steps import DiffStep
from toolpair.history.two_histories import Aspect, Comparison, Part, PartKind
from toolpair.source.changes import Change, Kind

if TYPE_CHECKING:
    from toolpair.source.record import Record


class ComparisonRow(Struct, frozen=True, eq=False):
    """One row. With neither step it is a line of words."""

    part: int
    kind: PartKind
    differs: tuple[Aspect, ...] = ()
    """In what the two steps differ."""
    a: DiffStep | None = None
    b: DiffStep | None = None
    across: str | None = None
    """The line where the histories part, or one of them ends."""
    folded: str | None = None
    """How much is the same: the row stands for all of its part."""

    @property
    def steps(self) -> list[DiffStep]:
        return [step for step in (self.a, self.b) if step is not None]

    def texts_that_differ(self) -> Iterator[tuple[str, str, str]]:
        """What two steps say where they differ, and what that is."""
        a, b = self.a, self.b
        if a is None or b is None:
            return
        if "text" in self.differs:
            yield DIFFER["text"], a.text or "", b.text or ""
        if "call" in self.differs:
            yield DIFFER["call"], a.call or "", b.call or ""
        if "result" in self.differs:
            yield DIFFER["result"], "\n".join(a.results), "\n".join(b.results)

    def changes(self) -> list[Change]:
        """The records behind the steps, as changes from A to B."""
        out: list[Change] = []
        for before, after in zip_longest(_records(self.a), _records(self.b)):
            kind: Kind = "changed" if before is not None and after is not None else "removed" if before else "added"
            old, new = (None if each is None else each.body for each in (before, after))
            if old != new:
                place = before if before is not None else after
                out.append(Change(kind, None, place.line if place is not None else None, old, new))
        return out


def _records(step: DiffStep | None) -> list[Record]:
    """The records that a step is written in; none of what stands in another session's file."""
    if step is None or step.inherited:
        return []
    uids = dict.fromkeys(block.record for block in step.blocks)
    return [step.history.conversation.document.record(uid) for uid in uids]


class Differences:
    """Going from difference to difference, where the first rows of all are known."""

    def __init__(self, starts: Sequence[int]) -> None:
        self._starts = starts

    @property
    def differences(self) -> int:
        return len(self._starts)

    def next(self, row: int, by: int) -> int | None:
        """The first row of the next or previous difference."""
        place = bisect_right(self._starts, row) if by > 0 else bisect_left(self._starts, row) - 1
        return self._starts[place] if 0 <= place < len(self._starts) else None

    def number(self, row: int) -> int:
        """The number, from 1, of the difference that a row belongs to; 0 before the first."""
        return bisect_right(self._starts, row)


class ComparisonRows(Differences):
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
            (1 if self._is_folded(place) else part.size) + (place in self._across) for place, part in enumerate(parts)
        )
        self._ends = list(accumulate(sizes))
        super().__init__(self._first_rows())

    def _first_rows(self) -> list[int]:
        """The first row of each difference; what only one has, and then what only the other has, is one."""
        starts: list[int] = []
        before: Part | None = None
        for place, part in enumerate(self.comparison.parts):
            second = part.kind == "only b" and before is not None and before.kind == "only a"
            if part.kind != "same" and (not second or place in self._across):
                starts.append(self.row_of(place))
            before = part
        return starts

    def _is_folded(self, place: int) -> bool:
        return self.comparison.parts[place].kind == "same" and place not in self.unfolded

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, row: int) -> ComparisonRow:
        place = bisect_right(self._ends, row)
        found, part = self.comparison, self.comparison.parts[place]
        if self._is_folded(place):
            return ComparisonRow(place, part.kind, folded=same_text(part))
        within = row - self.row_of(place)
        if place in self._across:
            if not within:
                return ComparisonRow(place, part.kind, across=self._across[place])
            within -= 1
        a = found.a.at(part.a[0] + within) if part.kind != "only b" else None
        b = found.b.at(part.b[0] + within) if part.kind != "only a" else None
        return ComparisonRow(place, part.kind, part.aspects, a, b)

    def of(self, place: int, most: int | None = None) -> Iterator[ComparisonRow]:
        """The rows of a part, the first `most` of them."""
        first, end = self.row_of(place), self._ends[place]
        return map(self.__getitem__, range(first, end if most is None else min(end, first + most)))

    def row_of(self, place: int) -> int:
        """The first row of a part."""
        return self._ends[place - 1] if place else 0
