"""Containers: where the conversations are, and that all other bytes stay."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each import each
from tests.rounds import tries
from tests.source.strategies import odd_json, seeds, values
from toolpair.formats.format import Item
from toolpair.history.checked_records import items_of
from toolpair.source.container import Container
from toolpair.source.container_reading import read_container
from toolpair.source.document import Document
from toolpair.source.errors import UnreadableFile
from toolpair.source.rewriting import rewritten
from toolpair.transcript.model import Damaged

MESSAGES = [{"role": "user", "content": "hi/é"}, {"role": "assistant", "content": [{"type": "text", "text": "ho"}]}]
TEXT = json.dumps(MESSAGES).encode()


def read(data: bytes) -> Container:
    container = read_container(data, "s.json")
    assert container.to_bytes() == data
    return container


def with_roles(document: Document) -> Document:
    """The document with the role of the first record changed."""
    first, *rest = items_of(document)
    return rewritten(document, [Item(first.uid, {**first.value, "role": "changed"}), *rest])


@each(
    ("value", "labels"),
    [
        (MESSAGES, ["$"]),
        ([], ["$"]),
        ({"messages": MESSAGES, "tools": []}, ["$.messages"]),
        ({"messages": []}, ["$.messages"]),
        ({"input": MESSAGES}, ["$.input"]),
        ({"trajectory": MESSAGES, "info": 1}, ["$.trajectory"]),
        ({"request": {"messages": MESSAGES}, "response": {}}, ["$.request.messages"]),
        ({"body": {"payload": {"input": MESSAGES}}}, ["$.body.payload.input"]),
        ([{"traj": MESSAGES}, {"traj": MESSAGES}], ["$[0].traj", "$[1].traj"]),
        ({"raw": "", "tasks_output": [{"messages": MESSAGES}]}, ["$.tasks_output[0].messages"]),
        ([MESSAGES, MESSAGES], ["$[0]", "$[1]"]),
        ({"body": json.dumps({"messages": MESSAGES})}, ["$.body.messages"]),
        ({"data": json.dumps({"body": json.dumps(MESSAGES)})}, ["$.data.body"]),
    ],
)
@each("indent", [None, 2])
def test_documents(value: Any, labels: list[str], indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode() + b"\n"
    container = read(data)
    assert container.kind == "document"
    assert [source.label for source in container.conversations] == labels
    for source in container.conversations:
        if source.offset is not None:
            text = source.document.to_bytes()
            assert data[source.offset : source.offset + len(text)] == text
    if container.conversations[0].document.records:
        documents = [with_roles(source.document) for source in container.conversations]
        made = container.to_bytes(documents)
        assert made.replace(b"changed", b"user") == data


def test_wrappers_are_recognised() -> None:
    source = read(json.dumps({"request": {"model": "m", "messages": MESSAGES}, "id": 1}).encode()).conversations[0]
    assert source.outer is not None
    assert source.outer["model"] == "m"
    assert source.root["id"] == 1
    assert source.path == ("request", "messages")


def test_one_object_without_messages_is_a_record() -> None:
    for data in (b'{"type":"user","message":{"role":"user"}}\n', b'{\n  "a": 1\n}'):
        container = read(data)
        assert container.kind == "lines"
        assert len(container.conversations[0].document.records) == 1


def test_one_record_per_line() -> None:
    data = b'{"type":"user","message":{"role":"user"}}\r\n\0\0{"x":1}\n{"payload":{"type":"m"}}\n{"a"'
    container = read(data)
    assert container.kind == "lines"
    document = container.conversations[0].document
    assert [r.line for r in document.records] == [1, 2, 3, 4]
    assert sum(isinstance(r.value, Damaged) for r in document.records) == 2


def test_one_conversation_per_line() -> None:
    line = json.dumps({"request": {"body": json.dumps({"messages": MESSAGES})}}).encode()
    data = b"\n".join([TEXT, b'{"torn', line, b'{"request":{"messages":' + TEXT + b"}}", b'{"other":1}', b""])
    container = read(data)
    assert [s.label for s in container.conversations] == [
        "line 1",
        "line 3 .request.body.messages",
        "line 4 .request.messages",
    ]
    assert container.damaged_outside == 1
    assert [s.line for s in container.conversations] == [1, 3, 4]
    assert [r.line for r in container.conversations[2].document.records] == [4, 4]
    made = container.to_bytes([with_roles(s.document) for s in container.conversations])
    assert made.replace(b"changed", b"user") == data


@each(
    ("torn", "records", "closed"),
    [
        (TEXT[:-5], 2, None),
        (TEXT[:-1], 3, None),
        (b'{"messages": [{"role": "user"}, {"role": "as', 2, b'{"messages": [{"role": "user"}]}'),
        (b'[\n  {"role": "user"},\n', 2, b'[\n  {"role": "user"}]'),
        (b'{"messages":[{"role":"user"}],"tools":[{"na', 1, None),
    ],
)
def test_torn_documents(torn: bytes, records: int, closed: bytes | None) -> None:
    container = read(torn)
    document = container.conversations[0].document
    assert len(document.records) == records
    if closed is None:
        return
    assert isinstance(document.records[-1].value, Damaged)
    assert document.records[-1].value.rule == "record.torn"
    assert container.to_bytes([rewritten(document, items_of(document)[:-1])]) == closed


def test_printed_python() -> None:
    data = repr([{"role": "user", "content": None}, {"role": "assistant", "content": "it's", "ok": True}]).encode()
    container = read(data)
    assert (container.kind, container.writable) == ("python", False)
    assert container.conversations[0].document.records[1].value["content"] == "it's"
    assert json.loads(container.to_bytes([with_roles(container.conversations[0].document)]))[0]["role"] == "changed"


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "empty"),
        (b"<html><body>hi</body></html>", "not JSON"),
        (b"a: 1\nb: 2\n", "not JSON"),
        (b"# Notes\n\n- [ ] one\n[two](x)\n", "not JSON"),
        (b'[\n  {"role": "user"},\n  {"role" "user"}\n]', "line 3, column 11"),
        (b'[{"role": "user",}]', "line 1, column 18"),
        (b'{"a": 1}\n{\n "b": 2\n}'[9:] + b"\n{\n}", "line 4, column 1"),
        (b'{"a', "cut off"),
        (b"x" * 20_000_000, "not JSON"),
        (b"{" + b"x" * 20_000_000, "line 1, column 2"),
        (b"[" * 100_000, ""),
        (b"['" + b"[" * 100_000, ""),
        (b"['a', " + b"[" * 100_000 + b"]" * 100_000 + b"]", "nested too deeply"),
        (b"[open('x')]", ""),
        (b"{'messages': [{'role': 'user', 'x': 1j}]}", ""),
    ],
)
def test_unreadable(data: bytes, part: str) -> None:
    with pytest.raises(UnreadableFile) as caught:
        read_container(data, "s.json")
    assert part in str(caught.value)
    assert str(caught.value).count("\n") == 0


def wrapped(kind: str, messages: list[Any], rng: random.Random) -> bytes:
    inner = odd_json(messages, rng)
    as_string = json.dumps(inner.decode(), ensure_ascii=rng.random() < 0.5).encode()
    if rng.random() < 0.5:
        as_string = as_string.replace(b"/", b"\\/")
    if kind == "array":
        return rng.choice([b"", b"\xef\xbb\xbf", b" \n"]) + inner + rng.choice([b"", b"\n", b"\n\0"])
    if kind == "wrapper":
        return b'{"model" : 1e3, "messages": ' + inner + b' ,"z":[ ]}\n'
    if kind == "string":
        return b'{"body": ' + as_string + b"}"
    if kind == "string in string":
        text = b'{"messages":' + inner + b"}"
        middle = b'{"payload":' + json.dumps(text.decode()).encode() + b"}"
        return b'{"request":{"body":' + json.dumps(middle.decode()).encode() + b"}}"
    line = odd_json(messages, rng, allow_newline=False)
    return line + b"\n" + b'{"bad\n' + b'{"messages":' + line + b"}\n"


KINDS = ["array", "wrapper", "string", "string in string", "lines"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=tries(40))
@given(value=st.lists(st.dictionaries(st.sampled_from("ab"), values, max_size=3), min_size=1, max_size=4), rng=seeds)
def test_round_trip_and_edits(kind: str, value: list[dict[str, Any]], rng: random.Random) -> None:
    messages = [{**record, "role": "user"} for record in value]
    data = wrapped(kind, messages, rng)
    container = read(data)
    assert len(container.conversations) == (2 if kind == "lines" else 1)
    documents, wanted = [], []
    for source in container.conversations:
        items = items_of(source.document)
        new = list(items)
        at = rng.randrange(len(new))
        new[at] = Item(new[at].uid, {**new[at].value, "role": "tool/é", "n": [1, "\n"]})
        if rng.random() < 0.5:
            new.insert(0, Item(-1, {"role": "first"}))
        documents.append(rewritten(source.document, new))
        wanted.append([item.value for item in new])
    again = read_container(container.to_bytes(documents), "again")
    assert [[r.value for r in s.document.records] for s in again.conversations] == wanted
