"""What a save writes: runs of the old file and new bytes, together the whole new content."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from tests.source.files import file_bytes
from tests.source.strategies import edited, odd_json, seeds, subobjects, values
from tests.source.test_container import KINDS, wrapped
from toolpair.formats.format import Item
from toolpair.history.checked_records import items_of
from toolpair.session.session import open_session
from toolpair.source import snapshot as opening
from toolpair.source.byte_runs import OriginalRun, chunks_of, merged
from toolpair.source.container import Container
from toolpair.source.container_reading import read_container
from toolpair.source.document import Document
from toolpair.source.errors import Refused
from toolpair.source.file_bytes import Content
from toolpair.source.fingerprint import BLOCK, Fingerprint
from toolpair.source.rewriting import rewritten
from toolpair.source.saving.in_place import FileSave, replace_file
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.opened_content import remembered, source_of
from toolpair.source.snapshot import open_source
from toolpair.source.system import Io


def edited_at_random(document: Document, rng: random.Random) -> Document:
    """The document with some records changed, added, removed and moved, once or twice."""
    for _ in range(rng.randint(1, 2)):
        items = items_of(document)
        spare = [found for item in items if isinstance(item.value, dict) for found in subobjects(item.value)]
        new = [
            Item(item.uid, edited(item.value, rng, spare)) if rng.random() < 0.3 and type(item.value) is dict else item
            for item in items
            if rng.random() > 0.15
        ]
        if rng.random() < 0.5:
            new.insert(rng.randint(0, len(new)), Item(-1, {"role": "new", "n": [1, "\n"]}))
        if rng.random() < 0.3 and len(new) > 1:
            at = rng.randrange(len(new) - 1)
            new[at : at + 2] = reversed(new[at : at + 2])
        document = rewritten(document, new)
    return document


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=tries(30))
@given(
    value=st.lists(st.dictionaries(st.sampled_from("ab"), values, max_size=3), min_size=1, max_size=6),
    rng=seeds,
    held=st.booleans(),
)
def test_runs_make_up_the_whole_content(kind: str, value: list[dict[str, Any]], rng: random.Random, held: bool) -> None:
    data = wrapped(kind, [{**record, "role": "user"} for record in value], rng)
    content: Content = data if held else file_bytes(data)
    container = read_container(content, "s")
    documents = [edited_at_random(source.document, rng) for source in container.conversations]
    for now in (documents, [source.document for source in container.conversations]):
        assert b"".join(chunks_of(container.runs(now), content)) == container.to_bytes(now)


@settings(max_examples=tries(30))
@given(value=st.lists(values, min_size=1, max_size=6), rng=seeds)
def test_unchanged_lines_are_runs(value: list[Any], rng: random.Random) -> None:
    data = b"\n".join(odd_json({"role": "user", "x": each}, rng, allow_newline=False) for each in value) + b"\n"
    container = read_container(data, "s")
    [source] = container.conversations
    changed = edited_at_random(source.document, rng)
    pieces = list(merged(container.runs([changed])))
    new = sum(len(piece) for piece in pieces if isinstance(piece, bytes))
    touched = [record for record in changed.records if record not in set(source.document.records)]
    assert new <= sum(record.size + len(record.glue) for record in touched)
    assert list(merged(container.runs([source.document]))) == [OriginalRun(0, len(data))]


class Counting(Io):
    """Counts the bytes read and written."""

    def __init__(self) -> None:
        self.bytes: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def pread(self, descriptor: int, size: int, position: int) -> bytes:
        read = super().pread(descriptor, size, position)
        self.bytes["read"] += len(read)
        self.calls["read"] += 1
        return read

    def write(self, descriptor: int, data: memoryview) -> int:
        written = super().write(descriptor, data)
        self.bytes["written"] += written
        self.calls["written"] += 1
        return written


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """9 MB, so that it is not held in memory."""
    path = tmp_path / "large.jsonl"
    text = "words " * 150
    with path.open("w") as file:
        for number in range(10_000):
            file.write(json.dumps({"role": "assistant" if number % 2 else "user", "content": text}) + "\n")
    assert path.stat().st_size > opening.LARGE
    return path


def one_edit(path: Path) -> tuple[Container, Document]:
    container = read_container(open_source(path).data, "s")
    [source] = container.conversations
    items = items_of(source.document)
    items[5000] = Item(items[5000].uid, {**items[5000].value, "content": "changed"})
    return container, rewritten(source.document, items)


@pytest.mark.parametrize("how", ["in place", "a copy"])
def test_with_one_edit_each_byte_is_read_written_and_read_back_once(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    size = large.stat().st_size
    old = large.read_bytes()
    snapshot = remembered(open_source(large))
    container, document = one_edit(large)
    wanted = container.to_bytes([document])
    io = Counting()
    if how == "in place":
        saving = FileSave(snapshot, container, [document])
        monkeypatch.setattr("toolpair.source.saving.in_place.replace_file", partial(replace_file, io=io))
        result = saving.write()
        assert result.backup is not None and result.backup.read_bytes() == old
        path = large
    else:
        path = save_as(tmp_path / "copy", container.runs([document]), source=source_of(snapshot), io=io).path
    assert path.read_bytes() == wanted
    assert len(wanted) == io.bytes["written"]
    assert size + len(wanted) - 2000 <= io.bytes["read"] <= size + len(wanted)
    assert max(io.calls.values()) < 200


def test_a_large_file_that_grew_is_compared_with_what_was_opened(large: Path) -> None:
    snapshot = remembered(open_source(large))
    container, document = one_edit(large)
    wanted = container.to_bytes([document])
    with large.open("ab") as file:
        file.write(b'{"role":"user","content":"late"}\n')
    saving = FileSave(snapshot, container, [document])
    result = saving.write()
    assert large.read_bytes() == wanted + b'{"role":"user","content":"late"}\n'
    assert result.appended == 33
    after, found = saving.read_again()
    assert after.fingerprint is not None and after.identity == result.identity
    assert found.to_bytes() == large.read_bytes()


@pytest.mark.parametrize("how", ["in place", "a copy"])
@pytest.mark.parametrize("grows", [False, True])
def test_a_large_file_that_was_edited_in_its_middle_is_not_saved(
    large: Path, tmp_path: Path, how: str, grows: bool
) -> None:
    snapshot = remembered(open_source(large))
    container, document = one_edit(large)
    times = large.stat()
    descriptor = os.open(large, os.O_RDWR)
    os.pwrite(descriptor, b"WORDS", 3 << 20)
    if grows:
        os.pwrite(descriptor, b'{"role":"user","content":"late"}\n', times.st_size)
    os.close(descriptor)
    os.utime(large, ns=(times.st_atime_ns, times.st_mtime_ns))
    before = large.read_bytes()
    with pytest.raises(Refused, match="has changed since it was opened"):
        if how == "in place":
            FileSave(snapshot, container, [document]).write()
        else:
            save_as(tmp_path / "copy", container.runs([document]), source=source_of(snapshot))
    assert large.read_bytes() == before and os.listdir(tmp_path) == [large.name]


def test_a_large_session_is_followed_and_saved_as_it_grows(large: Path) -> None:
    with large.open("a") as file:
        call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
        file.write(json.dumps({"role": "assistant", "content": [call]}) + "\n")
        file.write(json.dumps({"role": "user", "content": "go on"}) + "\n")
    session = open_session(large, format="anthropic")
    session.remember()
    for text in ("one", "two"):
        with large.open("a") as file:
            file.write(json.dumps({"role": "user", "content": text}) + "\n")
        if text == "one":
            assert session.follow() is not None
    assert session.stage_recommended() is not None
    session.save()
    lines = large.read_bytes().splitlines()
    assert json.loads(lines[-1])["content"] == "two" and json.loads(lines[-2])["content"] == "one"
    assert session.file.size == large.stat().st_size
    assert not [problem for problem in session.problems if problem.rule == "result.missing"]


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_fingerprints(size: int) -> None:
    data = random.Random(size).randbytes(size)
    taken = Fingerprint.of(data)
    grown = data + b"more"

    def read(of: bytes) -> Any:
        return lambda count, at: of[at : at + count]

    assert taken.begins(read(data)) and taken.begins(read(grown))
    assert Fingerprint.of(grown, taken) == Fingerprint.of(grown)
    if size:
        for place in {0, size // 2, size - 1}:
            other = bytearray(grown)
            other[place] ^= 1
            assert not taken.begins(read(bytes(other)))
        assert not taken.begins(read(data[:-1]))
