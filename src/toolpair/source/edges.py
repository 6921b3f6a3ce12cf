"""Trimming and comparing content, and counting columns, in blocks, whatever its size."""

from __future__ import annotations

from typing import Final

from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import Content

_FIRST: Final = 1 << 12
_STEP: Final = 1 << 20
_CONTINUED: Final = bytes(range(0x80, 0xC0))
"""UTF-8 continuation bytes."""


def skipped(content: Content, start: int, blanks: bytes) -> int:
    """The first offset from `start` on that holds none of the bytes `blanks`; the end when there is none."""
    step, at, size = _FIRST, start, len(content)
    while at < size:
        piece = content[at : at + step]
        rest = piece.lstrip(blanks)
        if rest:
            return at + len(piece) - len(rest)
        at += len(piece)
        step = _STEP
    return max(start, size)


def trimmed(content: Content, blanks: bytes) -> int:
    """The end of the content without trailing `blanks`."""
    step, end = _FIRST, len(content)
    while end:
        begin = max(end - step, 0)
        kept = content[begin:end].rstrip(blanks)
        if kept:
            return begin + len(kept)
        end = begin
        step = _STEP
    return 0


def same_bytes(one: Content, other: Content) -> bool:
    """Whether both hold the same bytes; False as well when one can no longer be read."""
    if isinstance(one, bytes) and isinstance(other, bytes):
        return one == other
    if len(one) != len(other):
        return False
    try:
        return all(one[at : at + _STEP] == other[at : at + _STEP] for at in range(0, len(one), _STEP))
    except UnreadableFile:
        return False


class Columns:
    """The column of a byte in its line, in characters, from 1.

    Offsets in ascending order cost one pass over the content in all.
    """

    def __init__(self, content: Content) -> None:
        self._content = content
        self._at = 0
        self._column = 1

    def of(self, at: int) -> int:
        if at < self._at:
            self._at, self._column = self._content.rfind(b"\n", 0, at) + 1, 1
        for begin in range(self._at, at, _STEP):
            piece = self._content[begin : min(begin + _STEP, at)]
            end = piece.rfind(b"\n") + 1
            self._column = (1 if end else self._column) + len(piece[end:].translate(None, _CONTINUED))
        self._at = at
        return self._column
