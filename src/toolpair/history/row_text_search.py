"""Searching all rows of a long conversation: windows that cannot contain a text are skipped, and nothing
read is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, overload

from toolpair.history.summary import PairRow
from toolpair.history.text_prefilter import ByteQuery
from toolpair.history.window import NumberedWindow, Offsets, Window
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.joined import DocumentPart

_BLOCK: Final = 1 << 20
"""Bytes searched together, unless a window is larger: few enough to fit between two keys."""
_UNKNOWN, _NO, _MAY = range(3)


class TextFilter:
    """Which windows may contain all of some texts, judging by their bytes, several windows at a time."""

    def __init__(self, parts: Sequence[Window], rows_at: Sequence[int], wanted: ByteQuery) -> None:
        """`rows_at`: the first row of each window, and the total number of rows."""
        self._parts = parts
        self._rows_at = rows_at
        self._wanted = wanted
        self._known = bytearray(len(parts))

    @cached_property
    def _blocks(self) -> list[int]:
        return _blocks(self._parts)

    def about(self, row: int) -> tuple[range, bool]:
        """The rows of the window that contains a row, and whether any of them may match. Raises Unreadable."""
        number = bisect_right(self._rows_at, row) - 1
        if self._known[number] == _UNKNOWN:
            place = bisect_right(self._blocks, number) - 1
            self._look(range(self._blocks[place], self._blocks[place + 1]))
        return range(self._rows_at[number], self._rows_at[number + 1]), self._known[number] == _MAY

    def _look(self, numbers: range) -> None:
        parts, wanted = self._parts, self._wanted
        first, last = parts[numbers[0]].document, parts[numbers[-1]].document
        any_may = wanted.may_occur_in(_lowered(first, last))
        ends = (0, 1, len(parts) - 1)  # their rows may be about what is beyond them
        for number in numbers:
            part = parts[number]
            may = number in ends or part.says_more
            if not may and any_may:
                may = len(numbers) == 1 or wanted.may_occur_in(_lowered(part.document, part.document))
            self._known[number] = _MAY if may else _NO


def _blocks(parts: Sequence[Window]) -> list[int]:
    """The numbers of the windows where blocks begin, and the number of windows."""
    long = parts[0].document.long
    blocks, start = [0], 0
    for number, part in enumerate(parts):
        if long.start_of(part.document.end) - start > _BLOCK and number > blocks[-1]:
            blocks.append(number)
            start = long.start_of(part.document.first)
    return [*blocks, len(parts)]


def _lowered(first: DocumentPart, last: DocumentPart) -> bytes:
    """The bytes of consecutive windows as in the file, in lower case."""
    records = first.long.records
    if isinstance(records, IndexedRecords):
        content = records.positions.content
        # No row shows the text of a flood.
        gaps = [place for place, _ in records.floods if first.first <= place < last.end]
        starts, ends = [first.first, *(place + 1 for place in gaps)], [*gaps, last.end]
        spans = [
            (records.span(at)[0], records.span(end - 1)[1]) for at, end in zip(starts, ends, strict=True) if at < end
        ]
        return b"\n".join([content[start:end] for start, end in spans]).lower()
    return b"\n".join([record.body for record in records[first.first : last.end] if record.lines == 1]).lower()


class PassingRows(Sequence[PairRow]):
    """The rows, for a pass through all of them: windows not read so far are read, and dropped again."""

    def __init__(self, parts: Sequence[Window], rows_at: Sequence[int], offsets: Callable[[int], Offsets]) -> None:
        self._parts = parts
        self._rows_at = rows_at
        self._offsets = offsets
        self._here = -1, range(0)
        self._exposed: NumberedWindow | None = None

    def __len__(self) -> int:
        return self._rows_at[-1]

    @overload
    def __getitem__(self, key: int) -> PairRow: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[PairRow]: ...
    def __getitem__(self, key: int | slice) -> PairRow | Sequence[PairRow]:
        if isinstance(key, slice):
            return [self[row] for row in range(*key.indices(len(self)))]
        row = key + len(self) if key < 0 else key
        if not 0 <= row < len(self):
            raise IndexError("there is no such row")
        number, rows = self._here
        if self._exposed is None or row not in rows:
            number = bisect_right(self._rows_at, row) - 1
            rows = range(self._rows_at[number], self._rows_at[number + 1])
            part, offsets = self._parts[number], self._offsets(number)
            self._exposed = part.numbered(offsets) if part.looked_at else part.unread.numbered(offsets)
            self._here = number, rows
        return self._exposed.row(row - rows.start)
