"""Thousands of lines that are not records become one record, byte for byte the same whatever the block size."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.rounds import tries
from toolpair.source import floods, index
from toolpair.source.container import lines_document
from toolpair.source.file_bytes import Content, FileBytes
from toolpair.source.floods import Flood
from toolpair.source.index import LineIndex
from toolpair.source.record_values import parse
from toolpair.transcript.model import Damaged

KINDS: dict[str, list[bytes]] = {
    "record": [b'{"a":1}', b'{"role":"user","content":"x"}', b"[1]"],
    "words": [b"x", b"hello there", b"}", b"// comment"],
    "torn": [b'{"a":', b"{", b'{"b"', b"["],
    "bad": [b"{x}", b"{]}"],
    "nul": [b"\0\0", b"\0"],
    "bytes": [b"\xff\xfe", b"\x80x"],
    "empty": [b"{}", b"{ }"],
    "number": [b"7", b"1.5"],
    "said": [b'{"text":"hello', b'{"a":"'],
    "blank": [b"", b"  "],
}


@contextmanager
def small(block: int = 40, least: int = 6, said: int = 9) -> Iterator[None]:
    """Makes floods of few lines possible, in small blocks."""
    with (
        patch.object(floods, "LEAST", least),
        patch.object(floods, "LEAST_WITH_TEXT", said),
        patch.object(index, "PROBED", least - 1),
        patch.object(floods, "_BLOCK", block),
        patch.object(index, "BLOCK", block),
        patch.object(index, "_PIECE", block),
        patch.object(index, "_MOST", block),
    ):
        yield


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Runs of lines, each of one kind, sometimes with other line ends."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    written = []
    for _ in range(rng.randrange(1, 7)):
        kind = rng.choice(list(KINDS))
        written += [rng.choice(KINDS[kind]) for _ in range(rng.choice((1, 2, 5, 8, 20)))]
    end = rng.choice((b"\n", b"\n", b"\r\n"))
    return end.join(written) + rng.choice((b"", end))


_BLANK_AT_THE_END_OF_A_BLOCK = (
    b'{ }\n{ }\n{}\n{}\n{ }\n{"a":"\n{"text":"hello\n\x80x\n\x80x\n\n\x80x\n\xff\xfe\n\xff\xfe\n\xff\xfe\n\x80x\n\xff\xfe\n'
    b"\xff\xfe\n\xff\xfe\n[\n[\n{\n{\n{"
)
_BLANK_WHERE_ONE_LOOKS = b"\n7\n7\n\n\n\n\n\n\n\n\n7\n7\n7\n7\n1.5\n7\n1.5\n7\n1.5\n7\n"


@settings(max_examples=tries(300))
@given(contents(), st.integers(8, 200))
@example(_BLANK_AT_THE_END_OF_A_BLOCK, 8)
@example(_BLANK_WHERE_ONE_LOOKS, 8)
def test_the_block_size_does_not_matter(content: bytes, block: int) -> None:
    with small(10_000):
        whole = LineIndex(content)
        count = len(whole)
        known = [(*whole.place(number), whole.floods.get(number) is not None) for number in range(count)]
    with small(block):
        other = LineIndex(content)
        len(other)
        assert [(*other.place(n), other.floods.get(n) is not None) for n in range(len(other))] == known
        piecemeal = LineIndex(content)
        for number in range(count):
            piecemeal.grow(number)
        assert [(*piecemeal.place(n), piecemeal.floods.get(n) is not None) for n in range(len(piecemeal))] == known
        for asked in (LineIndex(content), other, piecemeal):
            asked.grow(min(3, count))
            bodies = [body for first, block_ in asked.bodies(block) for body in block_]
            assert len(bodies) == count
            for number, body in enumerate(bodies):
                if isinstance(body, Flood):
                    assert body is asked.floods[number]
                else:
                    assert bytes(body) == content[asked.start(number) : asked.end(number)]


@settings(max_examples=tries(300))
@given(contents())
def test_all_bytes_are_there_and_every_line_counts_once(content: bytes) -> None:
    with small():
        document = lines_document(content)
        assert document.to_bytes() == content
        plain = content.split(b"\n")
        told = 0
        for record in document.records:
            assert record.line is not None
            own = plain[record.line - 1 : record.line - 1 + record.lines]
            filled = [line.strip(b" \t\r") for line in own if line.strip(b" \t\r")]
            assert len(filled) == record.count
            told += record.count
            if record.lines > 1:
                assert record.count >= 5
                values = [parse(line) for line in filled]
                assert not any(isinstance(value, (dict, list)) and value for value in values)
                assert len({isinstance(value, Damaged) for value in values}) == 1
                assert record.first_line == filled[0]
                assert b"".join(record.pieces(7)) == record.body and record.body.startswith(record.head(3))
                with pytest.raises(KeyError):
                    document.index(record.uid + 1)
            assert document.index(record.uid) == list(document.records).index(record)
            assert document.at_number(document.number_of(record.uid)) is record
            for line in range(record.line, record.line + record.lines):
                assert document.at_line(line) == record.uid
        assert document.count == told
        if any(line.strip(b" \t\r\0") for line in plain[-1:]):
            assert told == sum(bool(line.strip(b" \t\r")) for line in plain)


def test_a_run_is_one_record_from_its_first_line_to_its_last() -> None:
    for before in (0, 1, 3, 5, 17):
        content = b'{"a":1}\n' * before + b"x\n" * 12 + b'{"b":1}\n'
        with small(24):
            document = lines_document(content)
            assert [(record.line, record.lines) for record in document.records] == [
                *((n + 1, 1) for n in range(before)),
                (before + 1, 12),
                (before + 13, 1),
            ]


def test_a_record_written_over_several_lines_is_not_part_of_a_flood() -> None:
    """The record that the last torn line starts may continue after it."""
    content = b'{"a":\n' * 10 + b"1}\n"
    with small():
        document = lines_document(content)
        assert [record.lines for record in document.records] == [9, 1, 1]
        assert document.runs_on(document.records[1].uid) == ((10,), b'{"a": 1}')
        assert document.runs_on(document.records[0].uid) == ((), b"")


def test_few_lines_that_hold_text_are_read_one_by_one() -> None:
    said = b'{"text":"hello\n' * 8
    with small():
        assert len(lines_document(said).records) == 8
        (record,) = lines_document(said * 2).records[:-1]
        assert record.says and record.count == 15


def test_lines_that_an_agent_reads_are_never_a_flood() -> None:
    for line in (b'{"type":"user"} x\n', b'{"a":1}}\n', b"[1]\n", b'"words" {"a":1}\n'):
        with small(said=5):
            if line.startswith((b"{", b"[")):
                assert len(lines_document(line * 20).records) == 20


def test_a_file_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a":1}\n' + b"x\n" * 300_000 + b'{"b":1}\n')
    with open(path, "rb") as file:
        content: Content = FileBytes(file.fileno(), path.stat().st_size, "x")
        document = lines_document(content)
        assert [(record.line, record.lines) for record in document.records] == [(1, 1), (2, 300_000), (300_002, 1)]
        assert document.count == 300_002
        assert sum(map(len, document.chunks())) == path.stat().st_size
