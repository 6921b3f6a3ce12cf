"""Where each record of a content begins and ends: a few integers per record, and no record objects."""

from __future__ import annotations

from _thread import allocate_lock
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice
from typing import Final, NamedTuple

from toolpair.source.file_bytes import BLOCK, Content, line_blocks
from toolpair.source.floods import PROBED, Flood, begins_at, flood_at, may_begin
from toolpair.source.record_values import parse, without_comma

_BOM: Final = b"\xef\xbb\xbf"
_SPACE: Final = b" \t\r"
_BLANK: Final = b"\0 \t\r"
_BLANKS_END: Final = 0x20
"""No byte up to this one begins or ends a value; some are white space."""
_PIECE: Final = 1 << 16
_MOST: Final = 1 << 18
"""How many bytes are split into lines at a time: a view of a line takes much more memory than a short line."""
_LONGEST: Final = 1 << 24
"""Maximum bytes of the first line that are looked at."""
_ONE_MORE: Final = (1).__add__


Body = memoryview | Flood
"""The bytes of a record, or a Flood."""


class RecordSpan(NamedTuple):
    """The span and line of one record."""

    start: int
    end: int
    glue: bytes
    """Where the bytes between it and the next record end."""
    uid: int
    line: int


class RecordIndex(ABC):
    """Start and end of each record in `content`. Records are numbered from 0; uids and lines follow from that."""

    def __init__(self, content: Content) -> None:
        self.content: Final = content
        code = "I" if len(content) < 1 << 32 else "Q"
        self._starts = array(code)
        self._ends = array(code)
        self.floods: dict[int, Flood] = {}
        """The numbers of the records that are floods, ascending."""

    def grow(self, count: int) -> int:
        """Index up to `count` records, and return how many are known. Raises Unreadable."""
        return len(self._starts)

    def __len__(self) -> int:
        """The number of records. Raises Unreadable."""
        return len(self._starts)

    def bodies(self, size: int = BLOCK) -> Iterator[tuple[int, list[Body]]]:
        """All records in order, in batches: the number of the first, and the bytes of each.

        About `size` bytes of the content are read at a time, and live as long as any view of them. A flood comes as its
        Flood object. Raises Unreadable.
        """
        return self._known_bodies(0, len(self), size)

    def bodies_of(self, first: int, end: int, size: int) -> Iterator[tuple[int, list[Body]]]:
        """The same of the records [first, end)."""
        return self._known_bodies(first, min(self.grow(end), end), size)

    def _known_bodies(self, first: int, count: int, size: int) -> Iterator[tuple[int, list[Body]]]:
        """The records [first, count), which are already indexed."""
        for number, end in self._neighbours(first, count, size):
            if number in self.floods:
                yield number, [self.floods[number]]
                continue
            start = self._starts[number]
            read = memoryview(self.content[start : self._ends[end - 1]])
            spans = zip(self._starts[number:end], self._ends[number:end], strict=True)
            yield number, [read[at - start : stop - start] for at, stop in spans]

    def texts(self, size: int) -> Iterator[tuple[int, bytes]]:
        """The bytes of all records but floods, in blocks of about `size` bytes, each with where it begins."""
        for first, end in self._neighbours(0, len(self), size):
            if first not in self.floods:
                yield self._starts[first], self.content[self._starts[first] : self._ends[end - 1]]

    def _neighbours(self, first: int, count: int, size: int) -> Iterator[tuple[int, int]]:
        """Records that are read together: the first, and the one behind the last. A flood is read alone."""
        while first < count:
            if first in self.floods:
                end = first + 1
            else:
                flood = next((number for number in self.floods if number > first), count)
                start = self._starts[first]
                end = min(max(bisect_left(self._ends, start + size, first), first + 1), flood, count)
            yield first, end
            first = end

    def uid_at(self, offset: int) -> int:
        """The uid of the record that has this byte of the content."""
        return self.uid(bisect_right(self._starts, offset) - 1)

    def start(self, number: int) -> int:
        self.grow(number + 1)
        return self._starts[number]

    def end(self, number: int) -> int:
        self.grow(number + 1)
        return self._ends[number]

    @property
    def head_end(self) -> int:
        """Where the first record starts. There must be one."""
        return self.start(0)

    @property
    def stop(self) -> int:
        """Where the last record and its trailing bytes end."""
        return self._ends[-1]

    def place(self, number: int) -> RecordSpan:
        """All that is known of the record."""
        end = self._ends[number]
        after = self._starts[number + 1] if number + 1 < len(self._starts) else self.stop
        return RecordSpan(self._starts[number], end, self.content[end:after], number, self.line(number))

    def uid(self, number: int) -> int:
        return number

    def uids(self, first: int, end: int) -> Iterable[int]:
        """The uids of the records [first, end), which are already indexed."""
        return map(self.uid, range(first, end))

    @abstractmethod
    def line(self, number: int) -> int:
        """The line that the record starts in, from 1."""

    def number(self, uid: int) -> int:
        """The number of the record with this uid. Raises KeyError."""
        if not 0 <= uid < self.grow(uid + 1):
            raise KeyError(uid)
        return uid


