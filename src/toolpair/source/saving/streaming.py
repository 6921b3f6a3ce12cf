"""Writing to the end of a new file piece by piece, reading each piece back and comparing it.

A piece is read, written, read back and compared while it is in the processor's cache, which is cheaper than letting the
kernel copy a range and reading both files afterwards. If the file system can share extents between files, it is asked
to, and nothing is copied.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from toolpair.source.byte_runs import OriginalRun, Piece, merged
from toolpair.source.system import Io

Progress = Callable[[int], None]
"""Called with the number of bytes written and compared so far. An exception ends the save with nothing changed."""
Step = Callable[[str], None]
"""Called with a name before each step; an exception from it ends the save with nothing changed."""

PIECE: Final = 1 << 18
"""Bytes per piece: few enough for the processor's cache."""
FLUSHED: Final = 1 << 24
"""Bytes after which the disk is asked to start writing."""
SHARED: Final = 1 << 20
"""A run of fewer bytes is not worth sharing."""
BLOCK: Final = 1 << 12
"""Files share whole blocks of the file system; its block size divides this."""


class Differs(OSError):
    """What was written does not read back the same, or cannot be compared."""

    def __init__(self, how: str = "what was written reads back differently") -> None:
        super().__init__(errno.EIO, how)


class Source(Struct, frozen=True):
    """The open file that the runs refer to, and its content if that is in memory.

    `refuse_changed` raises Refused when the file no longer holds what the runs refer to; it is called before and after
    they are copied.
    """

    descriptor: int
    content: bytes | None = None
    refuse_changed: Callable[[Io], None] | None = None


class Stream:
    """Writes at the file's current position, which is `size` after its start. Its methods raise OSError."""

    def __init__(
        self, descriptor: int, io: Io, size: int = 0, *, shares: bool = True, progress: Progress | None = None
    ) -> None:
        """`shares`: runs may share blocks with their source. Impossible for a file opened for appending."""
        self._descriptor = descriptor
        self._io = io
        self._progress = progress
        self._flushed = size
        self._flushes = True
        self._shares = shares
        self.size = size

    def write(self, pieces: Iterable[Piece], source: Source | None = None) -> None:
        """Append the bytes and compare them. Starts flushing them; finishing is the caller's job."""
        batch: list[bytes] = []
        waiting = 0
        for piece in merged(pieces):
            if isinstance(piece, OriginalRun):
                assert source is not None, "runs are of a source"
                if self._shares and len(piece) >= SHARED:
                    self._put(batch)
                    batch, waiting = [], 0
                    piece = self._share(piece, source)
            parts = _divided(piece) if isinstance(piece, bytes) else self._read(piece, source)
            for part in parts:
                batch.append(part)
                waiting += len(part)
                if waiting >= PIECE:
                    self._put(batch)
                    batch, waiting = [], 0
        self._put(batch)

    def _put(self, batch: list[bytes]) -> None:
        data = batch[0] if len(batch) == 1 else b"".join(batch)
        if not data:
            return
        write_all(self._descriptor, data, self._io)
        self._compare(data)
        self._begin_flush()

    def _compare(self, expected: bytes) -> None:
        if read_at(self._descriptor, len(expected), self.size, self._io) != expected:
            raise Differs
        self.size += len(expected)
        if self._progress is not None:
            self._progress(self.size)

    def _begin_flush(self) -> None:
        """Let the disk write these bytes while the next ones are copied and compared."""
        if self._flushes and self.size - self._flushed >= FLUSHED:
            try:
                self._io.begin_flush(self._descriptor, self._flushed, self.size - self._flushed)
            except OSError as error:
                if error.errno not in _CANNOT:
                    raise
                self._flushes = False
            self._flushed = self.size

    def _share(self, run: OriginalRun, source: Source) -> OriginalRun:
        """Share whole blocks from the start of the run with its source. Returns the rest of the run."""
        size = len(run) // BLOCK * BLOCK
        if run.start % BLOCK or self.size % BLOCK:
            return run
        try:
            self._io.share(source.descriptor, self._descriptor, size, run.start, self.size)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            self._shares = False
            return run
        shared = OriginalRun(run.start, run.start + size)
        for part in self._read(shared, source):
            self._compare(part)
        self._io.seek(self._descriptor, self.size)
        return OriginalRun(shared.end, run.end)

    def _read(self, run: OriginalRun, source: Source | None) -> Iterator[bytes]:
        assert source is not None
        for at in range(run.start, run.end, PIECE):
            size = min(PIECE, run.end - at)
            if source.content is not None:
                yield source.content[at : at + size]
            else:
                yield read_exactly(source.descriptor, size, at, self._io)


_CANNOT: Final = (
    *(errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOTTY, errno.EINVAL, errno.EXDEV, errno.EPERM),
    *(errno.EACCES, errno.EBADF, errno.ESPIPE, errno.ETXTBSY),
)
"""Errors of systems and sandboxes that do not offer the call."""


def _divided(data: bytes) -> Iterator[bytes]:
    return (data[at : at + PIECE] for at in range(0, len(data), PIECE))


def read_at(descriptor: int, size: int, position: int, io: Io) -> bytes:
    """The bytes from `position`; fewer only at the end of the file."""
    piece = io.pread(descriptor, size, position)
    if len(piece) == size or not piece:
        return piece
    pieces = [piece]
    size -= len(piece)
    position += len(piece)
    while size and (piece := io.pread(descriptor, size, position)):
        pieces.append(piece)
        size -= len(piece)
        position += len(piece)
    return b"".join(pieces)


def read_exactly(descriptor: int, size: int, position: int, io: Io) -> bytes:
    piece = read_at(descriptor, size, position, io)
    if len(piece) != size:
        raise Differs("the file ended early")
    return piece


def last_line(descriptor: int, end: int, io: Io, start: int = 0) -> bytes:
    """The bytes between the last line end before `end` and `end`; everything from `start` when there is none."""
    found: list[bytes] = []
    position = end
    while position > start:
        begin = max(start, position - PIECE)
        head, newline, tail = read_exactly(descriptor, position - begin, begin, io).rpartition(b"\n")
        found.append(tail if newline else head + tail)
        if newline:
            break
        position = begin
    return b"".join(reversed(found))


def same(one: int, other: int, size: int, shift: int, io: Io, start: int = 0) -> bool:
    """Whether `size` bytes of one file from `start` equal those of another, where they are `shift` bytes further on."""
    for at in range(start, start + size, PIECE):
        wanted = min(PIECE, start + size - at)
        piece = read_at(one, wanted, at, io)
        if len(piece) != wanted or piece != read_at(other, wanted, at + shift, io):
            return False
    return True


def begins(descriptor: int, expected: bytes, io: Io) -> bool:
    """Whether the file begins with these bytes."""
    places = range(0, len(expected), PIECE)
    pieces = zip(places, _divided(expected), strict=True)
    return all(read_at(descriptor, len(piece), at, io) == piece for at, piece in pieces)


def write_all(descriptor: int, data: bytes | memoryview, io: Io) -> None:
    view = memoryview(data)
    while view:
        written = io.write(descriptor, view[:PIECE])
        if written <= 0:
            raise OSError(errno.EIO, "nothing was written")
        view = view[written:]
