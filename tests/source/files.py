"""Files read on demand, for tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from toolpair.source.byte_runs import Piece
from toolpair.source.file_bytes import FileBytes
from toolpair.source.saving.in_place import replace_file
from toolpair.source.saving.made import SaveResult
from toolpair.source.saving.replaced import Old
from toolpair.source.snapshot import Snapshot


def save_in_place(snapshot: Snapshot, pieces: Iterable[Piece], *, appendable: bool = False, **how: Any) -> SaveResult:
    return replace_file(Old.of(snapshot, appendable=appendable), pieces, **how)


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
