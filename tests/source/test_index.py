"""The index of a JSONL file gives the same records as a simple walk over the whole file."""

from __future__ import annotations

import re
from array import array
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.files import CountingBytes, file_bytes
from toolpair.source.container import lines_document
from toolpair.source.document import Document
from toolpair.source.file_bytes import Content
from toolpair.source.index import ArrayIndex, LineIndex
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.record_values import parse

DATA = st.lists(
    st.sampled_from(
        [
            b"\n",
            b"\r\n",
            b" ",
            b"\t",
            b"\r",
            b"\0",
            b"{",
            b'{"a":1}',
            b'{"a":1},',
            b"[] ,\n",
            b"x y",
            b"\xef\xbb\xbf",
            b"\n\n\n",
        ]
    )
    | st.binary(max_size=3),
    max_size=30,
).map(b"".join)


class Walked(NamedTuple):
    """The result of the simple walk: head, records (line, start, body, glue) and tail."""

    head: bytes
    records: list[tuple[int, int, bytes, bytes]]
    tail: bytes


def is_record(text: bytes) -> bool:
    return text.endswith((b"}", b"]")) and isinstance(parse(text), (dict, list))


def walked(data: bytes) -> Walked:
    pos = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    last = max(data.rfind(b"\n") + 1, pos)
    stop = last if re.compile(rb"[\0 \t\r]*+\Z").match(data, last) else len(data)
    spans: list[tuple[int, int, int]] = []
    commas = False
    number = 0
    while pos < stop:
        newline = data.find(b"\n", pos, stop)
        end = stop if newline < 0 else newline
        number += 1
        body = data[pos:end].strip(b" \t\r")
        bare = body.removesuffix(b",").rstrip(b" \t")
        if body and not spans:
            first = data[pos:end].strip(b" \t\r\0")
            commas = first.endswith(b",") and is_record(first.removesuffix(b",").rstrip(b" \t"))
        if body and commas and body.endswith(b",") and bare.endswith((b"}", b"]")):
            body = bare
        if body:
            start = pos + data[pos:end].index(body)
            spans.append((number, start, start + len(body)))
        pos = end + 1
    if not spans:
        return Walked(data[:stop], [], data[stop:])
    follow = [start for _, start, _ in spans[1:]] + [stop]
    records = [
        (number, start, data[start:end], data[end:after])
        for (number, start, end), after in zip(spans, follow, strict=True)
    ]
    return Walked(data[: spans[0][1]], records, data[stop:])


def told(document: Document) -> Walked:
    records = [(record.line or 0, record.start or 0, record.body, record.glue) for record in document.records]
    return Walked(document.head, records, document.tail)


@given(DATA, st.booleans())
def test_a_document_matches_the_simple_walk(data: bytes, in_file: bool) -> None:
    content: Content = file_bytes(data) if in_file else data
    document = lines_document(content)
    expected = walked(data)
    assert told(document) == expected
    assert document.size == len(data) and document.to_bytes() == data and len(document) == len(expected.records)
    assert bool(document.records) == bool(expected.records)
    for place, (line, start, body, _) in enumerate(expected.records):
        assert document.record(line - 1) is document.records[place]
        assert document.index(line - 1) == place
        assert document.offset(line - 1) == start and document.span(line - 1) == (start, start + len(body))
    lines = {line for line, *_ in expected.records}
    for uid in range(-1, data.count(b"\n") + 3):
        assert (uid in document) == (uid + 1 in lines)


@given(DATA, st.lists(st.integers(0, 40), max_size=4), st.integers(1, 40))
def test_adjacent_ranges_make_up_the_whole(data: bytes, cuts: list[int], size: int) -> None:
    index = LineIndex(data)
    read = [(number, bodies) for number, bodies in index.bodies(size)]
    expected = walked(data)
    assert [body for _, bodies in read for body in bodies] == [body for _, _, body, _ in expected.records]
    counted = 0
    for number, bodies in read:
        assert number == counted
        counted += len(bodies)
    assert len(index) == counted
    bounds = sorted({0, *(min(cut, counted) for cut in cuts), counted}) if counted else [0, 0]
    parts = [lines_document(data, index, first, end) for first, end in pairwise(bounds)]
    assert b"".join(part.to_bytes() for part in parts) == data
    assert [record for part in parts for record in told(part).records] == expected.records
    assert sum(part.size for part in parts) == len(data)


@given(DATA, st.integers(0, 5), st.integers(0, 30))
def test_an_index_that_was_started_is_continued(data: bytes, count: int, size: int) -> None:
    index = LineIndex(data)
    index.grow(count)
    for _ in index.bodies(size + 1):
        pass
    assert told(lines_document(data, index)) == walked(data)


def test_records_are_the_same_objects_and_keep_their_values() -> None:
    document = lines_document(b'{"a":1}\n{"a":2}\n')
    value = document.records[1].value
    assert document.records[-1] is document.records[1] is document.record(1) is document.records[1:][0]
    assert [record.value is value for record in document.records] == [False, True]
    assert document.records[1] is tuple(document.records)[1]
    with pytest.raises(IndexError):
        document.records[2]
    with pytest.raises(KeyError):
        lines_document(b"a\nb\n", LineIndex(b"a\nb\n"), 0, 1).record(1)


@given(st.lists(st.integers(0, 30), max_size=20), st.integers(1, 60))
def test_bodies_of_elements_come_in_order(sizes: list[int], size: int) -> None:
    data = b"[" + b", ".join(b"%d" % 10**length for length in sizes) + b"]"
    starts, ends = array("I"), array("I")
    for found in re.finditer(rb"\d+", data):
        starts.append(found.start())
        ends.append(found.end())
    index = ArrayIndex(file_bytes(data), starts, ends, array("I", [1] * len(starts)))
    numbers: list[int] = []
    bodies: list[bytes] = []
    for number, some in index.bodies(size):
        numbers.append(number)
        assert number == len(bodies) and some
        bodies += some
    assert bodies == re.findall(rb"\d+", data)


def test_the_first_records_are_known_without_reading_the_rest(tmp_path: Path) -> None:
    content = CountingBytes.of((b'{"a":"' + b"x" * 1000 + b'"}\n') * 9000, tmp_path / "s.jsonl")
    document = lines_document(content)
    assert len(document.records[:5]) == 5 and document.records
    assert content.bytes_read < 300_000
    assert len(document.records) == 9000
    assert content.bytes_read < len(content) * 1.05


def test_reading_through_builds_the_index(tmp_path: Path) -> None:
    content = CountingBytes.of((b'{"a":"' + b"x" * 1000 + b'"}\n') * 9000, tmp_path / "s.jsonl")
    index = LineIndex(content)
    assert sum(len(bodies) for _, bodies in index.bodies()) == len(index) == 9000
    assert content.bytes_read < len(content) * 1.05
    assert lines_document(content, index, 8999, 9000).records[0].line == 9000


def test_only_what_may_hold_a_word_is_parsed() -> None:
    lines = [
        b'{"type":"wanted","n":0}',
        b'{"type":"other","text":"wanted here"}',
        b'{"type":"\\u0077anted","n":2}',
        b'{"type":"other","n":3}',
        b'{"type":"wanted","n":4,',
        b'["wanted"]',
    ]
    records = IndexedRecords(LineIndex(b"\n".join(lines)))
    found = dict(records.naming(["wanted"], 3))
    assert list(found) == [0, 2, 3, 4, 5]
    assert all(repr(found[uid]) == repr(records[uid].value) for uid in found)
    assert not list(records.part(1, 2).naming(["wanted"], None)), "it is no string of its own"
