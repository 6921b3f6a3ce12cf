"""A file's new content as what stays of the old one and what is new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from toolpair.source.file_bytes import Content

_CHUNK: Final = 1 << 20


class OriginalRun(Struct, frozen=True):
    """The bytes from `start` to `end` of the content that the file was opened with."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


Piece = bytes | OriginalRun


def merged(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same bytes with neighbouring runs as one, and nothing empty."""
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
    """The bytes that the pieces stand for, in parts of about a megabyte. Raises Unreadable as `content` does."""
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
