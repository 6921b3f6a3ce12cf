"""The column of a byte in its line, for offsets asked for one after the other."""

from __future__ import annotations

from typing import Final

from toolpair.source.file_bytes import FileBytes

_BLOCK: Final = 1 << 20
_CONTINUED: Final = bytes(range(0x80, 0xC0))
"""UTF-8 continuation bytes."""


class Columns:
    """Columns are counted in characters, from 1. Offsets in ascending order cost one pass over the content in all."""

    def __init__(self, content: bytes | FileBytes) -> None:
        self._content = content
        self._at = 0
        self._column = 1

    def of(self, at: int) -> int:
        if at < self._at:
            self._at, self._column = self._line_start(at), 1
        for begin in range(self._at, at, _BLOCK):
            self._count(self._content[begin : min(begin + _BLOCK, at)])
        self._at = at
        return self._column

    def _count(self, piece: bytes) -> None:
        end = piece.rfind(b"\n") + 1
        if end:
            self._column = 1
        self._column += len(piece[end:].translate(None, _CONTINUED))

    def _line_start(self, at: int) -> int:
        while at > 0:
            begin = max(0, at - _BLOCK)
            found = self._content[begin:at].rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            at = begin
        return 0
