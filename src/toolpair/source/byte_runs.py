"""A file's new content as a sequence of pieces: runs of the original file, and new bytes; what two texts share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import AnyStr, Final

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


def against(new: bytes, old: bytes, place: int) -> Iterator[Piece]:
    """`new` in three pieces: the prefix shared with `old`, which is at this place, what differs, the shared suffix.

    In UTF-8 text they begin and end between characters.
    """
    start = _between_characters(new, common_start(new, old))
    room = min(len(new), len(old)) - start
    back = common_start(new[: -room - 1 : -1], old[: -room - 1 : -1]) if room else 0
    while back and new[len(new) - back] & 0xC0 == 0x80:
        back -= 1
    yield OriginalRun(place, place + start)
    yield new[start : len(new) - back]
    yield OriginalRun(place + len(old) - back, place + len(old))


def _between_characters(text: bytes, at: int) -> int:
    while 0 < at < len(text) and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def common_start(one: AnyStr, other: AnyStr) -> int:
    """The length of the common prefix, by bisection: comparing slices is far faster than comparing what is in them."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
