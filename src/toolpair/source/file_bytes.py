"""The bytes of a large file, read on demand: what it held when it was opened, without holding it in memory.

And reading such content, or bytes in memory, in blocks of whole lines.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from typing import Final, overload

from toolpair.source.errors import UnreadableFile

CAN_READ_AT: Final = hasattr(os, "pread") and os.name != "nt"
"""On other systems files are read whole: Windows has no pread, and does not replace a file that is open."""
LARGE: Final = 8 << 20
"""From so many bytes on content stays on disk."""
_PIECE: Final = 1 << 16
_PIECES: Final = 4
_STEP: Final = 1 << 22
_COMPARED: Final = 1 << 12
"""Bytes at both ends that tell a file that has only grown from one that was rewritten."""


class FileBytes:
    """The first `size` bytes of an open file, through its own descriptor, which is closed with the object.

    Slices are `bytes`; short ones come from a small cache of recent reads. A read returns the bytes that were there
    when the file was opened, or raises Unreadable: the file may grow meanwhile, but neither shrink nor be overwritten.
    Another file taking its name does not matter.
    """

    __slots__ = ("__weakref__", "_descriptor", "_ends", "_lost", "_pieces", "_seen", "_size", "close", "shown")

    def __init__(self, descriptor: int, size: int, shown: str) -> None:
        """`descriptor` is duplicated and stays the caller's; `shown` is the name for the user. Raises Unreadable."""
        self.shown: Final = shown
        self._size: Final = size
        self._descriptor: Final = _own(descriptor, shown)
        self.close: Final = weakref.finalize(self, os.close, self._descriptor)
        """Close it now; otherwise it is closed when the object is collected."""
        self._pieces: tuple[tuple[int, bytes], ...] = ()
        """Cache of recent reads, the newest first, each with its offset."""
        self._lost: str | None = None
        self._seen = self._state()
        self._ends = self._read_ends()

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, key: slice) -> bytes: ...
    @overload
    def __getitem__(self, key: int) -> int: ...
    def __getitem__(self, key: slice | int) -> bytes | int:
        if isinstance(key, int):
            place = key + self._size if key < 0 else key
            if not 0 <= place < self._size:
                raise IndexError("there is no such byte")
            return self.read(place, place + 1)[0]
        start, stop, step = key.indices(self._size)
        if step != 1:
            raise ValueError("a file is read forwards")
        return self.read(start, stop)

    def read(self, start: int, stop: int) -> bytes:
        """The bytes from `start` to `stop`, both within `size`. Raises Unreadable."""
        if stop <= start:
            return b""
        if stop - start >= _PIECE:
            return self.pread(start, stop)
        first = start // _PIECE * _PIECE
        if stop <= first + _PIECE:
            return self._piece(first)[start - first : stop - first]
        # It spans two pieces.
        return self._piece(first)[start - first :] + self._piece(first + _PIECE)[: stop - first - _PIECE]

    def _piece(self, at: int) -> bytes:
        """The piece of the file that begins at `at`, cached or read now."""
        for known, piece in self._pieces:
            if known == at:
                return piece
        piece = self.pread(at, min(at + _PIECE, self._size))
        self._pieces = ((at, piece), *self._pieces[: _PIECES - 1])
        return piece

    def fileno(self) -> int:
        """The descriptor, for saving, which stats the file and lets the kernel copy from it."""
        return self._descriptor

    def startswith(self, prefix: bytes | tuple[bytes, ...]) -> bool:
        longest = len(prefix) if isinstance(prefix, bytes) else max(map(len, prefix), default=0)
        return self[:longest].startswith(prefix)

    def find(self, wanted: bytes, start: int = 0, stop: int | None = None) -> int:
        """The first offset of `wanted`, -1 when it is not there; as in `bytes`, read in blocks."""
        start, stop, _ = slice(start, stop).indices(self._size)
        step = 1 << 12
        while start + len(wanted) <= stop:
            end = min(start + step + len(wanted), stop)
            at = self.read(start, end).find(wanted)
            if at >= 0:
                return start + at
            if end == stop:
                break
            start = end - len(wanted) + 1
            step = min(step * 4, _STEP)
        return -1

    def rfind(self, wanted: bytes, start: int = 0, stop: int | None = None) -> int:
        """The last offset of `wanted`, -1 when it is not there."""
        start, stop, _ = slice(start, stop).indices(self._size)
        step = 1 << 12
        while start + len(wanted) <= stop:
            begin = max(stop - step - len(wanted), start)
            at = self.read(begin, stop).rfind(wanted)
            if at >= 0:
                return begin + at
            if begin == start:
                break
            stop = begin + len(wanted) - 1
            step = min(step * 4, _STEP)
        return -1

    def count(self, byte: bytes, start: int = 0, stop: int | None = None) -> int:
        """How often a single byte occurs."""
        if len(byte) != 1:
            raise ValueError("single bytes are counted")
        start, stop, _ = slice(start, stop).indices(self._size)
        return sum(self.read(at, min(at + _STEP, stop)).count(byte) for at in range(start, stop, _STEP))

    def pread(self, start: int, stop: int) -> bytes:
        """As `read`, bypassing the cache: for callers that read large blocks. Raises Unreadable."""
        if self._lost is not None:
            raise UnreadableFile(self._lost)
        read = self._from_file(start, stop)
        if (state := self._state()) != self._seen:
            # It has been written to. Growth is fine; anything else is not.
            self._lost = self._why_lost(state)
            if self._lost is not None:
                raise UnreadableFile(self._lost)
            self._seen = state
        return read

    def _from_file(self, start: int, stop: int) -> bytes:
        if not self.close.alive:
            raise UnreadableFile(f"{self.shown} is closed; open it again.")
        try:
            read = os.pread(self._descriptor, stop - start, start)
            while len(read) < stop - start:
                # A signal, a network file system or the size limit of one call may cut a read short.
                more = os.pread(self._descriptor, stop - start - len(read), start + len(read))
                if not more:
                    self._lost = self._shorter()
                    raise UnreadableFile(self._lost)
                read += more
        except OSError as error:
            raise self._failed(error) from None
        return read

    def _state(self) -> tuple[int, int]:
        """Size and modification time."""
        try:
            found = os.fstat(self._descriptor)
        except OSError as error:
            raise self._failed(error) from None
        return found.st_size, found.st_mtime_ns

    def _why_lost(self, state: tuple[int, int]) -> str | None:
        """Why a file in this state no longer holds the bytes; None when it has only grown."""
        size, _ = state
        if size < self._size:
            return self._shorter()
        if size <= self._seen[0]:
            return f"{self.shown} has been overwritten since it was opened; open it again."
        if self._read_ends() != self._ends:
            return f"{self.shown} has been replaced since it was opened; open it again."
        return None

    def _read_ends(self) -> tuple[bytes, bytes]:
        part = min(_COMPARED, self._size)
        return self._from_file(0, part), self._from_file(self._size - part, self._size)

    def _shorter(self) -> str:
        return f"{self.shown} has become shorter since it was opened; open it again."

    def _failed(self, error: OSError) -> UnreadableFile:
        return UnreadableFile(
            f"{self.shown} cannot be read ({error.strerror or error}); check the disk and open it again."
        )


Content = bytes | FileBytes
"""A file's content: in memory, or read from the file on demand."""


def _own(descriptor: int, shown: str) -> int:
    try:
        return os.dup(descriptor)
    except OSError as error:
        raise UnreadableFile(
            f"{shown} cannot be kept open ({error.strerror}); close other files and try again."
        ) from None


BLOCK: Final = 1 << 22
_WINDOW: Final = 1 << 13
"""The last bytes of a block are searched for a line end first; only these are read twice."""


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
