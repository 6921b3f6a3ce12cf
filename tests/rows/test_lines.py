"""Rows as lines of JSON, and back."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rows.values import ENDS, TABLE, json_texts, rows
from toolpair.source.record_values import parse
from toolpair.source.rows.layout import Row, Stored, Text
from toolpair.source.rows.lines import columns_of_line, line_of, stored, table_of
from toolpair.transcript.model import Damaged


def is_damaged(raw: bytes) -> bool:
    return isinstance(parse(raw), Damaged)


def is_same(one: Stored, other: Stored) -> bool:
    return type(one) is type(other) and one == other


@given(rows())
def test_a_row_is_one_line_of_its_table(row: Row) -> None:
    line = line_of(row)
    assert b"\n" not in line and not line.endswith(b"\r")
    assert table_of(line, [TABLE]) is TABLE


@given(rows())
@example(Row(TABLE, {"id": None, TABLE.json[0]: Text(b"\xef\xbb\xbf{}"), TABLE.json[-1]: None}))
def test_a_line_is_damaged_exactly_if_its_message_is(row: Row) -> None:
    name = next((name for name in reversed(TABLE.json) if name in row.columns), None)
    message = row.columns[name] if name is not None else None
    damaged = isinstance(message, Text) and is_damaged(bytes(message))
    line = line_of(row)
    if not (isinstance(message, bytes) and message.lstrip().startswith(b"\xef\xbb\xbf")):
        assert is_damaged(line) == damaged
        assert (columns_of_line(line, TABLE) is None) == damaged


@given(rows())
def test_the_columns_of_a_line_are_those_of_its_row(row: Row) -> None:
    columns = columns_of_line(line_of(row), TABLE)
    if columns is None:
        return
    assert set(columns) == set(row.columns)
    for name, token in columns.items():
        was = row.columns[name]
        if isinstance(was, Text) and (name not in TABLE.json or is_damaged(bytes(was))):
            # What is not JSON is shown as a string, in which bytes that are not text stand as they are.
            assert parse(token) == bytes(was).decode("utf-8", "replace")
            assert is_same(stored(token, name in TABLE.json, was), was)
        elif isinstance(was, float) and not math.isfinite(was):
            assert token == b"null"
        elif isinstance(was, bytes) and name in TABLE.json and is_damaged(bytes(was)):
            assert is_same(stored(token, False, was), was)
        else:
            assert is_same(stored(token, name in TABLE.json, was), was)


@given(json_texts(), st.sampled_from(ENDS))
@example(b'{\n\t"a":\r\n1}', "\n")
def test_a_change_keeps_every_other_byte_of_the_text(text: bytes, end: str) -> None:
    before = Text(b'{"left":' + text + b"," + end.encode() + b'"id":1,"right":' + text + b"}" + end.encode())
    if is_damaged(bytes(before)):
        return
    line = line_of(Row(TABLE, {"id": 1, "last": before}))
    columns = columns_of_line(line, TABLE)
    assert columns is not None
    changed = columns["last"].replace(b'"id":1,"right"', b'"id":22,"right"')
    assert stored(changed, True, before) == Text(before.replace(b'"id":1,"right"', b'"id":22,"right"'))


@pytest.mark.parametrize("text", [b"1}}", b"{}}}", b'{"a":1}}}'])
def test_a_text_that_ends_its_line_is_damaged(text: bytes) -> None:
    assert is_damaged(line_of(Row(TABLE, {"id": 1, "last": Text(text)})))


@pytest.mark.parametrize("text", [b'"a\nb"', b'"a\nb\t"', b'["a\nb",\t\r1]'])
def test_a_line_end_within_a_string_stays_damage(text: bytes) -> None:
    assert is_damaged(text) and is_damaged(line_of(Row(TABLE, {"id": 1, "last": Text(text)})))


def test_json_in_a_blob_is_read_and_stays_a_blob() -> None:
    line = line_of(Row(TABLE, {"id": 1, "last": b'{"role":"user"}'}))
    columns = columns_of_line(line, TABLE)
    assert columns is not None and columns["last"] == b'{"role":"user"}'
    new = stored(b'{"role":"tool"}', True, b'{"role":"user"}')
    assert new == b'{"role":"tool"}' and not isinstance(new, Text)
