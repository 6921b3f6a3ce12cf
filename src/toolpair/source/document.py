"""The document: an immutable sequence of records and the bytes between them.

Formats read records from it; `rewriting` makes a new one of edited records, and the session saves its bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.source.byte_runs import OriginalRun, Piece, against
from toolpair.source.encode import JsonStyle, detect
from toolpair.source.index import LineIndex
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.json_spans import BadSpan, Finder, scan
from toolpair.source.record import UNREAD, Record
from toolpair.source.record_values import BOM, holds_half, holds_no_number, is_utf8, parse
from toolpair.source.repairing import joined_lines
from toolpair.transcript.model import Damaged

Kind = Literal["lines", "array"]
_OF_A_DOCUMENT: Final = ("head", "tail", "base", "closing", "aside", "cut_end", "around", "is_request")
_STYLE_SAMPLE: Final = 1 << 16
_CHUNK: Final = 1 << 20
_SIBLINGS: Final = 50
_LONGEST_RUN: Final = 2000
_COMMA_BEHIND_ALL: Final = re.compile(rb"[ \t\r\n]*+,[ \t\r\n]*+\]")


class CutEnd(Struct, frozen=True):
    """What stood around the records was cut off after them: the text has no end."""

    written: bytes
    """The end to write."""
    cut: bytes
    """What it replaces of the tail: a part of a key, of a number, of an escape."""
    whole: bool
    """Only brackets are missing."""


class Document:
    """Records in order, with every byte accounted for: head, each record with its glue (the bytes after it), tail."""

    def __init__(
        self,
        kind: Kind,
        records: Iterable[Record],
        head: bytes = b"",
        tail: bytes = b"",
        *,
        style: JsonStyle | None = None,
        base: bytes = b"",
        closing: bytes | None = None,
        next_uid: int | None = None,
        aside: tuple[bytes, ...] = (),
        cut_end: CutEnd | None = None,
        around: tuple[bytes, bytes] = (b"", b""),
        is_request: bool = True,
    ) -> None:
        self.kind: Kind = kind
        self.records: Sequence[Record] = records if isinstance(records, IndexedRecords) else tuple(records)
        self.head = head
        self.tail = tail
        self._style = style
        self.base: Final = base
        """The indentation of the line where the array opens."""
        self.closing: Final = closing
        """What closes the text once a cut-off last record is gone; None when the text is not cut off."""
        self.cut_end: Final = cut_end
        self._first_free_uid = next_uid
        self.aside = aside
        """Bytes that were set aside: no longer in the file, to be written to a side file."""
        self.around: Final = around
        """The rest of a request, or of a session that is one document, before its messages and after them."""
        self.is_request: Final = is_request
        """Which of the two it is, as far as keys tell."""
        self._positions: dict[int, int] | None = None
        self._offsets: list[int] | None = None
        self._asked: tuple[int, Finder] | None = None

    def __len__(self) -> int:
        return len(self.records)

    @property
    def size(self) -> int:
        """The length of the serialized document in bytes."""
        if isinstance(self.records, IndexedRecords):
            return len(self.head) + self.records.size + len(self.tail)
        return len(self.head) + sum(r.size + len(r.glue) for r in self.records) + len(self.tail)

    @property
    def next_uid(self) -> int:
        """The uid for the next new record: larger than that of any record here or later in the file."""
        if self._first_free_uid is None:
            if isinstance(self.records, IndexedRecords):
                self._first_free_uid = self.records.next_uid
            else:
                self._first_free_uid = max((record.uid for record in self.records), default=-1) + 1
        return self._first_free_uid

    # Reading

    def index(self, uid: int) -> int:
        """The position of the record with this uid. Raises KeyError."""
        if isinstance(self.records, IndexedRecords):
            return self.records.place(uid)
        if self._positions is None:
            self._positions = {record.uid: position for position, record in enumerate(self.records)}
        return self._positions[uid]

    def record(self, uid: int) -> Record:
        """The record with this uid. Raises KeyError."""
        return self.records[self.index(uid)]

    def index_of(self, uid: int) -> int | None:
        """The same; None if there is none."""
        try:
            return self.index(uid)
        except KeyError:
            return None

    def __contains__(self, uid: object) -> bool:
        return isinstance(uid, int) and self.index_of(uid) is not None

    def line_of(self, uid: int) -> int | None:
        """The line of the file where the record starts, from 1; None for a new record."""
        return self.record(uid).line

    def last_line_of(self, uid: int) -> int | None:
        """The line of the file where the record ends, if it covers several damaged lines; else where it starts."""
        record = self.record(uid)
        return None if record.line is None else record.line + record.lines - 1

    def number_of(self, uid: int) -> int:
        """The number of the record, from 0; each line of a flood counts as one. Raises KeyError."""
        place = self.index(uid)
        return place + sum(count - 1 for at, count in self._floods if at < place)

    def at_number(self, number: int) -> Record | None:
        """The record with this number, counted as `number_of` does; None past the end."""
        for at, count in self._floods:
            if number <= at:
                break
            number = max(number - count + 1, at)
        return self.records[number] if number < len(self.records) else None

    @property
    def count(self) -> int:
        """The number of records; each line of a flood counts as one."""
        return len(self.records) + sum(count - 1 for _, count in self._floods)

    @cached_property
    def _floods(self) -> Sequence[tuple[int, int]]:
        """The positions of the records that are floods, in order, each with its number of lines."""
        if isinstance(self.records, IndexedRecords):
            len(self.records)  # by then all are known
            return tuple(self.records.floods)
        return tuple((place, record.count) for place, record in enumerate(self.records) if record.count > 1)

    def at_line(self, line: int) -> int | None:
        """The uid of the record at a line of the opened file; a record of an array may span several."""
        records = self.records
        if isinstance(records, IndexedRecords):
            at = bisect_right(range(len(records)), line, key=lambda place: records[place].line or 0) - 1
            return records[at].uid if at >= 0 else None
        before = [record for record in records if record.line is not None and record.line <= line]
        return before[-1].uid if before else None

    def line_of_value(self, uid: int, slot: Sequence[str | int]) -> int | None:
        """The line of the file where the value at `slot` of the record starts, from 1; None for a new record."""
        record = self.record(uid)
        if record.line is None or not slot:
            return record.line
        try:
            places = self._places_in(record)
            return record.line + places.lines_before(places.find(slot).start)
        except ValueError:
            return record.line

    def offset(self, uid: int) -> int:
        """The offset of the record's body in the serialized document."""
        if isinstance(self.records, IndexedRecords):
            return len(self.head) + self.records.offset(self.records.place(uid))
        if self._offsets is None:
            sizes = (record.size + len(record.glue) for record in self.records)
            self._offsets = list(accumulate(sizes, initial=len(self.head)))
        return self._offsets[self.index(uid)]

    def span(self, uid: int, slot: Sequence[str | int] = ()) -> tuple[int, int]:
        """The span of the value at `slot` in the serialized document; of the whole record without `slot`."""
        record = self.record(uid)
        offset = self.offset(uid)
        if slot:
            try:
                node = self._places_in(record).find(slot)
                return offset + node.start, offset + node.end
            except BadSpan:
                pass
        return offset, offset + record.size

    def _places_in(self, record: Record) -> Finder:
        """The spans of the record's values; those of the last record asked for are cached."""
        asked = self._asked  # another thread may ask for another record
        if asked is None or asked[0] != record.uid:
            asked = self._asked = (record.uid, Finder(record.body))
        return asked[1]

    # Writing

    def runs(self, base: Document, place: int) -> Iterator[Piece]:
        """The bytes in order; what is unchanged from `base`, whose bytes start at `place` in the file, as runs."""
        if self is base:
            yield OriginalRun(place, place + self.size)
            return
        yield OriginalRun(place, place + len(self.head)) if self.head == base.head else self.head
        # The base's records from `first` to before `here` are adjacent, as they were there.
        first = here = 0
        known, count = base.records, len(base.records)
        for record in self.records:
            if here < count and known[here] is record:
                here += 1
                continue
            if first != here:
                yield OriginalRun(place + base.start_of(first), place + base.start_of(here))
            at = here if here < count and known[here].uid == record.uid else base.index_of(record.uid)
            if at is None:
                yield record.body
                yield record.glue
                first = here
                continue
            first = here = at
            old = known[here]
            here += 1
            if record is old:
                continue
            first = here
            start, end = place + base.start_of(here - 1), place + base.start_of(here)
            if record.touched:
                yield from against(record.body, old.body, start)
            else:
                yield OriginalRun(start, start + old.size)
            yield record.glue if record.glue != old.glue else OriginalRun(start + old.size, end)
        yield OriginalRun(place + base.start_of(first), place + base.start_of(here))
        place += base.size
        yield OriginalRun(place - len(base.tail), place) if self.tail == base.tail else self.tail

    def part(self, first: int, end: int, next_uid: int) -> Document:
        """The records [first, end) as a document; adjacent parts together have all the bytes.

        New records get uids from `next_uid` on.
        """
        last = end == len(self.records)
        head, tail = b"" if first else self.head, self.tail if last else b""
        records: Sequence[Record]
        if isinstance(self.records, IndexedRecords):
            records = self.records.part(first, end)
        else:
            records = self.records[first:end]
        if self.kind == "array" and not last and records:
            # The separator before the next element stays, whatever happens to the elements before it.
            tail = records[-1].glue
            records = (*records[:-1], records[-1].with_glue(b""))
        return self.with_(
            records,
            head=head,
            tail=tail,
            style=self.style,
            base=self.level if first and self.kind == "array" else self.base,
            closing=self.closing if last else None,
            next_uid=next_uid,
            aside=(),
            cut_end=self.cut_end if last else None,
        )

    def with_(self, records: Iterable[Record] | None = None, **changed: Any) -> Document:
        """The same document but for its records, or what else `changed` says, by the names of the constructor."""
        same = {name: getattr(self, name) for name in _OF_A_DOCUMENT} | {"style": self._style}
        if "next_uid" not in changed:
            same["next_uid"] = self.next_uid  # all records are looked at for it
        return Document(self.kind, self.records if records is None else records, **{**same, **changed})

    def start_of(self, position: int) -> int:
        """The offset of the record at a position in the serialized document, or of the tail after the last one."""
        if position == len(self.records):
            return self.size - len(self.tail)
        return self.offset(self.records[position].uid)

    def to_bytes(self) -> bytes:
        """The whole document as bytes."""
        return b"".join(self.chunks())

    def chunks(self) -> Iterator[bytes]:
        """The bytes in chunks of about a megabyte."""
        batch: list[bytes] = [self.head]
        size = len(self.head)
        for record in self.records:
            if record.lines > 1:
                yield b"".join(batch)
                yield from record.pieces(_CHUNK)
                batch, size = [record.glue], 0
                continue
            batch.append(record.body)
            batch.append(record.glue)
            size += record.size
            if size > _CHUNK:
                yield b"".join(batch)
                batch, size = [], 0
        batch.append(self.tail)
        yield b"".join(batch)

    # What is in it

    def runs_on(self, uid: int) -> tuple[tuple[int, ...], bytes]:
        """The damaged records after this one that continue it, and the one record that they form together, if any."""
        at = self.index(uid)
        end = at + 1
        while end < len(self.records) and end - at < _LONGEST_RUN and self.records[end].may_be_joined:
            end += 1
        run = self.records[at:end]
        made = joined_records(run) if len(run) > 1 else None
        return ((), b"") if made is None else (tuple(record.uid for record in run[1 : made[1]]), made[0])

    @cached_property
    def over_lines(self) -> Mapping[int, Damaged]:
        """The records that are written over several lines: the uid of the first line, and what is in them.

        Some agents read such records. A line feed within a string does not count: they do not read that.
        """
        if isinstance(self.records, IndexedRecords) and self.records.sound:
            return {}
        # What nobody has read yet is not kept for this.
        values = (parse(record.body) if record.known is UNREAD else record.known for record in self.records)
        if self.kind != "lines" or not any(isinstance(value, Damaged) for value in values):
            return {}
        found: dict[int, Damaged] = {}
        at = 0
        while at < len(self.records):
            record = self.records[at]
            at += 1
            if not record.may_be_joined or record.value.rule not in ("record.torn", "record.bad_json"):
                continue
            after, whole = self.runs_on(record.uid)
            value = record.value
            if after:
                raw = b"\n".join(other.body for other in self.records[at - 1 : at + len(after)])
                first = parse(whole)
                if isinstance(first, dict) and scan(raw).state == "complete":
                    found[record.uid] = Damaged(value.rule, value.reason, value.parts, first, after)
                at += len(after)
            else:
                while at < len(self.records) and self.records[at].may_be_joined:
                    at += 1
        return found

    @property
    def mark(self) -> bytes:
        """The byte order mark before the first record, if there is one."""
        return BOM if self.head.startswith(BOM) else b""

    @property
    def commas(self) -> bool:
        """Whether a comma follows each line's record, or an array's last element: neither is valid JSON."""
        if self.kind == "array":
            return bool(self.records) and _COMMA_BEHIND_ALL.match(self.tail) is not None
        if isinstance(self.records, IndexedRecords):
            return isinstance(self.records.positions, LineIndex) and self.records.positions.commas
        return bool(self.records) and b"," in self.records[0].glue

    @property
    def outside(self) -> tuple[bytes, bytes, bytes]:
        """The rest of a request, and what of it is in the tail: all that follows, where the text was cut off later."""
        cut = self.cut_end
        return (*self.around, self.tail[: len(self.tail) - len(cut.cut)] if cut is not None else b"")

    @cached_property
    def flaws_around(self) -> tuple[str, ...]:
        """The `record.*` rules that the rest of the request breaks, whose bytes are sent as they are."""
        if not any(self.outside):
            return ()
        found = {
            "record.lone_surrogate": any(map(holds_half, self.outside)),
            "record.bad_json": any(map(holds_no_number, self.outside)),
            "record.bad_utf8": not all(map(is_utf8, self.outside)),
        }
        return tuple(rule for rule, holds in found.items() if holds)

    def flaws(self, sent: Container[int] = ()) -> dict[int, tuple[str, ...]]:
        """The `record.*` rules that readable records break, by uid.

        Only the records in `sent` are checked for what strict parsers accept as well: duplicate keys and long numbers.
        """
        found: dict[int, tuple[str, ...]] = {}
        for record in self.records:
            broken = record.flaws(sent=record.uid in sent)
            if broken:
                found[record.uid] = broken
        return found

    @property
    def style(self) -> JsonStyle:
        """The JSON style of the whole."""
        if self._style is None:
            sample = bytearray()
            for record in self.records:
                sample += record.head(_STYLE_SAMPLE)
                if len(sample) > _STYLE_SAMPLE:
                    break
            self._style = detect(bytes(sample))
        return self._style

    @cached_property
    def siblings(self) -> tuple[bool, bytes | None]:
        """Whether any of the first records is not empty, and the first of them that spans several lines."""
        filled = [r.body for r in islice(self.records, _SIBLINGS) if r.size > 2 and r.lines == 1]
        return bool(filled), next((body for body in filled if b"\n" in body), None)

    @property
    def level(self) -> bytes:
        """The indentation of the array's elements."""
        if self.kind == "lines":
            return b""
        if not self.records:
            return self.lead_for_first[1]
        at = self.head.rfind(b"\n")
        return self.base if at < 0 else self.head[at + 1 :]

    @property
    def lead_for_first(self) -> tuple[bytes, bytes, bytes]:
        """The bytes before, the indentation of, and the bytes after the first element of an empty array."""
        inside = self.tail[: max(self.tail.find(b"]"), 0)]
        style = self.style
        if b"\n" in inside or (style.indent is not None and not inside):
            level = self.base + (style.indent or b"  ")
            return style.newline + level, level, style.newline + self.base
        return inside, self.base, inside


def joined_records(lines: Sequence[Record]) -> tuple[bytes, int] | None:
    """The record that begins with the first of these, and how many of them it takes; see `joined_lines`."""
    return joined_lines([line.body for line in lines], [line.glue for line in lines[:-1]])
