"""Two histories compared by what they say: where they part, which steps differ and in what, what only one has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.aligning import Match, aligned
from toolpair.history.steps import History, Step

PartKind = Literal["same", "differs", "only a", "only b"]
Aspect = Literal["id", "call", "result", "place", "text"]
_FEW: Final = 3
"""Where fewer than one step in so many is in both, two histories have parted: what they share is chance."""


class Tally(Struct, frozen=True):
    """How many pairs, and how many other steps."""

    pairs: int = 0
    others: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.pairs + other.pairs, self.others + other.others)

    def __bool__(self) -> bool:
        return bool(self.pairs or self.others)


class Part(Struct, frozen=True):
    """Steps `a` of the one and `b` of the other, half-open: as many that are the same, one each that differ, or
    steps that only one has.
    """

    kind: PartKind
    a: tuple[int, int]
    b: tuple[int, int]
    aspects: tuple[Aspect, ...] = ()
    """In what the two differ."""
    pairs: int = 0
    """How many of the steps are pairs."""

    @property
    def size(self) -> int:
        """How many steps there are on the side that has more."""
        return max(self.a[1] - self.a[0], self.b[1] - self.b[0])

    @property
    def tally(self) -> Tally:
        return Tally(self.pairs, self.size - self.pairs)


class Parting(Struct, frozen=True):
    """Where two histories part: from these steps on they have nothing in common but by chance."""

    a: int
    b: int
    part: int
    """The first part after it."""
    pairs_a: int
    pairs_b: int
    """With how many pairs each goes on."""
    steps_a: int
    steps_b: int


class Comparison(Struct, frozen=True, eq=False, dict=True):
    """Two histories side by side, as a row of parts."""

    a: History
    b: History
    parts: tuple[Part, ...]
    parting: Parting | None = None

    @property
    def same(self) -> bool:
        return all(part.kind == "same" for part in self.parts)

    @cached_property
    def tallies(self) -> dict[PartKind, Tally]:
        kinds: tuple[PartKind, ...] = ("same", "differs", "only a", "only b")
        return {kind: sum((part.tally for part in self.parts if part.kind == kind), Tally()) for kind in kinds}


def compared(a: History, b: History, ignore_ids: bool = False, rest: Callable[[], object] = lambda: None) -> Comparison:
    """Lay two histories side by side. `ignore_ids`: pairs that differ only in their ids are the same.

    `rest` is called now and then; it may raise to end it.
    """
    matches = aligned([step.content for step in a.steps], [step.content for step in b.steps], rest)
    matches = _within(a, b, matches, lambda step: step.deed if step.kind == "pair" else None, rest)
    ids, others = (Counter(step.id for step in side.steps if step.kind == "pair") for side in (a, b))
    matches = _within(
        a, b, matches, lambda s: (s.name, s.id) if s.kind == "pair" and ids[s.id] == others[s.id] == 1 else None, rest
    )
    parting = _parting(a, b, matches)
    if parting is not None:
        matches = [(i, j) for i, j in matches if i < parting[0] and j < parting[1]]
    # What stands between two steps that are in both, and is of one kind, is one step that was changed.
    matches = _within(a, b, matches, lambda step: (step.kind, step.name), rest, inner=True)
    rest()
    made = Comparison(a, b, tuple(_parts(a, b, matches, ignore_ids)))
    return made if parting is None else replace(made, parting=_described(made, *parting))


def _within(
    a: History,
    b: History,
    matches: Sequence[Match],
    key: Callable[[Step], Hashable | None],
    rest: Callable[[], object],
    inner: bool = False,
) -> list[Match]:
    """More matches, by another key, between those that there are. `inner`: only between two of them."""
    found: list[Match] = []
    i, j = -1, -1
    for end, last in [*matches, (len(a.steps), len(b.steps))]:
        at_end = end == len(a.steps) and last == len(b.steps)
        if end - i > 1 or not end & 0xFF:
            rest()
        if end - i > 1 and last - j > 1 and not (inner and at_end):
            left = [(repr(k), n) for n in range(i + 1, end) if (k := key(a.steps[n])) is not None]
            right = [(repr(k), n) for n in range(j + 1, last) if (k := key(b.steps[n])) is not None]
            more = aligned([k for k, _ in left], [k for k, _ in right])
            found.extend((left[m][1], right[n][1]) for m, n in more)
        if not at_end:
            found.append((end, last))
        i, j = end, last
    return found


def _parting(a: History, b: History, matches: Sequence[Match]) -> tuple[int, int] | None:
    """The steps at which the two part: both go on, and hardly anything that follows is in both.

    The same call with another id and another result may be any other one.
    """
    total_a, total_b, count = len(a.steps), len(b.steps), len(matches)
    left = sum(_is_one_event(a.steps[i], b.steps[j]) for i, j in matches)
    for number in range(count + 1):
        i, j = 0, 0
        if number:
            i, j = matches[number - 1]
            left -= _is_one_event(a.steps[i], b.steps[j])
            i, j = i + 1, j + 1
        end, last = matches[number] if number < count else (total_a, total_b)
        if end == i or last == j:
            continue
        if left * _FEW < min(total_a - i, total_b - j) - left:
            return i, j
    return None


def _is_one_event(a: Step, b: Step) -> bool:
    return a.content == b.content or (a.kind == "pair" and a.id == b.id)


def _described(made: Comparison, i: int, j: int) -> Parting:
    a, b = made.a.steps[i:], made.b.steps[j:]
    part = next(n for n, part in enumerate(made.parts) if part.a[0] >= i and part.b[0] >= j and part.kind != "same")
    pairs_a, pairs_b = (sum(step.kind == "pair" for step in steps) for steps in (a, b))
    return Parting(i, j, part, pairs_a, pairs_b, len(a), len(b))


def _parts(a: History, b: History, matches: Sequence[Match], ignore_ids: bool) -> Iterator[Part]:
    alike = a.conversation.format.id == b.conversation.format.id
    i = j = 0
    same: tuple[int, int] | None = None
    for end, last in [*matches, (len(a.steps), len(b.steps))]:
        over = end == len(a.steps)
        aspects = () if over else aspects_of(a.steps[end], b.steps[last], alike, ignore_ids)
        if same is not None and (over or end > i or last > j or aspects):
            yield _part(a, b, "same", (same[0], i), (same[1], j))
            same = None
        if end > i:
            yield _part(a, b, "only a", (i, end), (j, j))
        if last > j:
            yield _part(a, b, "only b", (end, end), (j, last))
        if over:
            return
        if aspects:
            yield _part(a, b, "differs", (end, end + 1), (last, last + 1), aspects)
        elif same is None:
            same = end, last
        i, j = end + 1, last + 1


def _part(
    a: History,
    b: History,
    kind: PartKind,
    at: tuple[int, int],
    other: tuple[int, int],
    aspects: tuple[Aspect, ...] = (),
) -> Part:
    steps = b.steps[other[0] : other[1]] if kind == "only b" else a.steps[at[0] : at[1]]
    return Part(kind, at, other, aspects, sum(step.kind == "pair" for step in steps))


def aspects_of(a: Step, b: Step, alike: bool, ignore_ids: bool = False) -> tuple[Aspect, ...]:
    """In what two steps differ. `alike`: both files have the same format, so that places can be compared."""
    if a.kind != "pair":
        return ("text",) if a.asked != b.asked else ()
    found: list[Aspect] = []
    if not ignore_ids and (a.id != b.id or (a.answered == b.answered and a.result_ids != b.result_ids)):
        found.append("id")
    if a.asked != b.asked or a.name != b.name:
        found.append("call")
    if a.answered != b.answered:
        found.append("result")
    if alike and a.spread != b.spread and "result" not in found:
        found.append("place")
    return tuple(found)
