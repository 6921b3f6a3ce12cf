"""The shortcut for changing one scalar gives the same bytes as splicing, or nothing where it cannot be sure."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given as trying
from hypothesis import strategies as st

from tests.each import each
from toolpair.source.splice import splice, with_scalar

GIVEN = [
    '{"timestamp":"x","ordinal":7,"payload":{"ordinal":1}}',
    '  {"a" : "b" , "n":-1, "ordinal" : 7 , "payload":[1.0]}',
    '{"ordinal":7}',
    '{"ordinal":null,"a":"\\u00fc\\/"}',
    '{\n  "ordinal": "\u00fc/" ,\n  "b": {"ordinal":"x"}\n}',
]


@each("text", GIVEN)
@each("value", [0, 8, 12345, -3, None, "", "d451f736-9add", "2026-03-02T08:00:01.702Z"])
def test_it_gives_the_same_as_splicing(text: str, value: Any) -> None:
    old = json.loads(text)
    new = {**old, "ordinal": value}
    given = with_scalar(text.encode(), old, new)
    assert given == (None if old["ordinal"] is value else splice(text.encode(), old, new))


@trying(st.sampled_from(GIVEN), st.none() | st.integers() | st.text() | st.booleans() | st.floats(allow_nan=False))
def test_it_never_gives_anything_else(text: str, value: Any) -> None:
    old = json.loads(text)
    new = {**old, "ordinal": value}
    assert with_scalar(text.encode(), old, new) in (None, splice(text.encode(), old, new))


@each(
    ("text", "change"),
    [
        ('{"payload":{"x":1},"ordinal":7}', {"ordinal": 8}),
        ('{"a":"\\"ordinal\\":1,","ordinal":7}', {"ordinal": 8}),
        ('{"ordinal":7,"b":[1]}', {"ordinal": 8, "b": [1]}),
        ('{"ordinal":7.0}', {"ordinal": 8}),
        ('{"ordinal":true}', {"ordinal": 8}),
        ('{"ordinal":"\\u0041"}', {"ordinal": 8}),
        ('{"ordinal":7}', {"ordinal": 8.5}),
        ('{"ordinal":7}', {"ordinal": True}),
        ('{"ordinal":7}', {"ordinal": "\u00fc"}),
        ('{"ordinal":7}', {"ordinal": "a/b"}),
        ('{"ordinal":7}', {"ordinal": [8]}),
        ('{"ordinal":7}', {"other": 8}),
        ('{"ordinal":7}', {}),
    ],
)
def test_it_leaves_everything_else_to_splicing(text: str, change: dict[str, Any]) -> None:
    old = json.loads(text)
    assert with_scalar(text.encode(), old, {**old, **change}) is None


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ('{"ordinal":7,"b":1,"ordinal":8}', {"ordinal": 9}),
        ('{"row":{"ordinal":7},"row":{"ordinal":8}}', {"row": {"ordinal": 9}}),
        ('{"row":{"ordinal":7,"ordinal":8}}', {"row": {"ordinal": 9}}),
    ],
)
def test_a_member_that_is_there_twice_is_left_to_splicing(text: str, change: dict[str, Any]) -> None:
    """The first of them would be changed, and the last one is read."""
    old = json.loads(text)
    new = {**old, **change}
    assert with_scalar(text.encode(), old, new) is None
    assert json.loads(splice(text.encode(), old, new)) == new


@pytest.mark.parametrize("value", [[1], "text", None])
def test_other_values_have_no_such_member(value: Any) -> None:
    assert with_scalar(b"[1]", value, value) is None


ROWS = [
    '{"items":{"id":8,"session_id":"s","position":2,"cost":0.0,"message_json":{"position":1,"content":"x"}}}',
    '{ "items" : {"id":8, "listed_position":null , "position":-2,"message_json":[]}}',
]


@trying(
    st.sampled_from(ROWS),
    st.dictionaries(st.sampled_from(["id", "position", "listed_position"]), st.none() | st.integers() | st.text()),
)
def test_in_a_row_it_gives_the_same_as_splicing(text: str, changes: dict[str, Any]) -> None:
    old = json.loads(text)
    new = {"items": {**old["items"], **{key: value for key, value in changes.items() if key in old["items"]}}}
    assert with_scalar(text.encode(), old, new) in (None, splice(text.encode(), old, new))


def test_places_in_a_row_are_changed_without_splicing() -> None:
    old = json.loads(ROWS[0])
    new = {"items": {**old["items"], "id": 9, "position": 3}}
    assert with_scalar(ROWS[0].encode(), old, new) == splice(ROWS[0].encode(), old, new)


def test_it_goes_no_deeper_than_a_row() -> None:
    old = {"a": {"b": {"c": 1}}}
    assert with_scalar(b'{"a":{"b":{"c":1}}}', old, {"a": {"b": {"c": 2}}}) is None


NESTED = [
    '{"id":"a1","message":{"content":[{"tool_use_id":"a1","text":"a1"},{"tool_use_id":"b2"}]},"timestamp":"t"}',
    '{ "id" : "a1", "message": {"content": [{"tool_use_id": "a1"}, "b2"]}, "said": "{\\"tool_use_id\\":\\"a1\\"}"}',
]


@trying(st.sampled_from(NESTED), st.sampled_from(["c3", "b2", "", 'a"', "\u00fc"]), st.booleans())
def test_strings_inside_are_changed_as_by_splicing(text: str, id_: str, both: bool) -> None:
    old = json.loads(text)
    first = {**old["message"]["content"][0], "tool_use_id": id_}
    new = {**old, "message": {**old["message"], "content": [first, *old["message"]["content"][1:]]}}
    new = {**new, "id": id_} if both else new
    assert with_scalar(text.encode(), old, new) in (None, splice(text.encode(), old, new))


def test_an_id_inside_is_changed_without_splicing() -> None:
    old = json.loads(NESTED[0])
    new = {
        **old,
        "message": {"content": [{**old["message"]["content"][0], "tool_use_id": "c3"}, {"tool_use_id": "b2"}]},
    }
    assert with_scalar(NESTED[0].encode(), old, new) == NESTED[0].replace('id":"a1","text', 'id":"c3","text').encode()


def test_it_is_not_sure_of_what_is_nested_too_deeply_to_be_compared() -> None:
    text = '{"ordinal":7,"payload":' + "[" * 1000 + "]" * 1000 + "}"
    old = orjson.loads(text)
    assert with_scalar(text.encode(), old, {**old, "ordinal": 8}) in (None, text.replace("7", "8", 1).encode())
