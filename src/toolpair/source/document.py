"""The document: an immutable sequence of records and the bytes between them.

Formats read records from it and hand edited ones back to `Document.rewrite`; the session saves its bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Final, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.alignment import against
from toolpair.source.byte_runs import OriginalRun, Piece
from toolpair.source.encode import COMPACT, JsonStyle, Originals, detect, encode
from toolpair.source.index import LineIndex
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.json_spans import BadSpan, scan
from toolpair.source.memory import fits
from toolpair.source.record import UNREAD, Record
from toolpair.source.record_values import BOM, first_record, parse
from toolpair.source.repairing import joined, repaired, repaired_lines
from toolpair.source.splice import gap_between, splice, with_scalar
from toolpair.source.value_places import ValuePlaces
from toolpair.transcript.model import Damaged

Kind = Literal["lines", "array"]
_STYLE_SAMPLE: Final = 1 << 16
_CHUNK: Final = 1 << 20
_SIBLINGS: Final = 50
_LONGEST_RUN: Final = 2000
_SPACE: Final = b" \t\r\n"
_BLANK: Final = b"\0 \t\r\n"
_COMMA_BEHIND_ALL: Final = re.compile(rb"[ \t\r\n]*+,[ \t\r\n]*+\]")
_OF_ALL: Final = ("mark", "commas", "end")
"""Repairs of the whole document instead of one record."""


class ItemLike(Protocol):
    """A record as a format hands it back."""

    @property
    def uid(self) -> int: ...
    @property
    def value(self) -> Any: ...


class CutEnd(Struct, frozen=True):
    """What stood around the records was cut off after them: the text has no end."""

    written: bytes
    """The end to write."""
    cut: bytes
    """What of the tail it stands in place of: a part of a key, of a number, of an escape."""
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
    ) -> None:
        self.kind: Kind = kind
        self.records: Sequence[Record] = records if isinstance(records, IndexedRecords) else tuple(records)
        self.head = head
        self.tail = tail
        self._style = style
        # The indentation of the line where the array opens.
        self._base = base
        # What closes the text once a cut-off last record is gone; None when the text is not cut off.
        self._closing = closing
        self.cut_end: Final = cut_end
        self._first_free_uid = next_uid
        self.aside = aside
        """Bytes that were set aside: no longer in the file, to be written to a side file."""
        self._positions: dict[int, int] | None = None
        self._offsets: list[int] | None = None
        self._asked: tuple[int, ValuePlaces] | None = None

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
        return self._next_uid

    @property
    def _next_uid(self) -> int:
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

    def __contains__(self, uid: object) -> bool:
        try:
            return isinstance(uid, int) and self.index(uid) >= 0
        except KeyError:
            return False

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
            return record.line + places.lines_before(places.span(slot)[0])
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
                start, end = self._places_in(record).span(slot)
                return offset + start, offset + end
            except BadSpan:
                pass
        return offset, offset + record.size

    def _places_in(self, record: Record) -> ValuePlaces:
        """The spans of the record's values; those of the last record asked for are cached."""
        asked = self._asked  # another thread may ask for another record
        if asked is None or asked[0] != record.uid:
            asked = self._asked = (record.uid, ValuePlaces(record.body))
        return asked[1]

    # Writing

    def pieces(self, base: Document | None = None) -> Iterator[tuple[bytes, int | None]]:
        """The bytes in order, each piece with its offset in `base`'s bytes (None: new).

        In UTF-8 text, pieces begin and end between characters.
        """
        base = self if base is None else base
        yield self.head, 0 if self.head == base.head else None
        for record in self.records:
            old = base.record(record.uid) if record.uid in base else None
            if old is None:
                yield record.body, None
                yield record.glue, None
                continue
            place = base.offset(record.uid)
            body = record.body
            if record.touched == old.touched and body == old.body:
                yield body, place
            else:
                yield from against(body, old.body, place)
            yield record.glue, place + old.size if record.glue == old.glue else None
        yield self.tail, base.size - len(base.tail) if self.tail == base.tail else None

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
            yield OriginalRun(place + base.start_of(first), place + base.start_of(here))
            if record.uid not in base:
                yield record.body
                yield record.glue
                first = here
                continue
            first = here = base.index(record.uid)
            old = known[here]
            here += 1
            if record is old:
                continue
            first = here
            start, end = place + base.start_of(here - 1), place + base.start_of(here)
            yield record.body if record.touched and record.body != old.body else OriginalRun(start, start + old.size)
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
        return Document(
            self.kind,
            records,
            head,
            tail,
            style=self._file_style(),
            base=self._level() if first and self.kind == "array" else self._base,
            closing=self._closing if last else None,
            next_uid=next_uid,
            cut_end=self.cut_end if last else None,
        )

    def start_of(self, position: int) -> int:
        """The offset of the record at a position in the serialized document, or of the tail after the last one."""
        if position == len(self.records):
            return self.size - len(self.tail)
        return self.offset(self.records[position].uid)

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

    def to_bytes(self) -> bytes:
        """The whole document as bytes."""
        return b"".join(self.chunks())

    # Changing

    def rewrite(self, items: Sequence[ItemLike]) -> Document:
        """The document that holds these items in this order.

        An item whose value is the record's own keeps its bytes, a changed value is spliced into them, an unknown uid is
        a new record, and a record without an item is removed.
        """
        if self.over_lines:
            changed = [i.uid for i in items if i.uid in self.over_lines and not isinstance(i.value, Damaged)]
            if changed:
                return self._on_one_line(changed).rewrite(self._without_rest(items, changed))
            items = self._unfolded(items)
        plan: list[tuple[Record | None, Any]] = []
        seen: set[int] = set()
        records = tuple(self.records)
        same = len(items) == len(records)
        expected = 0
        for item in items:
            uid, value = item.uid, item.value
            record: Record | None = None
            if uid not in seen:
                # Most records keep their position, so they are found without the index.
                if expected < len(records) and records[expected].uid == uid:
                    record = records[expected]
                elif uid in self:
                    record, expected, same = self.record(uid), self.index(uid), False
            if record is None:
                same = False
            else:
                expected += 1
                seen.add(uid)
                same = same and record.known is value
            plan.append((record, value))
        if same:
            return self
        return self._carry_out(plan, seen)

    def _on_one_line(self, uids: Sequence[int]) -> Document:
        """The document with each of these records, which span several lines, joined onto one line."""
        made = self.repair_all([(uid, "join", self.over_lines[uid].after) for uid in uids])
        for uid in uids:
            made.record(uid).set_value(self.over_lines[uid].first)
        return made

    def _without_rest(self, items: Sequence[ItemLike], uids: Iterable[int]) -> list[ItemLike]:
        """The items without the continuation lines of these records."""
        rest = {line for uid in uids for line in self.over_lines[uid].after}
        return [item for item in items if item.uid not in rest]

    def _unfolded(self, items: Sequence[ItemLike]) -> list[ItemLike]:
        """The items with every line of the unchanged records that span several, so that the lines stay together."""
        found: list[ItemLike] = []
        for item in self._without_rest(items, self.over_lines):
            over = self.over_lines.get(item.uid)
            found += [item] if over is None else [self.record(uid) for uid in (item.uid, *over.after)]
        return found

    def repair(self, uid: int, how: str, after: Sequence[int] = ()) -> Document:
        """The document with the record's bytes repaired (see transcript.edits.Mending); unchanged if they cannot be."""
        return self.repair_all([(uid, how, after)])

    def repair_all(self, wanted: Sequence[tuple[int, str, Sequence[int]]]) -> Document:
        """The document with all these records repaired: uid, how, and for "join" the uids of the lines that follow."""
        of_all = {how for _, how, _ in wanted}
        document = self.without_mark() if "mark" in of_all else self
        if "end" in of_all:
            return document.with_end().repair_all([one for one in wanted if one[1] not in ("mark", "end")])
        if "commas" in of_all:
            return document.without_commas().repair_all([one for one in wanted if one[1] not in _OF_ALL])
        plan = {uid: (how, tuple(after)) for uid, how, after in wanted if how not in _OF_ALL and uid in self}
        if not plan:
            return document
        order: list[Record] = []
        aside: list[bytes] = []
        next_uid = self._next_uid
        gone: set[int] = set()
        for record in self.records:
            if record.uid in gone:
                continue
            made = self._repaired(record, *plan[record.uid]) if record.uid in plan else None
            if made is None:
                order.append(record)
                continue
            bodies, put_aside, last = made
            gone.update(plan[record.uid][1] if last is not record else ())
            aside.extend(filter(None, put_aside))
            for number, body in enumerate(bodies):
                uid = record.uid if number == 0 else next_uid
                next_uid += number > 0
                glue = last.glue if number + 1 == len(bodies) else b""
                order.append(Record(uid, body, 0, len(body), glue, record.line, True))
        ended = bool(order) and plan.get(order[-1].uid, ("",))[0] == "close_line"
        return document._arranged(order, next_uid, (*self.aside, *aside), ended=ended)

    def _repaired(
        self, record: Record, how: str, after: tuple[int, ...]
    ) -> tuple[Sequence[bytes], Sequence[bytes], Record] | None:
        """The bodies that replace the record, the bytes set aside, and the last record that they replace."""
        if how != "join":
            if not fits(record.size):
                raise MemoryError
            made = repaired(record.body, how) if record.lines == 1 else repaired_lines(record.body, how)
            return None if made is None else (made.bodies, made.aside, record)
        at = self.index(record.uid)
        parts = self.records[at : at + 1 + len(after)]
        if tuple(part.uid for part in parts[1:]) != after:
            return None
        whole = joined([part.body for part in parts], [part.glue for part in parts[:-1]])
        return None if whole is None or whole[1] != len(parts) else ((whole[0],), (), parts[-1])

    def runs_on(self, uid: int) -> tuple[tuple[int, ...], bytes]:
        """The damaged records after this one that continue it, and the one record that they form together, if any."""
        at = self.index(uid)
        end = at + 1
        while end < len(self.records) and end - at < _LONGEST_RUN and self.records[end].may_be_joined:
            end += 1
        run = self.records[at:end]
        made = joined([record.body for record in run], [record.glue for record in run[:-1]]) if len(run) > 1 else None
        return ((), b"") if made is None else (tuple(record.uid for record in run[1 : made[1]]), made[0])

    @cached_property
    def over_lines(self) -> Mapping[int, Damaged]:
        """The records that are written over several lines: the uid of the first line, and what is in them.

        Some agents read such records. A line feed within a string does not count: they do not read that.
        """
        if self.kind != "lines" or not any(isinstance(record.value, Damaged) for record in self.records):
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

    def without_mark(self) -> Document:
        """The document without a leading byte order mark."""
        return Document(
            self.kind,
            self.records,
            self.head.removeprefix(BOM),
            self.tail,
            style=self._style,
            base=self._base,
            closing=self._closing,
            next_uid=self._next_uid,
            aside=self.aside,
            cut_end=self.cut_end,
        )

    def with_end(self) -> Document:
        """The document with the end that was cut off after its records."""
        end = self.cut_end
        if end is None:
            return self
        return Document(
            self.kind,
            self.records,
            self.head,
            self.tail[: len(self.tail) - len(end.cut)] + end.written,
            style=self._style,
            base=self._base,
            next_uid=self._next_uid,
            aside=(*self.aside, end.cut) if end.cut.strip(_BLANK) else self.aside,
        )

    @property
    def commas(self) -> bool:
        """Whether a comma follows each line's record, or an array's last element: neither is valid JSON."""
        if self.kind == "array":
            return bool(self.records) and _COMMA_BEHIND_ALL.match(self.tail) is not None
        if isinstance(self.records, IndexedRecords):
            return isinstance(self.records.positions, LineIndex) and self.records.positions.commas
        return bool(self.records) and b"," in self.records[0].glue

    def without_commas(self) -> Document:
        """The document without those invalid commas."""
        records: Sequence[Record] = self.records
        if self.kind == "lines":
            records = [record.with_glue(record.glue.replace(b",", b"", 1)) for record in self.records]
        return Document(
            self.kind,
            records,
            self.head,
            self.tail.replace(b",", b"", 1) if self.kind == "array" else self.tail,
            style=self._style,
            base=self._base,
            closing=self._closing,
            next_uid=self._next_uid,
            aside=self.aside,
            cut_end=self.cut_end,
        )

    def with_records(self, records: IndexedRecords) -> Document:
        """The document with more records between the same head and tail."""
        return Document(
            self.kind,
            records,
            self.head,
            self.tail,
            style=self._style,
            base=self._base,
            closing=self._closing,
            cut_end=self.cut_end,
        )

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

    def _carry_out(self, plan: list[tuple[Record | None, Any]], kept: set[int]) -> Document:
        originals = Originals()
        quick: dict[int, bytes] = {}
        for record, value in plan:
            if record is not None and record.known is not value:
                body = None
                if not isinstance(record.value, Damaged):
                    body = with_scalar(record.body, record.value, value)
                if body is not None:
                    quick[record.uid] = body
                else:
                    _know(originals, record)
        for record in self.records:
            if record.uid not in kept and record.known is not UNREAD:
                _know(originals, record)
        order: list[Record] = []
        next_uid = self._next_uid
        for record, value in plan:
            if record is not None and (record.known is value or record.value is value):
                order.append(record)
                continue
            previous = order[-1] if order else None
            if record is not None:
                short = quick.get(record.uid)
                body = short or self._changed(record, value, originals)
                made = Record(record.uid, body, 0, len(body), record.glue, record.line, True)
                if short is not None:
                    made.know(value, record)
            else:
                body = encode(value, self._style_beside(previous), originals, self._level())
                made = Record(next_uid, body, 0, len(body), b"", None, True)
                next_uid += 1
            order.append(made)
        return self._arranged(order, next_uid)

    def _changed(self, record: Record, value: Any, originals: Originals) -> bytes:
        body, old, rest = record.body, record.value, b""
        if isinstance(old, Damaged) and old.first is not None:
            # The agent reads the record at the start of the line: what follows it there stays.
            body, old = first_record(body), old.first
            rest = record.body[len(body) :]
        if not isinstance(old, Damaged):
            try:
                # With its line's indentation in front, the body shows its depth.
                level = self._level()
                spliced = splice(level + body, old, value, originals, self._file_style())[len(level) :]
                if _says(spliced, value):
                    return spliced + rest
            except (BadSpan, RecursionError):
                pass
        return encode(value, self._style_beside(record), originals, self._level()) + rest

    def _file_style(self) -> JsonStyle:
        if self._style is None:
            sample = bytearray()
            for record in self.records:
                sample += record.head(_STYLE_SAMPLE)
                if len(sample) > _STYLE_SAMPLE:
                    break
            self._style = detect(bytes(sample))
        return self._style

    def _style_beside(self, record: Record | None) -> JsonStyle:
        """The JSON style for a new record after `record`."""
        beside = record or (self.records[0] if self.records else None)
        whole = self._file_style()
        if beside is None:
            return whole if self.kind == "array" else whole.on_one_line()
        style = detect(beside.body, whole)
        if self.kind == "lines":
            return style.on_one_line()
        # Siblings that are on one line each stay so; empty ones tell nothing about style.
        filled, sample = self._siblings
        if sample is None:
            return style.on_one_line() if filled else whole
        own = detect(self._level() + sample, whole)
        return replace(style, indent=own.indent, newline=own.newline)

    @cached_property
    def _siblings(self) -> tuple[bool, bytes | None]:
        """Whether any of the first records is not empty, and the first of them that spans several lines."""
        filled = [r.body for r in islice(self.records, _SIBLINGS) if r.size > 2 and r.lines == 1]
        return bool(filled), next((body for body in filled if b"\n" in body), None)

    def _level(self) -> bytes:
        """The indentation of the array's elements."""
        if self.kind == "lines":
            return b""
        if not self.records:
            return self._lead_for_first()[1]
        at = self.head.rfind(b"\n")
        return self._base if at < 0 else self.head[at + 1 :]

    def _lead_for_first(self) -> tuple[bytes, bytes, bytes]:
        """The bytes before, the indentation of, and the bytes after the first element of an empty array."""
        inside = self.tail[: max(self.tail.find(b"]"), 0)]
        style = self._file_style()
        if b"\n" in inside or (style.indent is not None and not inside):
            level = self._base + (style.indent or b"  ")
            return style.newline + level, level, style.newline + self._base
        return inside, self._base, inside

    def _arranged(
        self, order: list[Record], next_uid: int, aside: tuple[bytes, ...] | None = None, *, ended: bool = False
    ) -> Document:
        """The document with these records; `ended`: its last line gets a line feed."""
        head, tail, closing = self.head, self.tail, self._closing
        if closing is not None:
            torn = self.records[-1]
            if not any(record.uid == torn.uid and record.body == torn.body for record in order):
                tail, closing = closing + tail.replace(b"\0", b""), None
        if self.kind == "lines":
            placed = self._with_line_ends(order, ended=ended)
        else:
            placed = self._with_commas(order)
            if not self.records and order:
                lead, _, trail = self._lead_for_first()
                head, tail = head + lead, trail + tail[max(tail.find(b"]"), 0) :]
            elif not order and self.records:
                head, tail = head[: head.find(b"[") + 1], tail[max(tail.find(b"]"), 0) :]
        return Document(
            self.kind,
            placed,
            head,
            tail,
            style=self._style,
            base=self._base,
            closing=closing,
            next_uid=next_uid,
            aside=self.aside if aside is None else aside,
            cut_end=self.cut_end,
        )

    def _with_line_ends(self, order: list[Record], *, ended: bool) -> list[Record]:
        unended = not ended and bool(self.records) and b"\n" not in self.records[-1].glue
        last = len(order) - 1
        placed: list[Record] = []
        commas = self.commas
        end = next((_line_end(record.glue) for record in self.records if b"\n" in record.glue), b"\n")
        for position, record in enumerate(order):
            glue = record.glue
            if position == last and unended:
                if b"\n" in glue or not glue:
                    glue = b""
            elif b"\n" not in glue:
                glue = glue.rstrip(b"\r") + end
            if commas and position < last and b"," not in glue:
                glue = b"," + glue
            end = _line_end(glue) or end
            placed.append(record.with_glue(glue))
        return placed

    def _with_commas(self, order: list[Record]) -> list[Record]:
        gaps = [record.glue for record in self.records[:-1]]
        if self.records and not gaps:
            lead = self.head[self.head.find(b"[") + 1 :]
            default = b"," + lead if b"\n" in lead else self._file_style().comma
        elif not self.records:
            lead = self._lead_for_first()[0]
            default = b"," + lead if b"\n" in lead else self._file_style().comma
        else:
            default = gaps[0]
        places = [self.index(record.uid) if record.uid in self else None for record in order]
        return [
            record.with_glue(
                b""
                if position + 1 == len(order)
                else gap_between(places[position], places[position + 1], gaps, default)
            )
            for position, record in enumerate(order)
        ]


def _know(originals: Originals, record: Record) -> None:
    if record.lines > 1:
        return
    value = record.value
    if not isinstance(value, Damaged):
        originals.add(record.body, value)
    elif value.first is not None:
        originals.add(first_record(record.body), value.first)


def _line_end(glue: bytes) -> bytes:
    if b"\r\n" in glue:
        return b"\r\n"
    return b"\n" if b"\n" in glue else b""


def _says(raw: bytes, value: Any) -> bool:
    """Whether the text parses to the value; True for what cannot be compared."""
    read = parse(raw)
    try:
        if read == value or _holds_nan(value):
            return True
        from toolpair.source.deep_values import is_held_in, on_one_line

        # Where a value is in another place than before, another part of it is held as bytes.
        return is_held_in(value) and on_one_line(encode(read, COMPACT)) == on_one_line(encode(value, COMPACT))
    except RecursionError:
        return True


def _holds_nan(value: Any) -> bool:
    todo = [value]
    while todo:
        here = todo.pop()
        if isinstance(here, dict):
            todo.extend(here.values())
        elif isinstance(here, list):
            todo.extend(here)
        elif isinstance(here, float) and here != here:
            return True
    return False
