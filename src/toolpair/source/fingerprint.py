"""What a large file held, kept as a number for each megabyte: told apart from what it holds later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from toolpair.source.file_bytes import Content

BLOCK: Final = 1 << 20

Read = Callable[[int, int], bytes]
"""Size and position of the bytes wanted; fewer only where the file ends."""


class Fingerprint(Struct, frozen=True):
    """Python's own hash of each block (64 bits, under a key of this process) of the first `size` bytes.

    It is for a file that another program may write to by chance, not for one that is forged to deceive.
    """

    size: int
    blocks: tuple[int, ...]

    @classmethod
    def of(cls, content: Content, known: Fingerprint | None = None) -> Fingerprint:
        """`known` is that of its beginning, which is not read again. Raises Unreadable as `content` does."""
        blocks = list(known.blocks[: known.size // BLOCK]) if known is not None and known.size <= len(content) else []
        size = len(content)
        for at in range(len(blocks) * BLOCK, size, BLOCK):
            blocks.append(hash(content[at : min(at + BLOCK, size)]))
        return cls(size, tuple(blocks))

    def begins(self, read: Read) -> bool:
        """Whether what `read` gives begins with these bytes."""
        for number, known in enumerate(self.blocks):
            at = number * BLOCK
            size = min(BLOCK, self.size - at)
            found = read(size, at)
            if len(found) != size or hash(found) != known:
                return False
        return True
