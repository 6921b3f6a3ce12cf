"""A history cut into stretches, and which of them have to be looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from toolpair.formats.format import FileFacts, Item
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import Transcript

P = TypeVar("P")

LEAST: Final = 24
"""Messages in a stretch, at least: few enough to be judged between two frames, many enough to be few themselves."""


class OutlineWindow(Struct, eq=False):
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
    shortened: int = 0
    """Outputs that its agent sends without their middle, where it is plain."""
    items: int = 0
    """Where the provider counts items: how many there are."""

    @property
    def counted(self) -> int:
        """How many messages the provider counts in it, where it is plain."""
        return self.items or self.messages


class Range(Struct, frozen=True, eq=False):
    """Stretches from number `start` to before `stop` that are judged together."""

    start: int
    stop: int


Read = Callable[[int, int], Sequence[Item]]
"""Gives the records from one number to before another, numbered from 0."""


class Around(Protocol):
    """What was found out of a whole file that reading a part of it needs."""

    def inside(self, outline: Outline, wanted: Range, read: Read) -> FileFacts:
        """What stands around a range."""


class Outline(Struct, frozen=True, eq=False):
    """All stretches of a history in order, and what is known of all of it."""

    stretches: tuple[OutlineWindow, ...]
    ranges: tuple[Range, ...]
    """What has to be judged, in order; none of them touches another."""
    ids: dict[str, int]
    """Each id of the history, and the number of a stretch that it stands in."""
    head: Transcript | None = None
    """Whose history it is, where the records tell: everything but the messages."""
    around: Around | None = None
    """What a format needs besides to read a range, where it does."""

    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """The numbers of stretches that an id may stand in which is none of `ids`: one that pairs nothing."""
    past: int = 0
    """How many records stand in front of the stretches: what a compaction replaced."""
    inactive: int = 0
    """How many of them would have been sent, or stand beside such."""

    def inside(self, wanted: Range, read: Read) -> FileFacts | None:
        """For `View.inside`: what stands around a range."""
        return None if self.around is None else self.around.inside(self, wanted, read)

    @property
    def plain(self) -> bool:
        return not self.ranges


class Odd(Exception):
    """A record may be a problem: the rules have to look at it."""


class Doubtful:
    """Stands for a record that a strict parser does not read, or reads over something in: what it says."""

    __slots__ = ("strict", "value")

    def __init__(self, value: Any, strict: bool = False) -> None:
        self.value = value
        self.strict = strict
        """A strict parser reads it: then something is wrong only where it is sent."""


class HistoryScan(Protocol):
    """Reads a history once, record by record, and cuts it into stretches."""

    whole: bool
    """Only the whole can be judged, whatever comes."""
    sends: frozenset[str] | None
    """The types of the records that the model is sent; None: all are."""

    def feed(self, values: Iterable[Any]) -> None:
        """The next records' values."""

    def outline(self) -> Outline | None:
        """After the last record. None when only the whole can be judged."""


class Cutter(Generic[P]):
    """What scans share: the stretch that is being read, the ids, and which stretches belong together.

    `P` is a place where a stretch can be cut, as the scan notes it.
    """

    sends: frozenset[str] | None = None

    def __init__(self, profile: Profile, least: int = LEAST) -> None:
        pattern = profile.id_pattern
        self.accepts_id = pattern.fullmatch if pattern is not None else None
        self.id_min, self.id_max = max(profile.id_min, 1), profile.id_max or 1 << 30
        self._accepts_name = profile.name_pattern.fullmatch
        self.names: set[str] = set()
        """Names of tools that the provider takes."""
        self.least = least
        self.done: list[OutlineWindow] = []
        self.ids: dict[str, int] = {}
        self.joined: list[tuple[int, int]] = []
        """Numbers of stretches that share something."""
        self.suspect = False
        """Something in the stretch that is being read may be a problem."""
        self.whole = False
        """Only the whole history can be judged."""
        self._cuttable: P | None = None
        """In front of the exchange before the one that is being read."""
        self._newest: P | None = None

    def takes(self, name: Any) -> bool:
        """Whether the provider takes the name of a tool."""
        if type(name) is not str:
            return False
        if name in self.names:
            return True
        if not self._accepts_name(name):
            return False
        self.names.add(name)
        return True

    def mark(self, place: P) -> None:
        """The stretch could be cut in front of the exchange that begins."""
        self._cuttable, self._newest = self._newest, place

    def unmark(self) -> P | None:
        """Forget the marks. Gives back where what is in order can be cut off, so that it need not be looked at."""
        place, self._cuttable, self._newest = self._cuttable, None, None
        return None if self.suspect else place

    def move_ids(self, count: int) -> None:
        """All ids but the first `count` stand in the stretch that begins."""
        for id_ in list(islice(reversed(self.ids), len(self.ids) - count)):
            self.ids[id_] = len(self.done)

    def close(self, first: int, end: int, messages: int, calls: int, rows: int, outputs: int, signed: int = 0) -> None:
        """End the stretch that is being read."""
        self.done.append(OutlineWindow(first, end, messages, calls, rows, outputs, not self.suspect, signed))
        self.suspect = False
        self.unmark()

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


def ranges_of(stretches: Sequence[OutlineWindow], joined: Iterable[tuple[int, int]]) -> tuple[Range, ...]:
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
