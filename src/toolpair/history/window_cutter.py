"""Cuts a history into windows while it is scanned: where one ends, what is counted in it, whether it is clean."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from copy import copy
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.engine.reading.light import Light, SoFar, Whole
from toolpair.history.outline import OutlineWindow

_LARGE: Final = 1 << 20
"""Bytes of a window that has few messages: fewer are held in memory when it is judged."""
_NOTHING = (0, 0, 0, 0, 0, 0, 0)


class _Place(Struct, frozen=True, eq=False):
    """In front of a response: a record's number, and what is counted of the window before it."""

    number: int
    counts: tuple[int, ...]


class WindowCutter(Struct, eq=False):
    """The windows so far, and what is counted of the one that is being read.

    It is cut in front of a response, when all that was called before it has its result.
    """

    light: Light
    so_far: SoFar
    least: int
    """Messages in a window."""
    suspect: bool
    """Something in the window that is being read may be a problem."""
    size: int = 0
    """Bytes of it, and of what is read with it."""
    messages: int = 0
    calls: int = 0
    rows: int = 0
    silent: int = 0
    signed: int = 0
    records: int = 0
    kept: int = 0
    mixed: list[range] = []
    """The calls of each message that has text, too."""
    windows: list[OutlineWindow] = []
    joined: list[tuple[int, int]] = []
    """Records that share something."""
    cuttable: _Place | None = None
    """In front of the exchange before the one that is being read."""
    newest: _Place | None = None

    def forked(self, light: Light, so_far: SoFar) -> WindowCutter:
        """A cutter that goes on from here without this one."""
        windows = [*map(copy, self.windows)]
        return replace(self, light=light, so_far=so_far, mixed=[*self.mixed], windows=windows, joined=[*self.joined])

    def before_response(self, number: int) -> None:
        """A response begins at a record, and all that was called before has its result."""
        if self.suspect or self.messages >= self.least or self.size > _LARGE:
            self.cut(number)
        else:
            self.cuttable, self.newest = self.newest, _Place(number, self._counts())

    def share(self, known: int, number: int) -> None:
        """Records have calls with the same id."""
        if known < self.so_far.past:
            raise Whole
        self.suspect = True
        self.joined.append((known, number))

    def mention(self, known: int, number: int) -> None:
        """A record that is left to the rules has an id that another has."""
        if known < self.so_far.past:
            raise Whole
        if known != number:
            self.joined.append((known, number))

    def leave(self, value: Any) -> None:
        """A record is left to the rules: what is in order before it need not be looked at for it."""
        place = self.cuttable
        if place is not None and not self.suspect and not self.light.reaches_before(value, place.number):
            self._cut_off(place)
        self.cuttable = self.newest = None
        self.suspect = True

    def replace(self, value: Any, number: int, flawed: bool) -> None:
        """A compaction: the window in which it stands is left to the rules, and begins with what it keeps."""
        so_far = self.so_far
        begins = [*so_far.firsts, so_far.first]
        if any(bisect_right(begins, one) != bisect_right(begins, other) for one, other in self.joined):
            raise Whole  # what stands in front is tied to what is kept, or to what is not
        keeps = self.light.replaced(value, number, flawed)
        if keeps < so_far.first:
            so_far.first = so_far.firsts[max(bisect_right(so_far.firsts, keeps) - 1, 0)]
        so_far.past = so_far.first
        self.windows, so_far.firsts, self.joined = [], [], []
        self.cuttable = self.newest = None
        self._count(_NOTHING)
        self.mixed = []
        self.suspect = True

    def end(self, number: int, open: bool) -> None:
        """After the last record. `open`: the last exchange is not complete, or not in order."""
        if open:
            if self.cuttable is not None and not self.suspect:
                self._cut_off(self.cuttable)
            self.suspect = True
        if number > self.so_far.first:
            self.cut(number)

    def cut(self, number: int) -> None:
        """End the window that is being read in front of a record."""
        self._close(number, *self._counts())
        self._count(_NOTHING)
        self.size = 0
        self.mixed = []

    def _cut_off(self, place: _Place) -> None:
        """End it in front of an earlier one, so that what is in order there need not be looked at."""
        now, mixed, calls = self._counts(), self.mixed, place.counts[1]
        self.mixed = [found for found in mixed if found.start < calls]
        self._close(place.number, *place.counts)
        self._count([count - then for count, then in zip(now, place.counts, strict=True)])
        self.mixed = [range(found.start - calls, found.stop - calls) for found in mixed if found.start >= calls]

    def _counts(self) -> tuple[int, ...]:
        return self.messages, self.calls, self.rows, self.silent, self.signed, self.records, self.kept

    def _count(self, counts: Iterable[int]) -> None:
        self.messages, self.calls, self.rows, self.silent, self.signed, self.records, self.kept = counts

    def _close(
        self, end: int, messages: int, calls: int, rows: int, silent: int, signed: int, records: int, kept: int
    ) -> None:
        items = records if self.light.as_items else 0
        clean = not self.suspect
        self.windows.append(
            OutlineWindow(
                self.so_far.first,
                end,
                messages,
                calls,
                rows,
                calls - silent,
                clean,
                signed,
                items=items,
                kept=kept,
                mixed=tuple(self.mixed),
            )
        )
        self.so_far.firsts.append(self.so_far.first)
        self.so_far.first = end
        self.suspect = not self.light.clean
        self.cuttable = self.newest = None
