"""Sampling records to tell what kind of file it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from toolpair.source.record import Record
from toolpair.source.record_values import parse

_SAMPLE: Final = 200
_SMALL: Final = 1 << 16
_MOST: Final = 1 << 24
"""Limit on the bytes of large records that are parsed."""


def sample_of(records: Sequence[Record]) -> list[Record]:
    """Records at equal distances, including the first."""
    step = max(len(records) // _SAMPLE, 1)
    return list(records[::step][: _SAMPLE + 1])


def are_all_read(records: Iterable[Record]) -> bool:
    """Whether `values_of` yields the values of all these records."""
    return sum(record.size for record in records if record.size > _SMALL) < _MOST


def values_of(records: Iterable[Record]) -> Iterator[Any]:
    """The values of the small records, and of large ones up to a total size.

    The value of a large record is not kept in it.
    """
    read = 0
    for record in records:
        if record.size <= _SMALL or record.lines > 1:
            yield record.value
        elif read < _MOST:
            read += record.size
            yield parse(record.body)
