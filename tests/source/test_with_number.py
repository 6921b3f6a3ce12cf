"""The shortcut for changing one number gives the same bytes as splicing, or nothing where it cannot be sure."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolpair.source.splice import splice, with_number

GIVEN = [
    '{"timestamp":"x","ordinal":7,"payload":{"ordinal":1}}',
    '  {"a" : "b" , "n":-1, "ordinal" : 7 , "payload":[1.0]}',
    '{"ordinal":7}',
]


@pytest.mark.parametrize("text", GIVEN)
@pytest.mark.parametrize("number", [0, 8, 12345, -3])
def test_it_gives_the_same_as_splicing(text: str, number: int) -> None:
    old = json.loads(text)
    new = {**old, "ordinal": number}
    assert with_number(text.encode(), old, new) == splice(text.encode(), old, new)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ('{"payload":{"x":1},"ordinal":7}', {"ordinal": 8}),
        ('{"a":"\\"ordinal\\":1,","ordinal":7}', {"ordinal": 8}),
        ('{"ordinal":7,"b":[1]}', {"ordinal": 8, "b": [1]}),
        ('{"ordinal":7,"b":1}', {"ordinal": 8, "b": 2}),
        ('{"ordinal":7.0}', {"ordinal": 8}),
        ('{"ordinal":true}', {"ordinal": 8}),
        ('{"ordinal":7}', {"ordinal": 8.5}),
        ('{"ordinal":7}', {"other": 8}),
        ('{"ordinal":7}', {}),
    ],
)
def test_it_leaves_everything_else_to_splicing(text: str, change: dict[str, Any]) -> None:
    old = json.loads(text)
    assert with_number(text.encode(), old, {**old, **change}) is None


@pytest.mark.parametrize("value", [[1], "text", None])
def test_other_values_have_no_such_number(value: Any) -> None:
    assert with_number(b"[1]", value, value) is None
