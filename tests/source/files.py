"""Files read on demand, for tests."""

from __future__ import annotations

import tempfile
from pathlib import Path

from toolpair.source.file_bytes import FileBytes


def file_bytes(data: bytes) -> FileBytes:
    """The data as an unnamed file."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        return FileBytes(file.fileno(), len(data), "s.jsonl")


class CountingBytes(FileBytes):
    """Counts the bytes read from the file after it was opened."""

    __slots__ = ("bytes_read",)

    bytes_read: int

    @classmethod
    def of(cls, data: bytes, path: Path) -> CountingBytes:
        path.write_bytes(data)
        with path.open("rb") as file:
            made = cls(file.fileno(), len(data), str(path))
        made.bytes_read = 0
        return made

    def pread(self, start: int, stop: int) -> bytes:
        read = super().pread(start, stop)
        self.bytes_read = getattr(self, "bytes_read", 0) + len(read)
        return read
