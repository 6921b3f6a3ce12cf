"""A large file gives the same result as a small one, without being held in memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from tests.source.files import CountingBytes, file_bytes
from toolpair.source import large
from toolpair.source.container import Container, read_in_memory
from toolpair.source.container_reading import read_container
from toolpair.source.elements import largest_array
from toolpair.source.errors import UnreadableFile
from toolpair.source.json_spans import Finder, children, scan, skip_space
from toolpair.source.rewriting import rewritten

TEXTS = st.text(st.sampled_from('a"\\{}[],:é\n\ud800 '), max_size=12) | st.text(max_size=5)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"])},
    optional={"content": TEXTS | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=3)},
)
ELEMENTS = MESSAGES | st.sampled_from([{}, [], {"a": [[{}]]}]) | MESSAGES | MESSAGES
ODD = st.sampled_from(
    [b'"x"', b"17", b"null", b"{", b"]", b"{'a': None}", b'{"a":NaN}', b'{"a":"\xff"}', b'{"a":1e999}', b""]
)


@st.composite
def arrays(draw: st.DrawFn) -> bytes:
    few = [
        json.dumps(value, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
        for value in draw(st.lists(ELEMENTS, max_size=4))
    ]
    texts = few * draw(st.sampled_from([1, 30])) if few else []
    if texts and draw(st.integers(0, 3)) == 0:
        texts.insert(draw(st.integers(0, len(texts))), draw(ODD))
    comma = draw(
        st.sampled_from([b",", b", ", b",\n  ", b" ,\r\n", b",,"])
        if draw(st.integers(0, 5)) == 0
        else st.sampled_from([b", ", b",\n  "])
    )
    pad = draw(st.sampled_from([b"", b"\n  ", b" "]))
    last = b"," if texts and draw(st.integers(0, 4)) == 0 else b""
    return b"[" + pad + comma.join(texts) + last + pad + b"]"


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    text = draw(arrays())
    if draw(st.booleans()):
        keys = draw(
            st.lists(st.sampled_from(["messages", "input", "tools", "model", "body", "x"]), min_size=1, max_size=3)
        )
        members = [
            f'"{key}": '.encode() + (text if number == 0 else draw(arrays() | ODD)) for number, key in enumerate(keys)
        ]
        text = b"{" + b", ".join(members) + b"}"
        if draw(st.booleans()):
            text = b'{"model": "m[", "request": ' + text + b',\n "n": [1, 2]}'
    text = (
        draw(st.sampled_from([b"", b" \n", b"\xef\xbb\xbf"]))
        + text
        + draw(st.sampled_from([b"", b"\n", b"\n\0\0", b" x"]))
    )
    how = draw(st.sampled_from(["whole", "whole", "cut", "broken"]))
    at = draw(st.integers(0, max(len(text) - 1, 0)))
    if how == "cut":
        return text[:at]
    return text[:at] + draw(st.sampled_from([b'"', b"}", b"\\", b"\n", b"["])) + text[at:] if how == "broken" else text


def told(container: Container) -> list[Any]:
    """Everything known about a container except the parsed values."""
    return [
        container.kind,
        container.parts,
        container.damaged_outside,
        container.to_bytes(),
        *(
            (
                source.label,
                source.path,
                source.line,
                source.offset,
                sorted(source.outer) if source.outer is not None else None,
                [(r.uid, r.line, r.body, r.glue, repr(r.value), document.offset(r.uid)) for r in document.records],
                document.head,
                document.tail,
                document.size,
                document.base,
                document.closing,
                document.next_uid,
            )
            for source in container.conversations
            for document in [source.document]
        ),
    ]


def outcome(read: Any, *arguments: Any) -> Any:
    try:
        return told(read(*arguments))
    except UnreadableFile as error:
        return str(error)


@contextmanager
def from_few_bytes_on() -> Iterator[None]:
    """Reads an array only as far as its first elements are needed."""
    kept = large._KEPT
    try:
        large._KEPT = 0  # type: ignore[misc]
        yield
    finally:
        large._KEPT = kept  # type: ignore[misc]


@settings(max_examples=tries(150))
@given(documents())
def test_a_large_document_reads_like_a_small_one(data: bytes) -> None:
    with from_few_bytes_on():
        found = outcome(read_container, file_bytes(data), "s.json")
    assert found == outcome(read_in_memory, data, "s.json")


BAD_LINES = st.sampled_from([b"x", b"", b"\0\0", b'{"a":', b'{"a":1} {'])
RECORDS = st.sampled_from([b'{"type":"user"}', b'{"a":1}', b'[{"role":"user"}]', b'{"role":"user","content":"x"}'])
REQUESTS = st.sampled_from([b'{"messages":[{"role":"user"}]}', b'{"request":{"input":[{"role":"user"}]},"n":1}'])
LINES = (st.lists(BAD_LINES | RECORDS | RECORDS, max_size=9)) | st.lists(BAD_LINES | REQUESTS | REQUESTS, max_size=9)


@given(
    st.lists(BAD_LINES, max_size=2),
    LINES,
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_large_lines_read_like_small_ones(first: list[bytes], rest: list[bytes], end: bytes) -> None:
    data = end.join(first + rest * 5)
    assert outcome(read_container, file_bytes(data), "s.jsonl") == outcome(read_in_memory, data, "s.jsonl")


@given(documents(), st.integers(1, 40))
def test_the_elements_match_those_of_the_tokenizer(data: bytes, size: int) -> None:
    start = skip_space(data, 3 if data.startswith(b"\xef\xbb\xbf") else 0)
    row = largest_array(data, start, size)
    again = largest_array(file_bytes(data), start)
    spans = None if row is None else (row.start, row.starts, row.ends, row.lines)
    assert spans == (None if again is None else (again.start, again.starts, again.ends, again.lines))
    if row is None:
        return
    assert len(row.starts) == len(row.ends) == len(row.lines)
    assert [data.count(b"\n", start, at) for at in row.starts] == list(row.lines)
    # Closed after its last element, the array parses to exactly these elements.
    text = data[row.start : row.ends[-1]] + b"]"
    if scan(text).state == "complete":
        found = [(node.start + row.start, node.end + row.start) for node in children(text, Finder(text).find(()))]
        assert found == list(zip(row.starts, row.ends, strict=True))


@pytest.mark.parametrize("gap", [b",", b", ", b",\n  ", b" ,\r\n"])
def test_so_do_those_whose_parts_begin_as_they_do(gap: bytes) -> None:
    """They are guessed at by how they begin, and a parser says where that is wrong."""
    part, other = b'{"role": "x"}', b'{"role": "},{\\"role\\": "}'
    nested = b'{"role": [' + gap.join([part, other, part]) + b"]}"
    runs = [[part] * 9, [nested] * 9, [part, b"{}", nested] * 9, [b'{"n": NaN}', part] * 9, [part, b"[]", part, b"7"]]
    elements = [*runs[0], *runs[1], *runs[0], *runs[2], *runs[3], *runs[0], *runs[4], part]
    data = b"[" + gap.join(elements) + b"]"
    starts = [1 + sum(map(len, elements[:n])) + n * len(gap) for n in range(elements.index(b"7"))]
    for size in (7, 100, len(data)):
        row = largest_array(data, 0, size)
        assert row is not None
        assert list(row.starts) == starts
        assert [data[start:end] for start, end in zip(row.starts, row.ends, strict=True)] == elements[: len(starts)]
        assert [data.count(b"\n", 0, at) for at in starts] == list(row.lines)


def test_a_large_array_is_not_in_memory(tmp_path: Path) -> None:
    message = json.dumps({"role": "user", "content": "x[{" * 300}).encode()
    data = b'{"model": "m", "messages": [' + b", ".join([message] * 9000) + b'], "tools": []}'
    content = CountingBytes.of(data, tmp_path / "s.json")
    container = read_container(content, "s.json")
    assert content.bytes_read < len(data) * 2.2
    (source,) = container.conversations
    assert len(source.document) == 9000 and source.document.records[8999].body == message
    assert source.outer is not None and source.outer["tools"] == []
    assert source.document.offset(8999) + (source.offset or 0) == data.rindex(message)
    assert sum(len(part) for part in container.parts if isinstance(part, bytes)) < 100
    assert container.to_bytes() == data
    item = source.document.records[5]
    changed = rewritten(source.document, [*source.document.records[:5], *source.document.records[6:]])
    assert container.to_bytes([changed]) == data.replace(message + b", ", b"", 1) and item.uid not in changed


def test_many_conversations_are_not_walked_through(tmp_path: Path) -> None:
    """That each element is one is seen at the first of them."""
    message = json.dumps({"role": "user", "content": "x[{" * 300}).encode()
    one = b'{"messages": [' + b", ".join([message] * 300) + b"]}"
    content = CountingBytes.of(b"[" + b", ".join([one] * 60) + b"]", tmp_path / "s.json")
    container = read_container(content, "s.json")
    assert content.bytes_read < len(content) * 2.2  # once for its lines
    assert [len(source.document) for source in container.conversations] == [300] * 60


def test_one_mistake_in_a_large_document_is_named_with_its_place(tmp_path: Path) -> None:
    data = b"[" + b",\n".join([b'{"role": "user"}'] * 100 + [b'{"role" "user"}'] + [b'{"role": "user"}'] * 100) + b"]"
    with pytest.raises(UnreadableFile) as raised, from_few_bytes_on():
        read_container(file_bytes(data), "s.json")
    assert str(raised.value).startswith("s.json: line 101, column 9: the JSON is invalid there; ")


@pytest.mark.parametrize("shape", ["lines", "torn array", "request"])
def test_memory_does_not_grow_with_the_file(shape: str) -> None:
    message = json.dumps({"role": "user", "content": "word " * 1000}).encode()
    comma, count = (b"\n", 5000) if shape == "lines" else (b",", 5000)
    data = comma.join([message] * count)
    if shape != "lines":
        data = b"[" + data + (b"]" if shape != "torn array" else b"")
    if shape == "request":
        data = b'{"model": "m", "messages": ' + data + b"}"
    content = file_bytes(data)
    size = len(data)
    del data
    tracemalloc.start()
    try:
        (source,) = read_container(content, "s").conversations
        records = source.document.records
        assert len(records) >= count and source.document.index(count - 1) == count - 1
        assert tracemalloc.get_traced_memory()[1] < size * 0.6
        del records, source
    finally:
        tracemalloc.stop()
