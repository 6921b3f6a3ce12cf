"""Documents: every byte is accounted for, and rewriting keeps everything that is not named."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from tests.source.strategies import edited, odd_json, seeds, values
from toolpair.formats.format import Item
from toolpair.history.checked_records import items_of
from toolpair.source import rewriting
from toolpair.source.byte_runs import chunks_of
from toolpair.source.container import array_document, lines_document
from toolpair.source.document import Document
from toolpair.source.json_spans import Finder
from toolpair.source.record_values import parse
from toolpair.source.rewriting import repair_all
from toolpair.transcript.model import Damaged

records = st.lists(st.dictionaries(st.sampled_from("abc"), values, max_size=4), max_size=6)


def rewritten(document: Document, *items: Item) -> bytes:
    return rewriting.rewritten(document, items).to_bytes()


def array_bytes(value: list[Any], rng: random.Random) -> bytes:
    return odd_json(value, rng)


def line_bytes(value: list[Any], rng: random.Random) -> bytes:
    end = rng.choice([b"\n", b"\r\n", b"\n\n"])
    data = end.join(odd_json(record, rng, allow_newline=False) for record in value)
    return rng.choice([b"", b"\xef\xbb\xbf", b"\n"]) + data + rng.choice([b"", end, b"\n\0\0"])


@pytest.mark.parametrize("kind", ["lines", "array"])
@settings(max_examples=tries(120))
@given(value=records, rng=seeds)
def test_rewrite(kind: str, value: list[Any], rng: random.Random) -> None:
    data = (array_bytes if kind == "array" else line_bytes)(value, rng)
    document = array_document(data) if kind == "array" else lines_document(data)
    assert document.to_bytes() == data
    items = items_of(document)
    assert rewriting.rewritten(document, items) is document
    if any(isinstance(item.value, Damaged) for item in items):
        return
    changed = [Item(i.uid, edited(i.value, rng, [])) if rng.random() < 0.3 else i for i in items if rng.random() > 0.2]
    if rng.random() < 0.4:
        changed.insert(rng.randint(0, len(changed)), Item(-1, {"role": "user", "content": ["new/é", {}]}))
    if rng.random() < 0.2:
        rng.shuffle(changed)
    made = rewriting.rewritten(document, changed)
    again = array_document(made.to_bytes()) if kind == "array" else lines_document(made.to_bytes())
    assert [r.value for r in again.records] == [i.value for i in changed]
    assert [r.body for r in again.records] == [r.body for r in made.records]
    for record in made.records:
        start, end = made.span(record.uid)
        assert made.to_bytes()[start:end] == record.body
        if not record.touched:
            assert record.body == document.record(record.uid).body
    assert b"".join(chunks_of(made.runs(document, 0), data)) == made.to_bytes()


def test_lines_without_a_last_newline() -> None:
    document = lines_document(b'{"a":1}\r\n{"b": 2}')
    one, two = items_of(document)
    new = Item(-1, {"c": [3, "x"]})
    assert rewritten(document, one, two, new) == b'{"a":1}\r\n{"b": 2}\r\n{"c": [3, "x"]}'
    assert rewritten(document, one, new, two) == b'{"a":1}\r\n{"c":[3,"x"]}\r\n{"b": 2}'
    assert rewritten(document, two, one) == b'{"b": 2}\r\n{"a":1}'
    assert rewritten(document, one) == b'{"a":1}'
    assert rewritten(document) == b""


def test_lines_with_damage_blank_lines_and_a_nul_tail() -> None:
    data = b'\xef\xbb\xbf\n{"a":1}\n\n{"b":\n\0\0\n{"c":3}\n\0\0'
    document = lines_document(data)
    assert [r.line for r in document.records] == [2, 4, 5, 6]
    assert [getattr(r.value, "rule", None) for r in document.records] == [None, "record.torn", "record.nul", None]
    assert document.head == b"\xef\xbb\xbf\n"
    assert document.tail == b"\0\0"
    items = items_of(document)
    assert rewritten(document, *items[:3], Item(3, {"c": 4})) == data.replace(b'"c":3', b'"c":4')


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[]", b'[{"a":1}]'),
        (b"[ ]", b'[ {"a":1} ]'),
        (b"[\n]", b'[\n  {"a":1}\n]'),
    ],
)
def test_insert_into_an_empty_array(data: bytes, expected: bytes) -> None:
    assert rewritten(array_document(data), Item(-1, {"a": 1})) == expected


def test_pretty_array() -> None:
    data = b'[\n  {\n    "a": 1\n  },\n  {\n    "b": 2\n  }\n]'
    document = array_document(data)
    one, two = items_of(document)
    assert rewritten(document, one) == b'[\n  {\n    "a": 1\n  }\n]'
    assert rewritten(document, two) == b'[\n  {\n    "b": 2\n  }\n]'
    assert rewritten(document) == b"[]"
    new = Item(-1, {"c": {"d": 3}})
    third = b'{\n    "c": {\n      "d": 3\n    }\n  }'
    assert rewritten(document, one, two, new) == data[:-2] + b",\n  " + third + b"\n]"
    assert rewritten(document, new, one, two) == b"[\n  " + third + b"," + data[1:]
    grown = rewritten(document, Item(0, {**one.value, "e": {"f": [1]}}), two)
    assert grown == data.replace(b'"a": 1', b'"a": 1,\n    "e": {\n      "f": [\n        1\n      ]\n    }')
    assert [r.line for r in document.records] == [2, 5]


def test_one_record_per_line_in_an_array() -> None:
    document = array_document(b'[\n {"a": 1},\n {"b": 2}\n]\n')
    assert rewritten(document, *items_of(document), Item(-1, {"c": [3]})) == (
        b'[\n {"a": 1},\n {"b": 2},\n {"c": [3]}\n]\n'
    )


@pytest.mark.parametrize("kind", ["lines", "array"])
def test_only_the_bytes_of_the_edited_value_change(kind: str) -> None:
    """Also with odd numbers, escapes, a duplicate key, key order and odd spacing in the edited record."""
    edited = b'{ "n":1.0E+2,"k" :[1 ,2 ] ,"u":"\\u00e9\\/","m":{"x":  1.10, "y":"old"\t},"n" : 12345678901234567890123}'
    other = b'{"b" :-0.0}'
    data = b"\xef\xbb\xbf" + edited + b"\r\n" + other if kind == "lines" else b"[" + edited + b" ,\r\n" + other + b"]"
    document = lines_document(data) if kind == "lines" else array_document(data)
    one, two = items_of(document)
    wanted = {**one.value, "m": {**one.value["m"], "y": "new \u2028"}}
    written = rewritten(document, Item(one.uid, wanted), two)
    before, _, after = data.partition(b'"old"')
    assert written.startswith(before) and written.endswith(after)
    assert json.loads(written[len(before) : len(written) - len(after)]) == "new \u2028"


def test_objects_of_other_records_keep_their_bytes() -> None:
    document = lines_document(b'{"m":[{"id":"x", "o":"\\u0041B"}]}\n{"m":[]}\n')
    one, two = items_of(document)
    moved = one.value["m"][0]
    assert rewritten(document, Item(0, {"m": []}), Item(1, {"m": [moved]})) == (
        b'{"m":[]}\n{"m":[{"id":"x", "o":"\\u0041B"}]}\n'
    )
    assert rewritten(document, two, Item(-4, {"t": moved["o"]})) == b'{"m":[]}\n{"t":"\\u0041B"}\n'


def test_uids_spans_and_replacing_bytes() -> None:
    document = lines_document(b'{"a":1}{"b":[2]}\n{"c":3}')
    split = repair_all(document, [(0, "split", ())])
    assert split.to_bytes() == b'{"a":1}\n{"b":[2]}\n{"c":3}'
    assert [r.uid for r in split.records] == [0, 2, 1]
    start, end = split.span(2, ("b", 0))
    assert split.to_bytes()[start:end] == b"2"
    assert split.records[2] is document.records[1]
    assert Finder(b'{"a":1,"a":2}').find(("a",)).start == 11
    added = rewriting.rewritten(split, [*items_of(split), Item(-1, {})])
    assert added.records[-1].uid == 3
    assert rewriting.rewritten(added, [*items_of(added)[:-1], Item(-1, [])]).records[-1].uid == 4


def test_a_change_in_many_records_is_cheap() -> None:
    data = b'{"type":"user","message":{"role":"user","content":"hello"}}\n' * 100_000
    document = lines_document(data)
    items = items_of(document)
    items[500] = Item(500, {**items[500].value, "type": "x"})
    made = rewriting.rewritten(document, items)
    assert made.records[501] is document.records[501]
    assert len(made.to_bytes()) == len(data) - 3
    assert parse(made.records[500].body)["type"] == "x"