class LineIndex(RecordIndex):
    """The records of JSONL: split at newlines only; blank lines, line ends, BOM and trailing NULs belong to none.

    If the first line's record has a comma after it, the commas after the other records do not belong to them either.

    It is built only as far as needed. A record's uid is its line less one; `first_line` is the first line of the
    content. `of_rows`: each line is a row of a database, so none is a part of a flood.
    """

    def __init__(self, content: Content, first_line: int = 1, *, of_rows: bool = False) -> None:
        super().__init__(content)
        self._first_line: Final = first_line
        self._of_rows: Final = of_rows
        self._begin: Final = len(_BOM) if content.startswith(_BOM) else 0
        self._stop: Final = _stop(content, self._begin)
        self.commas: Final = _has_comma(content, self._begin)
        """Each record has a comma after it, as elements of an array do."""
        self._at = self._begin
        """The content is indexed up to here."""
        self._lines = 0
        # For blank lines before a record: its number, and how many blank lines come before it in all.
        self._after_blanks = array("Q")
        self._blanks = array("Q")
        self._lock = allocate_lock()

    def __len__(self) -> int:
        if self._at < self._stop:
            self._read(None)
        return len(self._starts)

    def grow(self, count: int) -> int:
        if len(self._starts) < count and self._at < self._stop:
            self._read(count)
        return len(self._starts)

    @property
    def stop(self) -> int:
        return self._stop

    def place(self, number: int) -> RecordSpan:
        known = len(self._starts)
        if number + 1 >= known:
            known = self.grow(number + 2)
        end = self._ends[number]
        if number + 1 >= known:
            glue = self.content[end : self._stop]
        else:
            after = self._starts[number + 1]
            glue = b"\n" if after - end == 1 else self.content[end:after]
        line = self._first_line + number
        if self._blanks:
            line += self._blanks_before(number)
        return RecordSpan(self._starts[number], end, glue, line - 1, line)

    def line(self, number: int) -> int:
        self.grow(number + 1)
        return self._first_line + number + self._blanks_before(number)

    def uid(self, number: int) -> int:
        return self.line(number) - 1

    def uids(self, first: int, end: int) -> Iterable[int]:
        before = self._first_line - 1
        return super().uids(first, end) if self._blanks else range(before + first, before + end)

    def number(self, uid: int) -> int:
        wanted = uid + 1 - self._first_line
        """The next line, from 0: the number of records and blank lines so far."""
        self.grow(wanted + 1)
        if not self._blanks:
            if not 0 <= wanted < len(self._starts):
                raise KeyError(uid)
            return wanted
        before = bisect_right(
            range(len(self._blanks)), wanted, key=lambda at: self._after_blanks[at] + self._blanks[at]
        )
        number = wanted - (self._blanks[before - 1] if before else 0)
        if not 0 <= number < len(self._starts) or number + self._blanks_before(number) != wanted:
            raise KeyError(uid)
        return number

    def bodies(self, size: int = BLOCK) -> Iterator[tuple[int, list[Body]]]:
        """As `RecordIndex.bodies`; the rest of the content is indexed on the way, so that it is read only once."""
        number = 0
        while True:
            known = len(self._starts)
            yield from self._known_bodies(number, known, size)
            number = known
            if self._at >= self._stop:
                return
            for first, bodies in self._blocks(min(size, _MOST)):
                if first != number:
                    break  # another thread has indexed some
                yield first, bodies
                number += len(bodies)

    def _blanks_before(self, number: int) -> int:
        at = bisect_right(self._after_blanks, number)
        return self._blanks[at - 1] if at else 0

    def _read(self, count: int | None) -> None:
        # Often only the first records are asked for.
        size = BLOCK if self._at > self._begin else _PIECE
        for first, bodies in self._blocks(min(size, _MOST)):
            if count is not None and first + len(bodies) >= count:
                return

    def _blocks(self, size: int) -> Iterator[tuple[int, list[Body]]]:
        """Index the rest of the content; yields (number of the first record, the records' bytes) for each block."""
        while self._at < self._stop:
            for at, block in line_blocks(self.content, self._at, size, stop=self._stop):
                with self._lock:
                    if self._at != at:
                        break  # another thread was here, or there was a flood
                    first = len(self._starts)
                    bodies = self._take(at, block)
                yield first, bodies

    def _take(self, at: int, block: bytes) -> list[Body]:
        """Index the next block, up to the end of the first flood in it, and return the bytes of its records."""
        lines, plain = _lines(block)
        plain = plain and not self.commas
        done = 0
        looked = 0
        probes = () if self._of_rows else (*range(-self._lines % PROBED, len(lines), PROBED), len(lines) - 1)
        for probe in probes:
            # A flood may have blank lines in it.
            number = next((at for at in range(probe, looked - 1, -1) if bytes(lines[at]).strip(_SPACE)), probe)
            looked = max(looked, probe + 1)
            if number < done or not may_begin(bytes(lines[number])):
                continue
            # It may begin earlier, but not in the block before, which ends with another line or a flood.
            first = begins_at(lines, number, done)
            start = at + sum(map(len, lines[:first])) + first
            flood = flood_at(self.content, start, self._stop)
            if flood is not None:
                bodies = self._take_lines(at, lines[:first], plain) if first else []
                return [*bodies, self._take_flood(start, lines[first], flood)]
            done = number + 1
        bodies = self._take_lines(at, lines, plain)
        self._at = at + len(block)
        return bodies

    def _take_flood(self, start: int, line: memoryview, flood: Flood) -> Flood:
        self._note_blanks(self._lines - len(self._starts))
        text = bytes(line)
        self.floods[len(self._starts)] = flood
        self._ends.append(flood.end)
        self._starts.append(start + len(text) - len(text.lstrip(_SPACE)))
        self._lines += flood.lines
        self._at = flood.next_start
        return flood

    def _take_lines(self, at: int, lines: list[memoryview], plain: bool) -> list[Body]:
        if plain:
            self._index_plain(at, lines)
            return [*lines]
        self._index(at, lines)
        bodies = (bytes(line).strip(_SPACE) for line in lines)
        return [memoryview(without_comma(body) if self.commas else body) for body in bodies if body]

    def _index_plain(self, at: int, lines: list[memoryview]) -> None:
        self._note_blanks(self._lines - len(self._starts))
        # The ends first: other threads count the starts.
        self._ends.extend(accumulate(map(_ONE_MORE, map(len, islice(lines, 1, None))), initial=at + len(lines[0])))
        self._starts.extend(islice(accumulate(map(_ONE_MORE, map(len, lines)), initial=at), len(lines)))
        self._lines += len(lines)

    def _index(self, at: int, lines: list[memoryview]) -> None:
        starts, ends = self._starts, self._ends
        blanks = self._lines - len(starts)
        """The number of blank lines so far."""
        for line in map(bytes, lines):
            begun = line.lstrip(_SPACE)
            if begun:
                start = at + len(line) - len(begun)
                self._note_blanks(blanks)
                body = begun.rstrip(_SPACE)
                ends.append(start + len(without_comma(body) if self.commas else body))
                starts.append(start)
            else:
                blanks += 1
            at += len(line) + 1
        self._lines += len(lines)

    def _note_blanks(self, count: int) -> None:
        """Note this many blank lines before the next record."""
        if count != (self._blanks[-1] if self._blanks else 0):
            self._after_blanks.append(len(self._starts))
            self._blanks.append(count)


