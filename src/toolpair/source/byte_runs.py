"""A file's new content as a sequence of pieces: runs of the original file, and new bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from toolpair.source.file_bytes import Content

_CHUNK: Final = 1 << 20


class OriginalRun(Struct, frozen=True):
    """The bytes from `start` to `end` of the file as it was opened."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


Piece = bytes | OriginalRun


def merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same bytes with adjacent runs merged and empty pieces dropped."""
    last: OriginalRun | None = None
    for piece in pieces:
        if not piece:
            continue
        if isinstance(piece, OriginalRun):
            if last is None:
                last = piece
            elif last.end == piece.start:
                last = OriginalRun(last.start, piece.end)
            else:
                yield last
                last = piece
            continue
        if last is not None:
            yield last
            last = None
        yield piece
    if last is not None:
        yield last


def chunks_of(pieces: Iterable[Piece], content: Content) -> Iterator[bytes]:
    """The bytes of the pieces, in chunks of about a megabyte. Raises Unreadable as `content` does."""
    batch: list[bytes] = []
    size = 0
    for piece in pieces:
        if isinstance(piece, bytes):
            batch.append(piece)
            size += len(piece)
        else:
            for at in range(piece.start, piece.end, _CHUNK):
                batch.append(content[at : min(at + _CHUNK, piece.end)])
                size += len(batch[-1])
                if size >= _CHUNK:
                    yield b"".join(batch)
                    batch, size = [], 0
        if size >= _CHUNK:
            yield b"".join(batch)
            batch, size = [], 0
    if size:
        yield b"".join(batch)
