"""The records of a document, created lazily from an index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, overload

import orjson

from toolpair.source.floods import Flood
from toolpair.source.index import Body, RecordIndex
from toolpair.source.record import Record
from toolpair.source.record_values import is_as_written, parse

_BLOCK: Final = 1 << 17
_ESCAPED: Final = b"\\u00"
"""What may spell ASCII in another way."""


class IndexedRecords(Sequence[Record]):
    """The records [first, end) of an index, each created once.

    `len` may read all of the content; everything else reads only what it needs.
    """

    __slots__ = ("_all", "_end", "_first", "_given", "_made", "_sound", "positions")

    def __init__(
        self, index: RecordIndex, first: int = 0, end: int | None = None, given: Mapping[int, Any] | None = None
    ) -> None:
        """`given` holds values that cannot be read from the bytes, by record number in the index."""
        self.positions: Final = index
        """The index; its numbers count from the start of the content."""
        self._first = first
        self._end = end
        self._given: Final = given or {}
        self._made: dict[int, Record] = {}
        self._all: tuple[Record, ...] | None = None
        self._sound = False
        """A strict parser has read every record."""

    def __bool__(self) -> bool:
        return self._known(1) > 0

    def __len__(self) -> int:
        end = len(self.positions) if self._end is None else self._end
        return end - self._first

    @overload
    def __getitem__(self, key: int) -> Record: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, key: int | slice) -> Record | tuple[Record, ...]:
        if self._all is not None:
            return self._all[key]
        if isinstance(key, slice):
            start, stop = key.start or 0, key.stop
            count = self._known(stop) if stop is not None and stop >= 0 and start >= 0 else len(self)
            return tuple(self._record(place) for place in range(*key.indices(count)))
        place = key + len(self) if key < 0 else key
        if not 0 <= place < self._known(place + 1):
            raise IndexError("there is no such record")
        return self._record(place)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._all) if self._all is not None else self._each()

    def _each(self) -> Iterator[Record]:
        records: list[Record] = []
        known = 0
        while (place := len(records)) < known or place < (known := self._known(place + 1)):
            records.append(self._record(place))
            yield records[-1]
        self._all = tuple(records)
        self._made = {}  # after `_all`: a thread that still has the old dict finds the same records in it

    def read(self) -> None:
        """Read the values of those that strict parsers read, block by block: the others are read when asked for."""
        first, sound = self._first, not self._given
        for number, bodies in self.positions.bodies_of(first, first + len(self), _BLOCK):
            try:
                values = [orjson.loads(body) for body in bodies]  # type: ignore[arg-type]
                # Written again they are the same, unless something was left out or spelt differently.
                same = is_as_written(b"[%b]" % b",".join(bodies), orjson.dumps(values))  # type: ignore[arg-type]
            except (TypeError, ValueError, RecursionError):
                sound = False
                continue
            for place, value in enumerate(values, number - first):
                self._record(place).set_strict(value, same)
        self._sound = sound

    def bodies(self) -> Iterator[Body]:
        """The bytes of each record, or its Flood, in order; no record is created for them."""
        for _, bodies in self.positions.bodies_of(self._first, self._first + len(self), _BLOCK):
            yield from bodies

    @property
    def uids(self) -> Iterator[int]:
        """The uid of each record, in order; no record is created for them."""
        return iter(self.positions.uids(self._first, self._first + len(self)))

    def values(self) -> Iterator[Any]:
        """The value of each record in order; what is read for it is not kept."""
        sound, given = not self._given, self._given
        for number, body in enumerate(self.bodies(), self._first):  # one at a time: its memory is the next one's
            try:
                value = orjson.loads(body)  # type: ignore[arg-type]
            except (TypeError, ValueError, RecursionError):
                sound = False
                value = body.value if isinstance(body, Flood) else parse(bytes(body))
            yield given.get(number, value)
        self._sound = sound

    def naming(self, words: Sequence[str], uid: int | None) -> Iterator[tuple[int, Any]]:
        """The uid and the value of each record that may hold one of these words as a whole string, and of this one."""
        spelt, given = [*(f'"{word}"'.encode() for word in words), _ESCAPED], self._given
        for number, (own, body) in enumerate(zip(self.uids, self.bodies(), strict=True), self._first):
            if isinstance(body, Flood):
                continue
            raw = bytes(body)
            if own == uid or number in given or any(one in raw for one in spelt):
                yield own, given[number] if number in given else parse(raw)

    @property
    def sound(self) -> bool:
        """Whether a strict parser reads every record."""
        if self._sound:
            return True
        try:
            for body in self.bodies():
                orjson.loads(body)  # type: ignore[arg-type]
        except (TypeError, ValueError, RecursionError):
            return False
        return not self._given

    def part(self, first: int, end: int) -> IndexedRecords:
        """The records at positions [first, end), as new objects."""
        return IndexedRecords(self.positions, self._first + first, self._first + end, self._given)

    def made(self) -> Iterator[tuple[int, Record]]:
        """The records created so far, with their positions."""
        return iter(enumerate(self._all) if self._all is not None else list(self._made.items()))

    def place(self, uid: int) -> int:
        """The position of the record with this uid. Raises KeyError."""
        place = self.positions.number(uid) - self._first
        if place < 0 or (self._end is not None and place >= self._end - self._first):
            raise KeyError(uid)
        return place

    def offset(self, place: int) -> int:
        """The offset of the record, from the start of the first one."""
        return self.positions.start(self._first + place) - self.positions.start(self._first)

    def span(self, place: int) -> tuple[int, int]:
        """The span of the record's body in the content."""
        number = self._first + place
        return self.positions.start(number), self.positions.end(number)

    @property
    def floods(self) -> Iterator[tuple[int, int]]:
        """The positions of the floods, in order, each with its number of lines."""
        end = len(self.positions) if self._end is None else self._end
        for number, flood in list(self.positions.floods.items()):
            if self._first <= number < end:
                yield number - self._first, flood.count

    @property
    def size(self) -> int:
        """Bytes from the first record to the end of the last one's glue; needs no record count."""
        index, first, end = self.positions, self._first, self._end
        if index.grow(first + 1) <= first or (end is not None and end <= first):
            return 0
        more = end is not None and index.grow(end + 1) > end
        return (index.start(end) if end is not None and more else index.stop) - index.start(first)

    @property
    def next_uid(self) -> int:
        """A uid larger than that of any record of the index, or after it."""
        count = len(self.positions)
        return self.positions.uid(count - 1) + 1 if count else 0

    def _known(self, count: int) -> int:
        """The number of records, or `count` if there are more."""
        known = self.positions.grow(self._first + count)
        return (known if self._end is None else min(known, self._end)) - self._first

    def _record(self, place: int) -> Record:
        made_before = self._made
        if self._all is not None:
            return self._all[place]
        record = made_before.get(place)
        if record is None:
            index, number = self.positions, self._first + place
            start, end, glue, uid, line = index.place(number)
            flood = index.floods.get(number) if index.floods else None
            if flood is not None:
                made = Record(uid, index.content, start, end, glue, line, lines=flood.lines, count=flood.count)
                made.set_flood(flood.value, flood.says)
            else:
                made = Record(uid, index.content, start, end, glue, line)
            if number in self._given:
                made.set_value(self._given[number])
            record = made_before.setdefault(place, made)
        return record
