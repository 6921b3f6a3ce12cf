"""How much of a file is read to tell its kind."""

from __future__ import annotations

import json

from toolpair.source.record import UNREAD, Record, values_of


def records(*sizes: int) -> list[Record]:
    made = []
    for number, size in enumerate(sizes):
        body = json.dumps({"n": number, "text": "x" * size}).encode()
        made.append(Record(number, body, 0, len(body), b"\n", number + 1))
    return made


def test_small_records_are_always_read() -> None:
    given = records(10, 20 << 20, 20 << 20, 10)

    assert [value["n"] for value in values_of(given)] == [0, 1, 3]


def test_the_value_of_a_large_record_is_not_kept() -> None:
    given = records(10, 1 << 20)

    assert len(list(values_of(given))) == 2
    assert given[0].known is not UNREAD
    assert given[1].known is UNREAD
