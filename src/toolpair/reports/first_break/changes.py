"""What changed between a request and the one that it continues, as far as it concerns a broken pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.dialects.pair_ids import pair_ids, without_pair_ids
from toolpair.history.aligning import aligned
from toolpair.reports.first_break.fingerprint import hashes_of, leading_system, message_hash
from toolpair.rules.problem import Problem
from toolpair.transcript.counting import plural

ChangeKind = Literal[
    "first", "appended", "trimmed", "compacted", "removed", "id rewritten", "inserted", "moved", "edited", "repeated"
]
TITLES: Final[dict[ChangeKind, str]] = {
    "first": "nothing earlier in this log",
    "appended": "appended like this",
    "trimmed": "trimmed in front",
    "compacted": "compacted",
    "removed": "removed",
    "id rewritten": "id rewritten",
    "inserted": "inserted between",
    "moved": "moved",
    "edited": "edited",
    "repeated": "the same messages",
}


class Renamed(Struct, frozen=True):
    """An id that is another one in the later request."""

    side: Literal["call", "result"]
    before: str
    after: str


class Change(Struct, frozen=True):
    """How the later request came to be what it is, for one broken pair."""

    kind: ChangeKind
    text: str
    """One sentence."""
    renamed: Renamed | None = None


class Diff:
    """The messages of two requests side by side. Numbers are those of the bodies, from 0."""

    def __init__(self, before: Sequence[Any], after: Sequence[Any], name: str, key: str = "messages") -> None:
        """`name` is what sentences call the earlier request, "request 304"; `key` is what bodies call the list."""
        self._name: Final = name
        self._key: Final = key
        self._before: Final = before
        self._after: Final = after
        hashes = hashes_of(before), hashes_of(after)
        matches = aligned(*hashes)
        self._to: Final = {new: old for old, new in matches}
        self._from: Final = dict(matches)
        self._elsewhere: Final = _out_of_order(hashes, self._to, self._from)
        """For messages that moved: where they stand now -> where they stood."""
        self._gone: Final = _runs(old for old in range(len(before)) if old not in self._from)
        self._added: Final = [new for new in range(len(after)) if new not in self._to]
        self._is_added: Final = frozenset(self._added)
        self._renamed: Final = self._rewritten()
        self._places: Final = _places(before)

    @property
    def kept(self) -> int:
        """How many messages both have in the same order."""
        return len(self._to)

    @property
    def gone(self) -> int:
        return len(self._before) - len(self._to)

    @property
    def added(self) -> int:
        return len(self._after) - len(self._to)

    def about(self, problem: Problem) -> Change:
        """What of this explains the problem."""
        if not self.gone and not self.added:
            return Change("repeated", f"{self._name} sent the same messages.")
        call = problem.call.record if problem.call is not None else None
        result = problem.result.record if problem.result is not None else None
        ids = [block.id if block is not None else None for block in (problem.call, problem.result)]
        for side, id_, other in (("call", ids[0], ids[1]), ("result", ids[1], ids[0])):
            if isinstance(id_, str) and (old := self._old_id(id_, other)) is not None:
                renamed = Renamed("call" if side == "call" else "result", old, id_)
                what = "another id" if old != other else "the call's id" if side == "result" else "the result's id"
                return Change("id rewritten", f"the {side} had {what} in {self._name}.", renamed)
        if call is not None and result is not None and call != result:
            return self._between(min(call, result), max(call, result))
        places = [place for id_ in ids if isinstance(id_, str) for place in self._places.get(id_, ())]
        lost = [place for place in places if place not in self._from]
        if lost and (call is None or result is None):
            return self._lost(lost[-1] if call is not None else lost[0], "call" if call is None else "result")
        return self._at(next((at for at in (call, result, problem.message) if at is not None), None))

    def _old_id(self, id_: str, other: Any) -> str | None:
        """The id that a call or result had before, where it is another now."""
        old = self._renamed.get(id_)
        if old is None or id_ in self._places:
            return None
        return old if other is None or isinstance(other, str) else None

    def _rewritten(self) -> dict[str, str]:
        """New id -> old id, of messages that differ in nothing else."""
        if not self._added or not self._gone:
            return {}
        waiting: dict[int, list[int]] = {}
        for first, end in reversed(self._gone):
            for old in range(end - 1, first - 1, -1):
                if next(pair_ids(self._before[old]), None) is not None:
                    waiting.setdefault(message_hash(without_pair_ids(self._before[old])), []).append(old)
        found: dict[str, str] = {}
        for new in self._added:
            ids = list(pair_ids(self._after[new]))
            alike = waiting.get(message_hash(without_pair_ids(self._after[new]))) if ids else None
            if alike:
                old_ids = list(pair_ids(self._before[alike.pop()]))
                if len(old_ids) == len(ids):
                    found |= {id_: old for id_, old in zip(ids, old_ids, strict=True) if id_ != old}
        return found

    def _between(self, first: int, last: int) -> Change:
        """Both halves are there, and too far from each other, or in the wrong order."""
        if first in self._elsewhere or last in self._elsewhere:
            new = first if first in self._elsewhere else last
            return self._moved(self._elsewhere[new], new)
        if first in self._to and last in self._to:
            inside = [new for new in self._added if first < new < last]
            if inside:
                return Change("inserted", f"{self._range(inside)} {_is(inside)} new, between the call and its result.")
        return self._at(last)

    def _lost(self, place: int, half: str | None = None) -> Change:
        """The other half is gone: it stood at `place`."""
        first, end = next(run for run in self._gone if run[0] <= place < run[1])
        if self._elsewhere and place in self._elsewhere.values():
            new = next(new for new, old in self._elsewhere.items() if old == place)
            return self._moved(place, new)
        after = self._after_of(first)
        added = list(takewhile(self._is_added.__contains__, range(after, len(self._after))))
        if end == len(self._before) and added and _role(self._before[first]) != _role(self._after[after]):
            added = []  # what follows came after it
        if half is not None and (rest := self._what_is_left_of(place, added)) is not None:
            of = f"{self._range([place])} of {self._name} is {self._range([rest])} now"
            return Change("edited", f"{of}, and no longer holds the {half}.")
        what = f"{self._range(range(first, end))} of {self._name}"
        verb = "is" if end - first == 1 else "are"
        if added:
            by = f"{plural(len(added), 'new message')} ({self._range(added)})"
            if end - first == len(added) == 1:
                return Change("edited", f"{what} {verb} another message now: {self._range(added)}.")
            return Change("compacted", f"{what} {verb} replaced by {by}.")
        if first <= leading_system(self._before):
            return Change("trimmed", f"{what} {verb} left out at the beginning.")
        return Change("removed", f"{what} {verb} left out.")

    def _moved(self, old: int, new: int) -> Change:
        return Change("moved", f"{self._range([old])} of {self._name} is {self._range([new])} now.")

    def _what_is_left_of(self, place: int, added: Sequence[int]) -> int | None:
        """The new message that holds other calls or results of an old one."""
        ids = set(pair_ids(self._before[place]))
        return next((new for new in added if not ids.isdisjoint(pair_ids(self._after[new]))), None)

    def _after_of(self, old: int) -> int:
        """The place in the later request after what stood before `old`."""
        while old > 0:
            old -= 1
            if old in self._from:
                return self._from[old] + 1
        return 0

    def _at(self, new: int | None) -> Change:
        """Nothing of the pair itself changed: what did around it."""
        if not self._gone:
            before_last = [one for one in self._added if one < max(self._to, default=-1)]
            if not before_last:
                return Change("appended", self._tail())
            if new is None or new < max(self._to, default=-1):
                what = f"{self._range(before_last)} {_is(before_last)} new"
                return Change("inserted", f"{what}, before messages that were there.")
            return Change("appended", self._tail())
        if new is not None and new in self._elsewhere:
            return self._moved(self._elsewhere[new], new)
        first, _ = self._gone[0]
        if new is not None and new in self._added and new > max(self._to, default=-1) and self._to:
            gone = sum(end - first for first, end in self._gone)
            others = f"{plural(gone, 'other message')} of it {'is' if gone == 1 else 'are'} gone."
            return Change("appended", f"{self._tail()} {others}")
        return self._lost(first)

    def _tail(self) -> str:
        last = max(self._to, default=-1)
        tail = [new for new in self._added if new > last]
        return f"{self._range(tail)} {_is(tail)} new, after the {plural(self.kept, 'message')} of {self._name}."

    def _range(self, numbers: Sequence[int]) -> str:
        """ "messages.3", "messages.3 to 5" """
        if not numbers:
            return "no message"
        first, last = numbers[0], numbers[-1]
        return f"{self._key}.{first}" if first == last else f"{self._key}.{first} to {last}"


def _out_of_order(
    hashes: tuple[Sequence[int], Sequence[int]], to: dict[int, int], gone_to: dict[int, int]
) -> dict[int, int]:
    """Messages that both have, out of order: new place -> old place."""
    waiting: dict[int, list[int]] = {}
    for old in range(len(hashes[0]) - 1, -1, -1):
        if old not in gone_to:
            waiting.setdefault(hashes[0][old], []).append(old)
    found: dict[int, int] = {}
    for new, one in enumerate(hashes[1]):
        if new not in to and waiting.get(one):
            found[new] = waiting[one].pop()
    return found


def _runs(numbers: Iterator[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges (first, end)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        first = runs.pop()[0] if runs and runs[-1][1] == number else number
        runs.append((first, number + 1))
    return runs


def _places(messages: Sequence[Any]) -> dict[str, list[int]]:
    """Id -> the messages that have it."""
    places: dict[str, list[int]] = {}
    for number, message in enumerate(messages):
        for id_ in pair_ids(message):
            places.setdefault(id_, []).append(number)
    return places


def _role(message: Any) -> Any:
    return message.get("role", message.get("type")) if isinstance(message, dict) else None


def _is(numbers: Sequence[int]) -> str:
    return "is" if len(numbers) == 1 else "are"
