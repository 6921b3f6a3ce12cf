"""What holds for a redacted copy of anything at all."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from toolpair.reports.redaction.check import left_in
from toolpair.reports.redaction.redactor import Redactor
from toolpair.transcript.id_shapes import SPELLINGS, sanitised

KEYS = st.sampled_from(
    ["role", "content", "text", "input", "id", "tool_use_id", "name", "timestamp", "arguments", "quokka", "x"]
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="ab \\n\\u0041{}[]\":,'-_.:/|09", max_size=30),
    st.sampled_from(
        ["2026-03-04T05:06:07Z", "Error: no", "true", '{"a": 1}', "toolu_01Ab", "src/a.py", "continue", "x" * 80]
    ),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-(10**25), 10**25), st.floats(allow_nan=False), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(KEYS, TEXTS), inner, max_size=5)),
    max_leaves=12,
)


def redacted(text: str, key: bytes = b"k") -> str:
    return Redactor(text, key).file(text)


def shape(value: Any) -> Any:
    """What a copy has in common with its original: everything but the words."""
    match value:
        case dict():
            return [(len(key), shape(inner)) for key, inner in value.items()]
        case list():
            return [shape(inner) for inner in value]
        case str():
            return len(value.encode("utf-8", "surrogatepass"))
        case bool() | None:
            return value
        case _:
            return type(value).__name__


@settings(max_examples=tries(300), deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 1]))
def test_json_stays_json_of_the_same_length_and_shape(value: Any, ascii: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii, indent=indent)
    copy = redacted(text)
    assert len(copy.encode("utf-8", "surrogatepass")) == len(text.encode("utf-8", "surrogatepass"))
    assert shape(json.loads(copy)) == shape(json.loads(text))
    assert copy == redacted(text)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_torn_lines_stay_torn_where_they_are(values: list[Any], data: st.DataObject) -> None:
    lines = []
    for value in values:
        line = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
        lines.append(
            line[: data.draw(st.integers(0, len(line)))]
            + data.draw(st.sampled_from(["", "", "{", "\0", '{"type":"user"}']))
        )
    text = "\n".join(lines)
    copy = redacted(text)
    assert len(copy) == len(text)
    for one, other in zip(text.split("\n"), copy.split("\n"), strict=True):
        assert _reads(one) == _reads(other)
    assert re.findall(r"[\n\0{}]", text) == re.findall(r"[\n\0{}]", copy)


def _reads(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@settings(max_examples=tries(200), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    copy = redacted(text).encode("utf-8", "surrogateescape")
    assert len(copy) == len(data) and copy.count(b"\n") == data.count(b"\n")
    assert [byte for byte in data if byte < 0x30] == [byte for byte in copy if byte < 0x30]


WORDS = st.lists(
    st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x4FF), min_size=8, max_size=14),
    min_size=1,
    max_size=6,
)


@settings(max_examples=tries(200), deadline=None)
@given(WORDS, st.sampled_from(["text", "content", "command", "quokka", "id", "name", "cwd", "stdout"]), st.booleans())
def test_no_word_is_left(words: list[str], key: str, nested: bool) -> None:
    text = json.dumps({key: " ".join(words), "input": {words[0]: words}}, ensure_ascii=False)
    if nested:
        text = json.dumps({"arguments": text}, ensure_ascii=len(words) % 2 == 0)
    copy = redacted(text)
    assert not left_in(text, copy)


IDS = st.builds(
    lambda prefix, rest, joined: prefix + joined.join(rest),
    st.sampled_from(["toolu_", "call_", "fc_", "functions.", "functions_", "chatcmpl-tool-", "", "x"]),
    st.lists(st.text(alphabet="abcdefABCDEF0123456789xyzXYZ", min_size=1, max_size=12), min_size=1, max_size=3),
    st.sampled_from(["_", "-", ".", ":", "", "|"]),
)


@settings(max_examples=tries(300), deadline=None)
@given(st.lists(IDS, min_size=1, max_size=6, unique=True), st.data())
def test_ids_differ_as_they_did(ids: list[str], data: st.DataObject) -> None:
    """Same, different, and different only by sanitising, case, a cut or a prefix."""
    one = data.draw(st.sampled_from(ids))
    way = data.draw(
        st.sampled_from(
            [
                sanitised,
                str.upper,
                lambda id_: id_[:64],
                lambda id_: id_[:40],
                lambda id_: id_[:-3],
                lambda id_: f"call_{id_}",
            ]
        )
    )
    ids = list(dict.fromkeys([*ids, way(one)]))
    ids = [id_ for id_ in ids if id_]
    copy = [found["id"] for found in json.loads(redacted(json.dumps([{"id": id_} for id_ in ids])))]
    assert len(set(copy)) == len(set(ids))
    for number, id_ in enumerate(ids):
        assert [c for c in id_ if not c.isalnum()] == [c for c in copy[number] if not c.isalnum()]
        for other, second in enumerate(ids):
            for name, spelled in SPELLINGS:
                if name in ("sanitised", "case_or_space", "prefix", "call_item") and len(id_) > 3 < len(second):
                    assert (spelled(id_) == spelled(second)) <= (spelled(copy[number]) == spelled(copy[other])), name
            if len(id_.split("|")[-1]) >= 24 and second.startswith(id_):
                assert copy[other].startswith(copy[number])
