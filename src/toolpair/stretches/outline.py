"""A history cut into stretches, and which of them have to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

from toolpair.dataclass import dataclass, field
from toolpair.formats.base import Inside, Item
from toolpair.transcript.model import Transcript

LEAST: Final = 24
"""Messages in a stretch, at least: few enough to be judged between two frames, many enough to be few themselves."""


@dataclass(slots=True, eq=False)
class Stretch:
    """Records from `first` to before `end`, numbered from 0, between which and the others no exchange is open.

    The counts are those of its messages; where it is not `plain` only a judgement knows them, and they are a guess.
    """

    first: int
    end: int = 0
    messages: int = 0
    calls: int = 0
    """Each with its one result, where the stretch is plain."""
    rows: int = 0
    """Lines of the pair list."""
    outputs: int = 0
    """Results that are real outputs."""
    plain: bool = True
    """Nothing in it is a problem, whatever stands around it."""
    signed: int = 0
    """Blocks of signed thinking, also where it is not plain."""
    items: int = 0
    """Where the provider counts items: how many there are."""

    @property
    def counted(self) -> int:
        """How many messages the provider counts in it, where it is plain."""
        return self.items or self.messages


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """Stretches from number `start` to before `stop` that are judged together."""

    start: int
    stop: int


Read = Callable[[int, int], Sequence[Item]]
"""Gives the records from one number to before another, numbered from 0."""


class Around(Protocol):
    """What was found out of a whole file that reading a part of it needs."""

    def inside(self, outline: Outline, wanted: Range, read: Read) -> Inside:
        """What stands around a range."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """All stretches of a history in order, and what is known of all of it."""

    stretches: tuple[Stretch, ...]
    ranges: tuple[Range, ...]
    """What has to be judged, in order; none of them touches another."""
    ids: dict[str, int] = field(repr=False)
    """Each id of the history, and the number of a stretch that it stands in."""
    head: Transcript | None = None
    """Whose history it is, where the records tell: everything but the messages."""
    around: Around | None = field(default=None, repr=False)
    """What a format needs besides to read a range, where it does."""

    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """The numbers of stretches that an id may stand in which is none of `ids`: one that pairs nothing."""
    past: int = 0
    """How many records stand in front of the stretches: what a compaction replaced."""
    inactive: int = 0
    """How many of them would have been sent, or stand beside such."""

    def inside(self, wanted: Range, read: Read) -> Inside | None:
        """For `View.inside`: what stands around a range."""
        return None if self.around is None else self.around.inside(self, wanted, read)

    @property
    def plain(self) -> bool:
        return not self.ranges


class Doubtful:
    """Stands for a record that a strict parser does not read, or reads over something in: what it says."""

    __slots__ = ("strict", "value")

    def __init__(self, value: Any, strict: bool = False) -> None:
        self.value = value
        self.strict = strict
        """A strict parser reads it: then something is wrong only where it is sent."""


class Scan(Protocol):
    """Reads a history once, record by record, and cuts it into stretches."""

    whole: bool
    """Only the whole can be judged, whatever comes."""
    sends: frozenset[str] | None
    """The types of the records that the model is sent; None: all are."""

    def feed(self, values: Iterable[Any]) -> None:
        """The next records' values."""

    def outline(self) -> Outline | None:
        """After the last record. None when only the whole can be judged."""


class Cutter:
    """What scans share: the stretch that is being read, the ids, and which stretches belong together."""

    sends: frozenset[str] | None = None

    def __init__(self, least: int = LEAST) -> None:
        self.least = least
        self.done: list[Stretch] = []
        self.ids: dict[str, int] = {}
        self.joined: list[tuple[int, int]] = []
        """Numbers of stretches that share something."""
        self.suspect = False
        """Something in the stretch that is being read may be a problem."""
        self.whole = False
        """Only the whole history can be judged."""

    def close(self, first: int, end: int, messages: int, calls: int, rows: int, outputs: int, signed: int = 0) -> None:
        """End the stretch that is being read."""
        self.done.append(Stretch(first, end, messages, calls, rows, outputs, not self.suspect, signed))
        self.suspect = False

    def note(self, id_: Any) -> None:
        """An id stands in the stretch that is being read, and may stand elsewhere, too."""
        if not isinstance(id_, str) or not id_:
            return
        here = len(self.done)
        known = self.ids.setdefault(id_, here)
        if known != here:
            self.joined.append((known, here))

    def outline(self) -> Outline | None:
        """The stretches; None when the whole has to be judged, since most of it has to be looked at."""
        if self.whole:
            return None
        ranges = ranges_of(self.done, self.joined)
        done = self.done
        looked_at = sum(done[found.stop - 1].end - done[found.start].first for found in ranges)
        if done and looked_at * 2 > done[-1].end - done[0].first and len(done) < MANY:
            return None
        return Outline(tuple(self.done), ranges, self.ids)


MANY: Final = 64
"""From so many stretches on it is worth while to judge them one by one, however many of them are not plain."""


def ranges_of(stretches: Sequence[Stretch], joined: Iterable[tuple[int, int]]) -> tuple[Range, ...]:
    """The stretches that are not plain, and all between two that share something, as ranges that do not overlap."""
    wanted = [(number, number + 1) for number, found in enumerate(stretches) if not found.plain]
    wanted += [(min(pair), max(pair) + 1) for pair in joined]
    ranges: list[Range] = []
    for start, stop in sorted(wanted):
        if ranges and start < ranges[-1].stop:
            ranges[-1] = Range(ranges[-1].start, max(ranges[-1].stop, stop))
        else:
            ranges.append(Range(start, stop))
    return tuple(ranges)
