"""Reading a file in blocks of whole lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolpair.source.file_bytes import Content, FileBytes

BLOCK: Final = 1 << 22
_WINDOW: Final = 1 << 13
"""The last bytes of a block are searched for a line end first; only these are read twice."""
_PIECE: Final = 1 << 16


def line_blocks(
    content: Content, start: int = 0, size: int = BLOCK, *, stop: int | None = None
) -> Iterator[tuple[int, bytes]]:
    """The bytes from `start` to `stop` (or the end) in order, as blocks with their offsets.

    A block is whole lines with their ends; the last one may lack its end. It has about `size` bytes, more where a line
    is longer. Each byte is read once, except for a few at the end of a block. Raises Unreadable when the file no longer
    holds its bytes.
    """
    stop = len(content) if stop is None else min(stop, len(content))
    return _of_bytes(content, start, size, stop) if isinstance(content, bytes) else _read(content, start, size, stop)


def _of_bytes(content: bytes, start: int, size: int, stop: int) -> Iterator[tuple[int, bytes]]:
    while start < stop:
        end = stop
        if stop - start > size:
            end = content.rfind(b"\n", start, start + size) + 1 or content.find(b"\n", start + size, stop) + 1 or stop
        yield start, content[start:end]
        start = end


def _read(content: FileBytes, start: int, size: int, stop: int) -> Iterator[tuple[int, bytes]]:
    # The end of a block is found first, so that the block need not be copied.
    while stop - start > size:
        end = start + size
        window = min(_WINDOW, size)
        cut = content.pread(end - window, end).rfind(b"\n") + 1
        if cut:
            end += cut - window
            yield start, content.pread(start, end)
        else:
            pieces = [content.pread(start, end), *_up_to_line_end(content, end, stop)]
            end = start + sum(map(len, pieces))
            yield start, b"".join(pieces)
        start = end
    if start < stop:
        yield start, content.pread(start, stop)


def _up_to_line_end(content: FileBytes, start: int, stop: int) -> Iterator[bytes]:
    while start < stop:
        piece = content.pread(start, min(start + _PIECE, stop))
        end = piece.find(b"\n") + 1
        if end:
            yield piece[:end]
            return
        yield piece
        start += len(piece)
