"""What tells later whether a file is the same: its identity, and a hash of each megabyte of a large one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.source.file_bytes import Content

if TYPE_CHECKING:
    from os import stat_result

BLOCK: Final = 1 << 20

Read = Callable[[int, int], bytes]
"""Called with a size and an offset; returns fewer bytes only at the end of the file."""


class Identity(Struct, frozen=True):
    """Which file it was, and in which state: compared before the file is replaced."""

    dev: int
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, found: stat_result) -> Identity:
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class Fingerprint(Struct, frozen=True):
    """Python's own hash of each block (64 bits, keyed per process) of the first `size` bytes.

    It guards against another program writing to the file by chance, not against a deliberate forgery.
    """

    size: int
    blocks: tuple[int, ...]

    @classmethod
    def of(cls, content: Content, known: Fingerprint | None = None) -> Fingerprint:
        """The fingerprint of `content`; that of its beginning, `known`, is not computed again. Raises Unreadable."""
        blocks = list(known.blocks[: known.size // BLOCK]) if known is not None and known.size <= len(content) else []
        size = len(content)
        for at in range(len(blocks) * BLOCK, size, BLOCK):
            blocks.append(hash(content[at : min(at + BLOCK, size)]))
        return cls(size, tuple(blocks))

    def begins(self, read: Read) -> bool:
        """Whether what `read` returns begins with these bytes."""
        for number, known in enumerate(self.blocks):
            at = number * BLOCK
            size = min(BLOCK, self.size - at)
            found = read(size, at)
            if len(found) != size or hash(found) != known:
                return False
        return True