class ArrayIndex(RecordIndex):
    """The elements of a JSON array, found beforehand. A record's uid is its number."""

    def __init__(self, content: Content, starts: array[int], ends: array[int], lines: array[int]) -> None:
        """`lines` holds the line where each element starts."""
        super().__init__(content)
        self._starts = starts
        self._ends = ends
        self._line_of: Final = lines

    def line(self, number: int) -> int:
        return self._line_of[number]


def _lines(block: bytes) -> tuple[list[memoryview], bool]:
    """The lines, as views, and whether every one is a record without white space around it."""
    lines: list[memoryview] = []
    view, find = memoryview(block), block.find
    plain = True
    start, stop = 0, len(block)
    while start < stop:
        end = find(b"\n", start)
        if end < 0:
            end = stop
        if block[start] <= _BLANKS_END or block[end - 1] <= _BLANKS_END:
            plain = False
        lines.append(view[start:end])
        start = end + 1
    return lines, plain


def _has_comma(content: Content, begin: int) -> bool:
    """Whether the first line that is not blank is a record and a comma."""
    while begin < len(content):
        end = content.find(b"\n", begin, begin + _LONGEST)
        if end < 0 and len(content) - begin > _LONGEST:
            return False
        line = content[begin : end if end >= 0 else len(content)].strip(_BLANK)
        if line:
            return line.endswith(b",") and isinstance(parse(without_comma(line)), (dict, list))
        if end < 0:
            return False
        begin = end + 1
    return False


def _stop(content: Content, begin: int) -> int:
    """Where the lines end: what follows the last line end does not count when it is only blanks and NULs."""
    last = max(content.rfind(b"\n") + 1, begin)
    for at in range(last, len(content), _PIECE):
        if content[at : at + _PIECE].strip(_BLANK):
            return len(content)
    return last
