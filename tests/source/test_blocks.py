"""Blocks of whole lines: nothing is lost, no line is split, each byte is read once."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.source.files import CountingBytes, file_bytes
from toolpair.source.file_bytes import line_blocks

TEXT = st.lists(st.sampled_from([b"\n", b"\r\n", b"a", b"abcdefgh" * 5, b"\0"]), max_size=40).map(b"".join)


@given(TEXT, st.integers(1, 60), st.integers(0, 50), st.integers(0, 90))
def test_blocks_are_the_lines_of_the_content(data: bytes, size: int, start: int, stop: int) -> None:
    expected = data[start:stop]
    for content in (data, file_bytes(data)):
        blocks = list(line_blocks(content, start, size, stop=stop))
        assert b"".join(block for _, block in blocks) == expected
        assert all(block for _, block in blocks)
        assert all(block.endswith(b"\n") for _, block in blocks[:-1])
        for offset, block in blocks:
            assert data[offset : offset + len(block)] == block
            # No longer than requested, unless a single line is longer.
            assert len(block) <= 2 * size or b"\n" not in block[: len(block) - size]


def test_each_byte_is_read_once(tmp_path: Path) -> None:
    data = b"".join(b"x" * (number % 701) + b"\n" for number in range(9000)) + b"y" * 200_000 + b"\nrest"
    content = CountingBytes.of(data, tmp_path / "s.jsonl")
    assert b"".join(block for _, block in line_blocks(content, size=1 << 18)) == data
    assert content.bytes_read <= len(data) * 1.05


def test_a_file_that_fits_into_one_block_is_not_copied() -> None:
    data = b"a\nb\n"
    ((_, block),) = line_blocks(data)
    assert block is data
