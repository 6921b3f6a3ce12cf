"""Which lines hold the results of which response, and after which of them a new result goes."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from toolpair.formats.claude_code.working import Working, field_of, kind_of
from toolpair.transcript.draft import DraftBlock, DraftMessage

_NONE: Final[Mapping[int, DraftMessage]] = {}


class Order:
    """Results by the rank of the call that each answers. Updates and queries take logarithmic time."""

    __slots__ = ("_firsts", "_lasts", "_lines", "_place", "_ranks", "_size")

    def __init__(self, ranks: int, place: Callable[[DraftMessage], int]) -> None:
        self._place = place
        self._size = ranks
        self._firsts: list[DraftMessage | None] = [None] * (2 * ranks)
        """A segment tree: of each range of ranks the line that comes first, and likewise the last."""
        self._lasts = list(self._firsts)
        self._lines: dict[int, list[DraftMessage]] = {}
        self._ranks: dict[int, int] = {}

    @property
    def first(self) -> DraftMessage | None:
        return self._firsts[1]

    def add(self, line: DraftMessage, rank: int) -> None:
        self._ranks[line.uid] = rank
        insort(self._lines.setdefault(rank, []), line, key=self._place)
        self._update(rank)

    def remove(self, line: DraftMessage) -> None:
        """Remove a line, before it is moved."""
        rank = self._ranks.pop(line.uid, None)
        if rank is not None:
            lines = self._lines[rank]
            del lines[bisect_left(lines, self._place(line), key=self._place)]
            self._update(rank)

    def _update(self, rank: int) -> None:
        at = rank + self._size
        firsts, lasts = self._lines[rank][:1], self._lines[rank][-1:]
        while at:
            self._firsts[at] = min(firsts, key=self._place, default=None)
            self._lasts[at] = max(lasts, key=self._place, default=None)
            at //= 2
            firsts = [line for line in self._firsts[2 * at : 2 * at + 2] if line is not None]
            lasts = [line for line in self._lasts[2 * at : 2 * at + 2] if line is not None]

    def last_below(self, rank: int) -> DraftMessage | None:
        """The last line among those with a lower rank."""
        found = []
        low, high = self._size, self._size + rank
        while low < high:
            if low % 2:
                found.append(self._lasts[low])
                low += 1
            if high % 2:
                high -= 1
                found.append(self._lasts[high])
            low, high = low // 2, high // 2
        return max((line for line in found if line is not None), key=self._place, default=None)


class Answers:
    """The lines with results of each response, by the number of its message, and the order of these lines in the file.

    The order is cached until `forget`, which must be called when such lines are moved.
    """

    def __init__(self, work: Working) -> None:
        self._work = work
        self._call_numbers: dict[int, dict[Any, int]] = {}
        self._lines: dict[int, dict[int, DraftMessage]] = {}
        self._numbers: dict[int, set[int]] = {}
        self._orders: dict[int, Order] = {}
        self._calls: dict[int, dict[str, list[DraftMessage]]] = {}

    def of(self, number: int) -> Iterable[DraftMessage]:
        """The lines in the order in which they were added."""
        return self._lines.get(number, _NONE).values()

    def has(self, number: int, line: DraftMessage) -> bool:
        return line.uid in self._lines.get(number, _NONE)

    def add(self, number: int, line: DraftMessage) -> None:
        if not self.has(number, line):
            self._lines.setdefault(number, {})[line.uid] = line
            self._numbers.setdefault(line.uid, set()).add(number)
            if number in self._orders:
                self._orders[number].add(line, self._rank(number, line))

    def remove(self, line: DraftMessage) -> None:
        for number in self._numbers.pop(line.uid, ()):
            del self._lines[number][line.uid]
            if number in self._orders:
                self._orders[number].remove(line)

    def forget(self) -> None:
        self._orders.clear()
        self._calls.clear()

    def order(self, number: int) -> Order:
        """The results of a response."""
        if number not in self._orders:
            ranks = len(self._work.transcript.messages[number].blocks) + 1
            made = self._orders[number] = Order(ranks, self._work.place)
            for line in filter(self._work.is_there, self.of(number)):
                made.add(line, self._rank(number, line))
        return self._orders[number]

    def call_numbers(self, number: int) -> dict[Any, int]:
        """The id of each call, as it is now -> which of the response's calls it is."""
        if number not in self._call_numbers:
            found: dict[Any, int] = {}
            for index, block in enumerate(self._work.transcript.messages[number].calls):
                call = self._work.draft.block(block)
                if self._work.is_left(call) and isinstance(id_ := id_of_call(call), str):
                    found.setdefault(id_, index)
            self._call_numbers[number] = found
        return self._call_numbers[number]

    def _rank(self, number: int, line: DraftMessage) -> int:
        """Which of a response's calls the line answers first; after them all where it answers none."""
        numbers = self.call_numbers(number)
        found = [
            numbers.get(value.get("tool_use_id"), len(numbers))
            for value in self._work.values(line)
            if kind_of(value) == "tool_result" and isinstance(value.get("tool_use_id"), str)
        ]
        return min(found, default=len(numbers))

    def last_call(
        self, number: int, group: Callable[[], Sequence[DraftMessage]], own: str, before: DraftMessage | None
    ) -> DraftMessage | None:
        """The last line of the response `own`, of those before the other line if given."""
        work = self._work
        known = self._calls.get(number)
        if known is None:
            known = self._calls[number] = {}
            for line in work.draft.in_order(group()):
                id_ = work.message_id(line)
                if id_ is not None:
                    known.setdefault(id_, []).append(line)
        lines = known.get(own, [])
        at = len(lines) if before is None else bisect_left(lines, work.place(before), key=work.place)
        return next((lines[index] for index in range(at - 1, -1, -1) if work.is_there(lines[index])), None)


def id_of_call(call: DraftBlock) -> Any:
    return field_of(call.value, "id")
