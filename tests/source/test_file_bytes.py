"""A file read on demand gives the same as `bytes`, or says that it cannot."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.files import CountingBytes, file_bytes
from toolpair.source.edges import same_bytes, skipped, trimmed
from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import FileBytes

LARGE = b"".join(b"%07d\n" % number for number in range(50_000))
PLACES = st.integers(-5, 300_000 // 6) | st.integers(0, len(LARGE) + 5)


@given(st.lists(st.tuples(PLACES, st.integers(-3, 200) | st.integers(0, 300_000)), max_size=12))
def test_slices_match_bytes(wanted: list[tuple[int, int]]) -> None:
    content = file_bytes(LARGE)
    assert len(content) == len(LARGE)
    for start, size in wanted:
        assert content[start : start + size] == LARGE[start : start + size]
    assert content[-9:] == LARGE[-9:] and content[:0] == b"" and content[-1] == LARGE[-1] and content[5] == LARGE[5]
    with pytest.raises(IndexError):
        content[len(LARGE)]


@given(
    st.integers(0, 399_999), st.integers(0, 400_000), st.sampled_from([b"\n", b"0049", b"\n00", b"x", b"0000000\n0"])
)
def test_searches_match_bytes(start: int, stop: int, wanted: bytes) -> None:
    content = file_bytes(LARGE)
    assert content.find(wanted, start) == LARGE.find(wanted, start)
    assert content.find(wanted, start, stop) == LARGE.find(wanted, start, stop)
    assert content.rfind(wanted) == LARGE.rfind(wanted)
    assert content.rfind(wanted, start, stop) == LARGE.rfind(wanted, start, stop)
    assert content.count(b"9", start, stop) == LARGE.count(b"9", start, stop)
    assert content.startswith(b"0000") and not content.startswith((b"1", b"2"))


@pytest.mark.parametrize("step", [1, -1])
def test_nearby_bytes_are_read_together(tmp_path: Path, step: int) -> None:
    content = CountingBytes.of(LARGE, tmp_path / "s.jsonl")
    for at in range(0, len(LARGE), 13)[::step]:
        assert content[at : at + 13] == LARGE[at : at + 13]
    assert content.bytes_read <= len(LARGE)


def opened(path: Path) -> FileBytes:
    with path.open("rb") as file:
        return FileBytes(file.fileno(), path.stat().st_size, "s.jsonl")


def test_a_file_that_grows_or_is_replaced_still_gives_its_old_bytes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(LARGE)
    content = opened(path)
    with path.open("ab") as file:
        file.write(b"more\n")
    assert content[len(LARGE) - 8 :] == LARGE[-8:] and len(content) == len(LARGE)
    path.unlink()
    path.write_bytes(b"another")
    assert content[100_000:100_016] == LARGE[100_000:100_016]


def rewritten(path: Path, how: str) -> None:
    with path.open("r+b") as file:
        if how == "shrunk":
            file.truncate(1000)
        elif how == "written over":
            file.seek(200_000)
            file.write(b"xxxx")
        else:
            file.truncate(0)
            file.write(b"y" * (len(LARGE) + 10))
    found = path.stat()
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ("shrunk", "s.jsonl has become shorter since it was opened; open it again."),
        ("written over", "s.jsonl has been overwritten since it was opened; open it again."),
        ("anew", "s.jsonl has been replaced since it was opened; open it again."),
    ],
)
def test_a_file_that_lost_its_bytes_is_refused(tmp_path: Path, how: str, sentence: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(LARGE)
    content = opened(path)
    rewritten(path, how)
    for start, stop in ((300_000, 300_010), (0, len(LARGE)), (len(LARGE) - 5, len(LARGE))):
        with pytest.raises(UnreadableFile) as raised:
            content[start:stop]
        assert str(raised.value) == sentence


def test_the_descriptor_is_closed_with_the_object() -> None:
    gc.collect()
    content = file_bytes(LARGE)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    if before is None:
        pytest.skip("open descriptors are not listed here")
    del content
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_a_closed_file_says_so() -> None:
    content = file_bytes(LARGE)
    content.close()
    with pytest.raises(UnreadableFile, match=r"is closed; open it again\.$"):
        content[100_000:100_001]


@given(
    st.lists(st.sampled_from([b" ", b"\0", b"\n" * 5000, b"a"]), max_size=8).map(b"".join),
    st.sampled_from([b" \n", b"\0", b" \n\0"]),
    st.integers(0, 3),
)
def test_trimming_matches_bytes(data: bytes, blanks: bytes, start: int) -> None:
    start = min(start, len(data))
    for content in (data, file_bytes(data)):
        assert skipped(content, start, blanks) == len(data) - len(data[start:].lstrip(blanks))
        assert trimmed(content, blanks) == len(data.rstrip(blanks))
        assert same_bytes(content, file_bytes(data)) and not same_bytes(content, file_bytes(data + b"x"))
        assert not same_bytes(file_bytes(data + b"y"), data + b"x")
