"""Content that arrives in pieces: in memory, from a certain size on in a file without a name, for this user alone."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import BinaryIO, Final

from toolpair.source.file_bytes import CAN_READ_AT, LARGE, Content, FileBytes

_HELD: Final = 1 << 22
"""Bytes that wait to be written, once there is a file."""
_PIECES: Final = 1000
"""So many are written by one call: every system takes 1,024."""


class Spooled:
    """`shown` is what the user calls it. Close it when `content` has been asked for, or will not be."""

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._held: list[bytes] = []
        self.size = self._on_disk = 0
        self._limit = LARGE if CAN_READ_AT else sys.maxsize
        self._file: BinaryIO | None = None

    def add(self, *pieces: bytes) -> None:
        self._held += pieces
        self.size += sum(map(len, pieces))
        if self.size - self._on_disk >= self._limit:
            self._write()

    def _write(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="toolpair-", buffering=0)  # noqa: SIM115
                self._limit = _HELD
            for first in range(0, len(self._held), _PIECES):
                some = self._held[first : first + _PIECES]
                written = os.writev(self._file.fileno(), some)
                if written < sum(map(len, some)):
                    view = memoryview(b"".join(some))[written:]
                    while view:
                        view = view[self._file.write(view) :]
        except OSError:
            # No room there: all of it stays in memory.
            before = self._read()
            self.close()
            self._held, self._on_disk, self._limit = [before, *self._held], 0, sys.maxsize
        else:
            self._held, self._on_disk = [], self.size

    def _read(self) -> bytes:
        if self._file is None:
            return b""
        return FileBytes(self._file.fileno(), self._on_disk, self._shown).pread(0, self._on_disk)

    def content(self) -> Content:
        if self._file is not None:
            self._write()
        if self._file is None:
            return b"".join(self._held)
        return FileBytes(self._file.fileno(), self.size, self._shown)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
