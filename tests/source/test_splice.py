"""Splicing: golden bytes, and for random JSON, that only the bytes of changed values differ."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from tests.source.strategies import edited, odd_json, seeds, subobjects, values
from toolpair.source.json_spans import Finder, children, key_text, node_at
from toolpair.source.record_values import parse
from toolpair.source.splice import splice


def drop(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: member for key, member in value.items() if key not in keys}


CASES: list[tuple[str, Any, str]] = [
    ('{"a": 1e5, "b":"x"}', lambda v: {**v, "b": "y"}, '{"a": 1e5, "b":"y"}'),
    ('{"a":1.50,"b":[ ]}', lambda v: {**v, "b": [1, 2]}, '{"a":1.50,"b":[ 1,2 ]}'),
    ('{"a": 1, "b": 2, "c": 3}', lambda v: drop(v, "b"), '{"a": 1, "c": 3}'),
    ('{"a": 1, "b": 2}', lambda v: drop(v, "b"), '{"a": 1}'),
    ('{ "a": 1, "b": 2 }', lambda v: drop(v, "a"), '{ "b": 2 }'),
    ('{"a": 1}', lambda v: {}, "{}"),
    ('{"a": 1}', lambda v: {**v, "b": [True, None]}, '{"a": 1, "b": [true, null]}'),
    ('{"a":1}', lambda v: {"z": 0, **v}, '{"z":0,"a":1}'),
    ('{"a":1,"c":3}', lambda v: {"a": v["a"], "b": 2, "c": v["c"]}, '{"a":1,"b":2,"c":3}'),
    ("{}", lambda v: {"a": 1}, '{"a":1}'),
    ('{"a":1,"a":2}', lambda v: {"a": 3}, '{"a":1,"a":3}'),
    ('{"a":1,"b":0,"a":2}', lambda v: drop(v, "a"), '{"b":0}'),
    ("[ 1, 2 ]", lambda v: [*v, 3], "[ 1, 2, 3 ]"),
    ("[ 1, 2 ]", lambda v: v[1:], "[ 2 ]"),
    ('[1.0,-0,"\\u0041"]', lambda v: [v[2], v[0], v[1]], '["\\u0041",1.0,-0]'),
    ('{"t":"\\u00e9"}', lambda v: {"t": "ü"}, '{"t":"\\u00fc"}'),
    ('{"t":"é\\u00e9"}', lambda v: {"t": "ü"}, '{"t":"ü"}'),
    ('{"t":"a\\/b"}', lambda v: {"t": "c/d"}, '{"t":"c\\/d"}'),
    ('{"t":"x"}', lambda v: {"t": "\ud83d"}, '{"t":"\\ud83d"}'),
    ('{\n  "a": [\n    1\n  ]\n}', lambda v: {"a": [*v["a"], 2]}, '{\n  "a": [\n    1,\n    2\n  ]\n}'),
    (
        '{\n  "a": [],\n  "b": 1\n}',
        lambda v: {**v, "a": [{"k": "v"}]},
        '{\n  "a": [\n    {\n      "k": "v"\n    }\n  ],\n  "b": 1\n}',
    ),
    ('{\r\n\t"a": 1\r\n}', lambda v: {**v, "b": {"c": 2}}, '{\r\n\t"a": 1,\r\n\t"b": {\r\n\t\t"c": 2\r\n\t}\r\n}'),
    (
        '[{"type": "tool_result","tool_use_id":"x" , "content":"o\\u0041"}]',
        lambda v: [{**v[0], "tool_use_id": "y"}],
        '[{"type": "tool_result","tool_use_id":"y" , "content":"o\\u0041"}]',
    ),
    (
        '{"c":[{"type":"tool_use","id":"1"},{"type":"text","text":"\\u0068i"}]}',
        lambda v: {"c": [{"type": "text", "text": v["c"][1]["text"]}, {**v["c"][0], "id": "2"}]},
        '{"c":[{"type":"text","text":"\\u0068i"},{"type":"tool_use","id":"2"}]}',
    ),
]


@each(("raw", "change", "expected"), CASES)
def test_golden(raw: str, change: Any, expected: str) -> None:
    old = parse(raw.encode())
    assert splice(raw.encode(), old, change(old)).decode() == expected


@settings(max_examples=tries(100))
@given(values, seeds)
def test_the_same_value_gives_the_same_bytes(value: Any, rng: random.Random) -> None:
    raw = odd_json(value, rng)
    old = parse(raw)
    assert splice(raw, old, old) == raw
    if isinstance(old, dict):
        assert splice(raw, old, dict(old)) == raw
    if isinstance(old, list):
        assert splice(raw, old, list(old)) == raw


@settings(max_examples=tries(250))
@given(values, seeds)
def test_random_edits_parse_to_the_new_value(value: Any, rng: random.Random) -> None:
    raw = odd_json(value, rng)
    old = parse(raw)
    new = edited(old, rng, subobjects(old))
    assert parse(splice(raw, old, new)) == new


@settings(max_examples=tries(100))
@given(st.dictionaries(st.sampled_from("abcdef"), values, min_size=1, max_size=5), seeds)
def test_bytes_outside_a_changed_member_stay(value: dict[str, Any], rng: random.Random) -> None:
    raw = odd_json(value, rng)
    old = parse(raw)
    key = rng.choice(sorted(old))
    found = Finder(raw).find((key,))
    made = splice(raw, old, {**old, key: "\x00changed\x00"})
    assert made == raw[: found.start] + b'"\\u0000changed\\u0000"' + raw[found.end :]


@settings(max_examples=tries(100))
@given(st.lists(st.dictionaries(st.sampled_from("ab"), values, max_size=3), min_size=1, max_size=6), seeds)
def test_kept_elements_keep_their_bytes(value: list[Any], rng: random.Random) -> None:
    raw = odd_json(value, rng)
    old = parse(raw)
    new = [element for element in old if rng.random() < 0.7]
    rng.shuffle(new)
    texts = {id(e): raw[n.start : n.end] for e, n in zip(old, children(raw, node_at(raw)), strict=True)}
    made = splice(raw, old, new)
    assert [made[n.start : n.end] for n in children(made, node_at(made))] == [texts[id(e)] for e in new]


def test_deep_nesting_does_no_harm() -> None:
    raw = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    assert Finder(raw).find(("a", "a")).start == 10
    assert key_text(raw, children(raw, node_at(raw))[0]) == "a"
