"""Which lines of a file hold the results of which response, and after which of them another result goes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from toolpair.formats.claude_code.record_kinds import message_id
from toolpair.formats.claude_code.working_lines import DraftLine, Place

_NONE: Final[dict[int, DraftLine]] = {}


class _Order:
    """The positions of some results by the rank of the call each answers. Updates and queries take logarithmic time."""

    __slots__ = ("_last", "first")

    def __init__(self, ranks: int) -> None:
        self.first: Place | None = None
        """The position of the first one."""
        self._last: list[DraftLine | None] = [None] * (ranks + 1)
        """A Fenwick tree: for each range of ranks, the line that comes last."""

    def add(self, line: DraftLine, rank: int) -> None:
        if self.first is None or line.place < self.first:
            self.first = line.place
        at = rank + 1
        while at < len(self._last):
            known = self._last[at]
            if known is None or line.place > known.place:
                self._last[at] = line
            at += at & -at

    def last_below(self, rank: int) -> DraftLine | None:
        """The last line among those with a lower rank."""
        found: DraftLine | None = None
        at = rank
        while at > 0:
            line = self._last[at]
            if line is not None and (found is None or line.place > found.place):
                found = line
            at -= at & -at
        return found


class Answers:
    """The lines with results, by the number of the response's message, and the response's lines in file order.

    Their order is cached until `forget`, which must be called when such lines are moved.
    """

    def __init__(self) -> None:
        self._lines: dict[int, dict[int, DraftLine]] = {}
        self._numbers: dict[int, set[int]] = {}
        self._orders: dict[int, _Order] = {}
        self._calls: dict[int, dict[str, tuple[list[Place], list[DraftLine]]]] = {}

    def of(self, number: int) -> Iterable[DraftLine]:
        """The lines in the order in which they were added."""
        return self._lines.get(number, _NONE).values()

    def has(self, number: int, line: DraftLine) -> bool:
        return line.uid in self._lines.get(number, _NONE)

    def add(self, number: int, line: DraftLine) -> None:
        if not self.has(number, line):
            self._lines.setdefault(number, {})[line.uid] = line
            self._numbers.setdefault(line.uid, set()).add(number)
            self._orders.pop(number, None)

    def add_ranked(self, number: int, line: DraftLine, rank: int) -> None:
        """As `add`, for a line that answers the call with this rank."""
        known = self._orders.get(number)
        new = not self.has(number, line)
        self.add(number, line)
        if known is not None and new:
            known.add(line, rank)
            self._orders[number] = known

    def remove(self, line: DraftLine) -> None:
        for number in self._numbers.pop(line.uid, ()):
            del self._lines[number][line.uid]
            self._orders.pop(number, None)

    def forget(self) -> None:
        self._orders.clear()
        self._calls.clear()

    def order(self, number: int, ranks: int, rank_of: Callable[[DraftLine], int], moved: DraftLine | None) -> _Order:
        """The results of a response, without `moved`, which is being moved."""
        known = self._orders.get(number)
        without = moved is not None and self.has(number, moved)
        if known is not None and not without:
            return known
        made = _Order(ranks)
        for line in self.of(number):
            if not line.gone and line is not moved:
                made.add(line, rank_of(line))
        if not without:
            self._orders[number] = made
        return made

    def last_call(
        self, number: int, group: Callable[[], Sequence[DraftLine]], own: str, before: Place | None
    ) -> DraftLine | None:
        """The last line of the response `own`, before the place `before` if given."""
        known = self._calls.get(number)
        if known is None:
            known = self._calls[number] = {}
            for line in sorted(group(), key=lambda line: line.place):
                id_ = message_id(line.value)
                if id_ is not None:
                    places, lines = known.setdefault(id_, ([], []))
                    places.append(line.place)
                    lines.append(line)
        places, lines = known.get(own, ([], []))
        at = len(places) if before is None else bisect_left(places, before)
        return next((lines[index] for index in range(at - 1, -1, -1) if not lines[index].gone), None)
