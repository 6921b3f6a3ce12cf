"""Opening: one sentence for everything that is not a session file."""

from __future__ import annotations

import gzip
import os
import socket
from pathlib import Path

import pytest

from toolpair.source import growth
from toolpair.source import snapshot as opening
from toolpair.source.container_reading import read_container
from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import FileBytes
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.snapshot import from_bytes, open_source

LINE = b'{"type":"user","message":{"role":"user","content":"hello"}}\n'


def refusal(path: Path) -> str:
    with pytest.raises(UnreadableFile) as caught:
        open_source(path)
    text = str(caught.value)
    assert str(path) in text
    assert text.endswith(".")
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"\xef\xbb\xbf\n", "empty"),
        (b"\0" * 5000, "NUL"),
        (gzip.compress(LINE, mtime=0), "gzip"),
        (b"PK\x03\x04rest", "zip"),
        (b"PK\x03\x04" + bytes(26) + b"_journal/start.json", "inspect log convert"),
        (b"\x28\xb5\x2f\xfdrest", "zstd"),
        (b"SQLite format 3\0rest", "SQLite"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"%PDF-1.7", "PDF"),
        (LINE.decode().encode("utf-16"), "UTF-16"),
        (LINE.decode().encode("utf-16-le"), "UTF-16"),
        (LINE.decode().encode("utf-16-be"), "UTF-16"),
        (LINE.decode().encode("utf-32"), "UTF-32"),
        (LINE.decode().encode("utf-32-be"), "UTF-32"),
        (bytes(range(256)) * 40, "binary"),
        (b"a\0b\0\0c" * 500, "binary"),
    ],
)
def test_refused(tmp_path: Path, data: bytes, part: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    assert part in refusal(path)


@pytest.mark.parametrize(
    "data",
    [
        LINE,
        b"\0" * 100_000 + LINE,
        LINE + b"\0" * 4096 + LINE + b"\0" * 10,
        LINE + b'{"a":"\xff\xfe"}\n',
        b'\xef\xbb\xbf{"a":"\x1b[31m"}\n',
        "é".encode("latin-1") + LINE,
    ],
)
def test_accepted(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    snapshot = open_source(path)
    assert snapshot.data == data
    assert snapshot.identity is not None
    assert snapshot.identity.size == len(data)
    assert from_bytes(data, "-").path is None


def test_what_is_not_a_file(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "none")
    assert "directory" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "pipe" in refusal(tmp_path / "pipe")
    assert "device" in refusal(Path("/dev/null"))
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.getcwd()
        os.chdir(tmp_path)
        try:
            listener.bind("sock")
        finally:
            os.chdir(here)
        assert "socket" in refusal(tmp_path / "sock")
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert "leads to itself" in refusal(loop)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.jsonl").write_bytes(LINE)
    (tmp_path / "link.jsonl").symlink_to("real.jsonl")
    snapshot = open_source(tmp_path / "link.jsonl")
    assert snapshot.path == str((tmp_path / "real.jsonl").resolve())
    assert snapshot.shown.endswith("link.jsonl")


class Growing:
    """Appends one piece each time the reader waits."""

    def __init__(self, path: Path, pieces: list[bytes]) -> None:
        self.path = path
        self.pieces = pieces
        self.waited = 0.0

    def __call__(self, seconds: float) -> None:
        self.waited += seconds
        if self.pieces:
            with self.path.open("ab") as stream:
                stream.write(self.pieces.pop(0))


@pytest.mark.parametrize(
    ("there", "pieces", "read"),
    [
        (LINE + b'{"a":', [b'"b"}\n'], LINE + b'{"a":"b"}\n'),
        (LINE + b'{"a":', [b'"b', b'"}\n{"c":'], LINE + b'{"a":"b"}\n'),
        (LINE + b'{"a":', [b"", b'"b"}\n{"c":1}\n{"d'], LINE + b'{"a":"b"}\n{"c":1}\n'),
        # The record never ends, so it is torn, and its part is shown.
        (LINE + b'{"a":', [b'"b'], LINE + b'{"a":"b'),
        (LINE + b'{"a":', [], LINE + b'{"a":'),
        # No need to wait.
        (LINE + b'{"a":1}', [b"\n" + LINE], LINE + b'{"a":1}'),
        (LINE, [LINE], LINE),
        (b'[\n  {"a":1}\n]', [b"\n"], b'[\n  {"a":1}\n]'),
    ],
)
def test_a_record_being_written_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bytes, pieces: list[bytes], read: bytes
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(there)
    growing = Growing(path, pieces)
    monkeypatch.setattr("time.sleep", growing)
    snapshot = open_source(path)
    assert snapshot.data == read
    assert snapshot.identity is not None
    assert snapshot.identity.size == len(read)
    assert growing.waited <= 0.051


def test_an_old_torn_file_is_opened_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(LINE + b'{"a":')
    os.utime(path, (1_000_000_000, 1_000_000_000))
    growing = Growing(path, [b"1}\n"])
    monkeypatch.setattr("time.sleep", growing)
    assert open_source(path).data == LINE + b'{"a":'
    assert not growing.waited


MANY = LINE * (opening.LARGE // len(LINE) + 1)


def test_a_large_file_stays_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(MANY)
    snapshot = open_source(path)
    assert isinstance(snapshot.data, FileBytes) and snapshot.raw is snapshot.data
    assert len(snapshot.data) == len(MANY) and snapshot.data[:] == MANY
    assert snapshot.identity is not None and snapshot.identity.size == len(MANY)
    small = tmp_path / "y.jsonl"
    small.write_bytes(LINE)
    assert open_source(small).data == LINE


def test_without_pread_files_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(MANY)
    monkeypatch.setattr(opening, "CAN_READ_AT", False)
    assert open_source(path).data == MANY


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b" \n" * opening.LARGE, "is empty"),
        (b"\0" * opening.LARGE, "only NUL bytes"),
        (b"\x89PNG" + MANY, "a PNG image"),
        (MANY.decode().encode("utf-16-le"), "UTF-16"),
        (bytes(range(256)) * (opening.LARGE // 256), "binary file"),
    ],
)
def test_a_large_file_is_refused_like_a_small_one(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    assert words in refusal(path)


def test_the_end_of_a_large_file_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(MANY + b'{"a":')
    growing = Growing(path, [b'"b', b'"}\n{"c":'])
    monkeypatch.setattr("time.sleep", growing)
    snapshot = open_source(path)
    assert snapshot.data[len(MANY) :] == b'{"a":"b"}\n'
    assert snapshot.identity is not None and snapshot.identity.size == len(snapshot.data)


def test_a_large_file_is_followed_as_it_grows_and_when_it_is_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(MANY)
    before = open_source(path)
    assert growth.look(before, None) is None
    with path.open("ab") as file:
        file.write(LINE + b'{"half":')
    grown = growth.look(before, None)
    assert grown is not None and grown.change == "grown" and grown.snapshot is not None
    assert isinstance(grown.snapshot.data, FileBytes) and grown.snapshot.data[len(MANY) :] == LINE
    assert before.data[len(MANY) - len(LINE) :] == LINE
    with path.open("r+b") as file:
        file.write(b'{"x"')
    os.utime(path, ns=(1, 10**18))
    again = growth.look(grown.snapshot, grown.looked)
    assert again is not None and again.change == "rewritten" and again.snapshot is not None
    assert again.snapshot.data[:4] == b'{"x"'
    path.unlink()
    path.write_bytes(again.snapshot.data[:])
    replaced = growth.look(again.snapshot, again.looked)
    assert replaced is not None and replaced.change is None, "another file that holds the same is no news"


def test_opening_and_indexing_read_each_byte_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(MANY * 4)
    read: list[int] = []
    from_file = FileBytes._from_file

    def counting(self: FileBytes, start: int, stop: int) -> bytes:
        read.append(stop - start)
        return from_file(self, start, stop)

    monkeypatch.setattr(FileBytes, "_from_file", counting)
    snapshot = open_source(path)
    assert sum(read) < 500_000
    (source,) = read_container(snapshot.data, snapshot.shown).conversations
    records = source.document.records
    assert isinstance(records, IndexedRecords)
    assert sum(len(bodies) for _, bodies in records.positions.bodies()) == len(records) == 4 * MANY.count(b"\n")
    assert sum(read) < len(MANY) * 4 * 1.15
