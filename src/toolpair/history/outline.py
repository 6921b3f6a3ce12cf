"""A history cut into windows, and which of them have to be looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Final

from msgspec import Struct

from toolpair.formats.format import FileFacts, Read
from toolpair.transcript.model import Transcript

_first: Final = attrgetter("first")
LEAST: Final = 24
"""Messages in a window, at least: few enough to be judged between two frames, many enough to be few themselves."""


class OutlineWindow(Struct, eq=False):
    """Records from `first` to before `end`, numbered from 0; no call and result are on different sides of its edges.

    The counts are those of its messages; where it is not `clean` they are estimates until it is checked.
    """

    first: int
    end: int = 0
    messages: int = 0
    calls: int = 0
    """Each with its one result, where the window is clean."""
    rows: int = 0
    """Rows of the pair list."""
    outputs: int = 0
    """Results that are real outputs."""
    clean: bool = True
    """Clean: it has no problem, whatever surrounds it."""
    signed: int = 0
    """Blocks of signed thinking, also where it is not clean."""
    shortened: int = 0
    """Outputs that its agent sends without their middle, where it is clean."""
    items: int = 0
    """If the provider counts items: their number."""
    kept: int = 0
    """Outputs that a fix has kept as text, where it is clean."""
    passed: int = 0
    """Outputs that its agent does not send, where it is clean."""
    superseded: int = 0
    """Records in whose place others were written, where it is clean."""
    mixed: Sequence[range] = ()
    """The calls of each message that has text, too, numbered within it: clean but for that, if that is a problem."""

    @property
    def counted(self) -> int:
        """How many messages the provider counts in it, where it is clean."""
        return self.items or self.messages


class Range(Struct, frozen=True, eq=False):
    """Windows from number `start` to before `stop` that are judged together."""

    start: int
    stop: int


class Outline(Struct, frozen=True, eq=False):
    """All windows of a history in order, and what is known of all of it."""

    windows: tuple[OutlineWindow, ...]
    ranges: tuple[Range, ...]
    """What must be checked, in order; the ranges do not touch each other."""
    ids: Mapping[str, int]
    """Each id of the history, and the number of a record near which it stands: of the same exchange."""
    head: Transcript | None = None
    """Facts about the session that the records show: everything but the messages."""
    around: Callable[[int, int, int, Read], FileFacts] | None = None
    """What a format needs besides to read the records from one to before another, where it does."""
    named: Callable[[str], Iterable[int]] = lambda id_: ()
    """The records that an id may stand in which is none of `ids`: one that pairs nothing."""
    past: int = 0
    """How many records stand in front of the windows: what a compaction replaced."""
    inactive: int = 0
    """How many of them would have been sent, or are next to such records."""

    def surroundings(self, first: int, end: int, read: Read) -> FileFacts | None:
        """For `View.surroundings`: what stands around the records from one to before another."""
        return None if self.around is None else self.around(first, end, self.windows[-1].end, read)

    def window_of(self, number: int) -> int:
        """Which window a record stands in; that of the first for one in front of them all."""
        return max(bisect_right(self.windows, number, key=_first) - 1, 0)

    def records(self, wanted: Range) -> tuple[int, int]:
        """Those of a range: the first, and the one behind the last."""
        return self.windows[wanted.start].first, self.windows[wanted.stop - 1].end

    @property
    def clean(self) -> bool:
        return not self.ranges


_MANY_BYTES: Final = 1 << 24
MANY: Final = 64
"""From so many windows on it is worth while to judge them one by one, however many of them are not clean."""


def judged_together(
    windows: Sequence[OutlineWindow], joined: Iterable[tuple[int, int]], size: int
) -> tuple[Range, ...] | None:
    """What has to be judged; None where most of it has to, which takes no longer at once.

    `size`: the bytes of all; many of them are not held at once.
    """
    ranges = ranges_of(windows, joined)
    looked_at = sum(windows[found.stop - 1].end - windows[found.start].first for found in ranges)
    if windows and looked_at * 2 > windows[-1].end - windows[0].first and len(windows) < MANY and size < _MANY_BYTES:
        return None
    return ranges


def ranges_of(windows: Sequence[OutlineWindow], joined: Iterable[tuple[int, int]]) -> tuple[Range, ...]:
    """The windows that are not clean, and all between two that share something, as ranges that do not overlap."""
    wanted = [(number, number + 1) for number, found in enumerate(windows) if not found.clean]
    wanted += [(min(pair), max(pair) + 1) for pair in joined]
    ranges: list[Range] = []
    for start, stop in sorted(wanted):
        if ranges and start < ranges[-1].stop:
            ranges[-1] = Range(ranges[-1].start, max(ranges[-1].stop, stop))
        else:
            ranges.append(Range(start, stop))
    return tuple(ranges)
