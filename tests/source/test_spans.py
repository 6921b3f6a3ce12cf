"""Where values end, however long their strings are and whatever is escaped in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpair.source import json_spans
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


@pytest.mark.parametrize("blank", [b"", b" \n"])
def test_spans_of_a_large_value_are_those_of_a_small_one(blank: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    long = b'"%b"' % (b"x\\n" * 40_000)
    texts = [
        b'{"a": 1, "b": [%b, {"c": %b}, 2], "d": {}}' % (long, long),
        b'{"a": %b, "b": 2, "a": 3}' % long,
        b'{"a": "s", "b": 2, "a": "%b,\\"b\\":2"}' % (b"y" * 70_000),
        b'{"a": 1, "b": 2, "a": 12, "c": %b}' % long,
        b'[1, %b, NaN, "\\ud800", %b]' % (long, long),
        b"[%b, %b, ]" % (long, long),
        b"[" * 90 + b", ".join([long] * 3) + b"]" * 90,
        b'{"": %b, "\\u0061": [], "a": %b}' % (long, long),
    ]

    def spans(text: bytes) -> list[tuple[int, int]]:
        found, todo = [], [node_at(text)]
        while todo:
            node = todo.pop()
            found.append((node.start, node.end))
            todo += children(text, node)
        return found

    for text in texts:
        text = blank + text.replace(b", ", b"," + blank) + blank
        large = spans(text)
        with monkeypatch.context() as patch:
            patch.setattr(json_spans, "_LARGE", len(text) + 1)
            assert spans(text) == large
