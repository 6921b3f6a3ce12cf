"""An index into the pair list: the row of a pair, of a record, of a message."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol

from toolpair.history.summary import PairRow

_ACROSS = ("cut", "damaged")


class RowIndex(Protocol):
    """Lookups that do not iterate over the rows, however long the history."""

    def of_pair(self, index: int) -> int | None:
        """The pair's first row, which is its call's; None when the list has no row for it."""

    def of_record(self, record: int) -> int | None:
        """The line across the list about the record: a lost link, damage. None when there is none."""

    def of_part(self, record: int) -> int | None:
        """The first row that shows any part of the record; None when there is none."""

    def of_message(self, number: int) -> int:
        """The first row of the message, or of the nearest one before it that has a row; 0 when there is none."""


class RowPlaces:
    """The index of a complete list of rows, built in one pass at the start."""

    def __init__(self, rows: Sequence[PairRow]) -> None:
        self._pairs: dict[int, int] = {}
        self._records: dict[int, int] = {}
        self._parts: dict[int, int] = {}
        self._messages: list[int] = []
        self._message_rows: list[int] = []
        pairs, parts = self._pairs, self._parts
        last = -1
        for number, row in enumerate(rows):
            record, found = row.record, row.pair
            if record is not None and record not in parts:
                parts[record] = number
            if found is not None:
                if found.index not in pairs:
                    pairs[found.index] = number
                result = row.result
                if result is not None and result.record not in parts:
                    parts[result.record] = number
            elif record is not None and row.kind in _ACROSS:
                self._records.setdefault(record, number)
            if row.message is not None and row.message > last:
                last = row.message
                self._messages.append(last)
                self._message_rows.append(number)

    def of_pair(self, index: int) -> int | None:
        return self._pairs.get(index)

    def of_record(self, record: int) -> int | None:
        return self._records.get(record)

    def of_part(self, record: int) -> int | None:
        return self._parts.get(record)

    def of_message(self, number: int) -> int:
        return self.of_message_or_before(number) or 0

    def of_message_or_before(self, number: int) -> int | None:
        """As `of_message`; None when neither the message nor any before it has a row."""
        place = bisect_right(self._messages, number) - 1
        return self._message_rows[place] if place >= 0 else None
