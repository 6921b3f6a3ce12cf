"""Bytes brought to the end of a new file, piece by piece, each compared with what stands there then.

A piece is read, written, read back and compared while the processor has it at hand, which costs less than to have the
kernel copy a range and to read both files afterwards. Where a file system can share what two files have in common, it
is asked to, and nothing is copied.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct

from toolpair.source.byte_runs import OriginalRun, Piece, merged
from toolpair.source.system import Io

Progress = Callable[[int], None]
"""Told how many bytes of the new file are written and compared. What it raises ends the save, with nothing changed."""

PIECE: Final = 1 << 18
"""Bytes at a time: few enough for the processor's own memory."""
FLUSHED: Final = 1 << 24
"""Bytes after which the disk is told to take them."""
SHARED: Final = 1 << 20
"""A run of fewer bytes is not worth sharing."""
BLOCK: Final = 1 << 12
"""Files share whole blocks of the file system, which has none that are not some of these."""


class Differs(OSError):
    """What was written does not read back as it should, or cannot be compared."""

    def __init__(self, how: str = "what was written reads back differently") -> None:
        super().__init__(errno.EIO, how)


class Source(Struct, frozen=True):
    """The open file that runs are stretches of, and its content where that is in memory.

    `refuse_changed` raises Refused where the file does not hold any more what the runs mean; it is asked before they
    are copied and after.
    """

    descriptor: int
    content: bytes | None = None
    refuse_changed: Callable[[Io], None] | None = None


class Stream:
    """Writes where the open file's own position is, which is `size` behind its start. Its methods raise OSError."""

    def __init__(
        self, descriptor: int, io: Io, size: int = 0, *, shares: bool = True, progress: Progress | None = None
    ) -> None:
        """`shares`: runs may be shared with their source; not behind the end of a file that only grows."""
        self._descriptor = descriptor
        self._io = io
        self._progress = progress
        self._flushed = size
        self._flushes = True
        self._shares = shares
        self.size = size

    def write(self, pieces: Iterable[Piece], source: Source | None = None) -> None:
        """Add the bytes and compare them. Flushing them is left to the caller, and begun here."""
        batch: list[bytes] = []
        waiting = 0
        for piece in merged(pieces):
            if isinstance(piece, OriginalRun):
                assert source is not None, "runs are of a source"
                if self._shares and len(piece) >= SHARED:
                    self._put(batch)
                    batch, waiting = [], 0
                    piece = self._share(piece, source)
            for part in _parts(piece) if isinstance(piece, bytes) else self._read(piece, source):
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
        """While the next bytes are copied and compared, the disk takes these."""
        if self._flushes and self.size - self._flushed >= FLUSHED:
            try:
                self._io.begin_flush(self._descriptor, self._flushed, self.size - self._flushed)
            except OSError as error:
                if error.errno not in _CANNOT:
                    raise
                self._flushes = False
            self._flushed = self.size

    def _share(self, run: OriginalRun, source: Source) -> OriginalRun:
        """Let the new file share whole blocks from the start of the run. What is left of it."""
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
"""What systems say, and what shields processes from them, where there is no such call."""


def _parts(data: bytes) -> Iterator[bytes]:
    if len(data) <= PIECE:
        yield data
        return
    for at in range(0, len(data), PIECE):
        yield data[at : at + PIECE]


def read_at(descriptor: int, size: int, position: int, io: Io) -> bytes:
    """The bytes from `position`; fewer only where the file ends."""
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
    """What stands between the last line end before `end` and it; all from `start` when there is none."""
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
    """Whether `size` bytes of one file from `start` are those of another, `shift` behind there."""
    for at in range(start, start + size, PIECE):
        wanted = min(PIECE, start + size - at)
        piece = read_at(one, wanted, at, io)
        if len(piece) != wanted or piece != read_at(other, wanted, at + shift, io):
            return False
    return True


def begins(descriptor: int, expected: bytes, io: Io) -> bool:
    """Whether the file begins with these bytes."""
    for at in range(0, len(expected), PIECE):
        wanted = expected[at : at + PIECE]
        if read_at(descriptor, len(wanted), at, io) != wanted:
            return False
    return True


def write_all(descriptor: int, data: bytes | memoryview, io: Io) -> None:
    view = memoryview(data)
    while view:
        written = io.write(descriptor, view[:PIECE])
        if written <= 0:
            raise OSError(errno.EIO, "nothing was written")
        view = view[written:]
