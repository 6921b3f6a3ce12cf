"""Values that a column may hold."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from toolpair.source.rows.layout import Row, Stored, Table, Text

TABLE = Table("t", json=("first", "last"))
ODD = (
    b"",
    b"null",
    b"1}}",
    b"{}",
    b'{"a":1}{"b":2}',
    b'"',
    b"\xff\xfe",
    b'{"a":"\\ud800"}',
    b"\xef\xbb\xbf{}",
    b"5",
    b" {} ",
)
ENDS = ("\n", "\r\n", "\r", "\t", " ", "\n\t", "\n ")
_leaves = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6)
_json = st.recursive(
    _leaves, lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=3), part, max_size=3)
)


@st.composite
def json_texts(draw: st.DrawFn) -> bytes:
    """JSON in any style, with line ends of any kind between its tokens."""
    written = json.dumps(draw(_json), indent=draw(st.sampled_from([None, 1, "\t"])), ensure_ascii=draw(st.booleans()))
    raw = written.encode("utf-8", "surrogatepass")
    if draw(st.booleans()):
        raw = raw.replace(b"\n", draw(st.sampled_from(ENDS)).encode())
    space = st.sampled_from(ENDS) | st.just("")
    return draw(space).encode() + raw + draw(space).encode()


texts = (json_texts() | st.sampled_from(ODD) | st.binary(max_size=12) | st.text(max_size=12).map(str.encode)).map(Text)
values: st.SearchStrategy[Stored] = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.binary(max_size=8)
    | json_texts()
    | texts
)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    names = draw(st.lists(st.sampled_from(["id", "a b", 'q"', "é", "first", "last"]), unique=True, min_size=1))
    return Row(TABLE, {name: draw(values) for name in names})
