"""A small mark that shows later whether a file has changed. It reveals nothing of the file's content."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

from msgspec import Struct

from toolpair.source.file_bytes import Content
from toolpair.source.snapshot import Snapshot

_END: Final = 1 << 16
"""Bytes at the beginning and at the end that are hashed."""
_DIGEST: Final = 16

Since = Literal["same", "grown", "changed"]


class Mark(Struct, frozen=True):
    """Size, modification time, and a digest of both ends."""

    size: int
    mtime_ns: int
    """0 when not known."""
    ends: str

    @classmethod
    def of(cls, snapshot: Snapshot) -> Mark:
        """The mark of a snapshot. Raises Unreadable when the file is no longer the one that was opened."""
        content = snapshot.raw
        mtime = snapshot.identity.mtime_ns if snapshot.identity is not None else 0
        return cls(len(content), mtime, _ends(content, len(content)))

    def since(self, snapshot: Snapshot) -> Since:
        """What has happened to the file: at most appended to, or possibly anything."""
        now = Mark.of(snapshot)
        if now.size < self.size:
            return "changed"
        if now.size > self.size:
            return "grown" if _ends(snapshot.raw, self.size) == self.ends else "changed"
        # The ends of a small file are all of it.
        untouched = now.mtime_ns == self.mtime_ns != 0 or now.size <= 2 * _END
        return "same" if now.ends == self.ends and untouched else "changed"


def _ends(content: Content, size: int) -> str:
    first = content[: min(_END, size)]
    return blake2b(bytes(first) + bytes(content[max(0, size - _END) : size]), digest_size=_DIGEST).hexdigest()
