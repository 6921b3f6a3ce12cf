"""The outline of a history: where a scan cuts it into windows, and which of those must be checked."""

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
"""Minimum messages in a window: few enough to check between two frames, many enough to keep windows few."""


class OutlineWindow(Struct, eq=False):
    """Records from `first` to before `end`, numbered from 0; no call and result are on different sides of its edges.

    The counts are those of its messages; unless it is `clean` they are estimates, exact only after checking.
    """

    first: int
    end: int = 0
    messages: int = 0
    calls: int = 0
    """Calls with their one result, if the window is clean."""
    rows: int = 0
    """Rows of the pair list."""
    outputs: int = 0
    """Results that are real outputs."""
    clean: bool = True
    """Clean: it has no problem, whatever surrounds it."""
    signed: int = 0
    """Signed thinking blocks, even if it is not clean."""
    shortened: int = 0
    """Outputs whose middle its agent leaves out when sending, if the window is clean."""
    items: int = 0
    """If the provider counts items: their number."""

    @property
    def counted(self) -> int:
        """How many messages the provider counts in it, if it is clean."""
        return self.items or self.messages


class Range(Struct, frozen=True, eq=False):
    """Windows from number `start` to before `stop` that are checked together."""

    start: int
    stop: int


Read = Callable[[int, int], Sequence[Item]]
"""Reads the records from one number to before another, numbered from 0."""


class Around(Protocol):
    """Facts about the whole file that are needed to read a part of it."""

    def inside(self, outline: Outline, wanted: Range, read: Read) -> FileFacts:
        """What surrounds a range."""


class Outline(Struct, frozen=True, eq=False):
    """All windows of a history in order, and facts about the whole."""

    windows: tuple[OutlineWindow, ...]
    ranges: tuple[Range, ...]
    """What must be checked, in order; the ranges do not touch each other."""
    ids: dict[str, int]
    """Each id of the history, and the number of a window that has it."""
    head: Transcript | None = None
    """Facts about the session that the records show: everything but the messages."""
    around: Around | None = None
    """What else the format needs to read a range, if anything."""

    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """The windows that may contain an id that is not in `ids`: one that pairs nothing."""
    past: int = 0
    """The number of records before the windows: those that a compaction replaced."""
    inactive: int = 0
    """How many of them would have been sent, or are next to such records."""

    def inside(self, wanted: Range, read: Read) -> FileFacts | None:
        """For `View.inside`: what surrounds a range."""
        return None if self.around is None else self.around.inside(self, wanted, read)

    @property
    def clean(self) -> bool:
        return not self.ranges


class Odd(Exception):
    """A record may be a problem: the rules must check it."""


class Doubtful:
    """In place of a record that a strict parser rejects, or accepts despite a flaw: its value."""

    __slots__ = ("strict", "value")

    def __init__(self, value: Any, strict: bool = False) -> None:
        self.value = value
        self.strict = strict
        """A strict parser accepts it: then it is wrong only if it is sent."""


class HistoryScan(Protocol):
    """Reads a history once, record by record, and cuts it into windows."""

    whole: bool
    """It can only be checked whole, whatever follows."""
    sends: frozenset[str] | None
    """The types of records that are sent to the model; None: all of them."""

    def feed(self, values: Iterable[Any]) -> None:
        """Take the values of the next records."""

    def outline(self) -> Outline | None:
        """Call it after the last record. None when the history can only be checked whole."""


class Cutter(Generic[P]):
    """Shared by scans: the current window, the ids, and which windows belong together.

    `P` is a scan's note of a place where a window can be cut.
    """

    sends: frozenset[str] | None = None

    def __init__(self, profile: Profile, least: int = LEAST) -> None:
        pattern = profile.id_pattern
        self.accepts_id = pattern.fullmatch if pattern is not None else None
        self.id_min, self.id_max = max(profile.id_min, 1), profile.id_max or 1 << 30
        self._accepts_name = profile.name_pattern.fullmatch
        self.names: set[str] = set()
        """Tool names that the provider accepts."""
        self.least = least
        self.done: list[OutlineWindow] = []
        self.ids: dict[str, int] = {}
        self.joined: list[tuple[int, int]] = []
        """Pairs of window numbers that share something."""
        self.suspect = False
        """The current window may have a problem."""
        self.whole = False
        """The history can only be checked whole."""
        self._cuttable: P | None = None
        """The place before the previous exchange."""
        self._newest: P | None = None

    def takes(self, name: Any) -> bool:
        """Whether the provider accepts the tool name."""
        if type(name) is not str:
            return False
        if name in self.names:
            return True
        if not self._accepts_name(name):
            return False
        self.names.add(name)
        return True

    def mark(self, place: P) -> None:
        """The window could be cut before the exchange that begins here."""
        self._cuttable, self._newest = self._newest, place

    def unmark(self) -> P | None:
        """Forget the marks. Returns where a clean part can be cut off, so that it need not be checked."""
        place, self._cuttable, self._newest = self._cuttable, None, None
        return None if self.suspect else place

    def move_ids(self, count: int) -> None:
        """All ids but the first `count` belong to the next window."""
        for id_ in list(islice(reversed(self.ids), len(self.ids) - count)):
            self.ids[id_] = len(self.done)

    def close(self, first: int, end: int, messages: int, calls: int, rows: int, outputs: int, signed: int = 0) -> None:
        """End the current window."""
        self.done.append(OutlineWindow(first, end, messages, calls, rows, outputs, not self.suspect, signed))
        self.suspect = False
        self.unmark()

    def note(self, id_: Any) -> None:
        """Note an id in the current window; other windows may have it as well."""
        if not isinstance(id_, str) or not id_:
            return
        here = len(self.done)
        known = self.ids.setdefault(id_, here)
        if known != here:
            self.joined.append((known, here))

    def outline(self) -> Outline | None:
        """The windows; None when the whole must be checked because most windows are not clean."""
        if self.whole:
            return None
        ranges = ranges_of(self.done, self.joined)
        done = self.done
        looked_at = sum(done[found.stop - 1].end - done[found.start].first for found in ranges)
        if done and looked_at * 2 > done[-1].end - done[0].first and len(done) < MANY:
            return None
        return Outline(tuple(self.done), ranges, self.ids)


MANY: Final = 64
"""From this many windows on, checking them separately pays off however many are not clean."""


def ranges_of(windows: Sequence[OutlineWindow], joined: Iterable[tuple[int, int]]) -> tuple[Range, ...]:
    """The windows that are not clean, and everything between two that share something, as disjoint ranges."""
    wanted = [(number, number + 1) for number, found in enumerate(windows) if not found.clean]
    wanted += [(min(pair), max(pair) + 1) for pair in joined]
    ranges: list[Range] = []
    for start, stop in sorted(wanted):
        if ranges and start < ranges[-1].stop:
            ranges[-1] = Range(ranges[-1].start, max(ranges[-1].stop, stop))
        else:
            ranges.append(Range(start, stop))
    return tuple(ranges)
