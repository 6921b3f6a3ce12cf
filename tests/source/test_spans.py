"""Where values end, however long their strings are and whatever is escaped in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpair.source.json_spans import BadSpan, children, node_at, value_end

PIECES = st.sampled_from(['"', "\\", '\\"', "x" * 70, "é", "\n", "[", "}", ",", "0" * 250])
WORDS = st.lists(PIECES, max_size=60).map("".join)
VALUES = st.recursive(
    WORDS | st.integers() | st.none(),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(WORDS, below, max_size=3),
    max_leaves=8,
)


@given(value=VALUES, ascii_=st.booleans(), behind=st.sampled_from([b"", b" ", b",", b']"}', b'"']))
def test_a_value_ends_where_its_json_does(value: object, ascii_: bool, behind: bytes) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_).encode()
    # A number or a word continues as long as its characters do.
    follows = behind if isinstance(value, (str, list, dict)) else behind.replace(b'"', b"")

    assert value_end(raw + follows, 0) == len(raw)
    assert json.loads(raw[: value_end(raw, 0)]) == value


@given(value=st.dictionaries(WORDS, VALUES, max_size=4))
def test_each_member_has_the_right_span(value: dict[str, object]) -> None:
    raw = json.dumps(value).encode()

    found = children(raw, node_at(raw))

    assert [json.loads(raw[node.start : node.end]) for node in found] == list(value.values())


@given(words=WORDS, cut=st.integers(min_value=0))
def test_a_string_that_is_cut_off_has_no_end(words: str, cut: int) -> None:
    raw = json.dumps([words]).encode()

    with pytest.raises(BadSpan):
        value_end(raw[: cut % len(raw)] or b"[", 0)
