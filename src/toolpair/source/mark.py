"""A few bytes by which it is told later whether a file is as it was. They say nothing of what it holds."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final, Literal

from msgspec import Struct

from toolpair.source.file_bytes import Content
from toolpair.source.snapshot import Snapshot

_END: Final = 1 << 16
"""Bytes of the file's beginning and end that are looked at."""
_DIGEST: Final = 16

Since = Literal["same", "grown", "changed"]


class Mark(Struct, frozen=True):
    """Size, time of the last change, and a digest of both ends."""

    size: int
    mtime_ns: int
    """0 where nothing is known of it."""
    ends: str

    @classmethod
    def of(cls, snapshot: Snapshot) -> Mark:
        """Raises Unreadable when the file is not any more what was opened."""
        content = snapshot.raw
        mtime = snapshot.identity.mtime_ns if snapshot.identity is not None else 0
        return cls(len(content), mtime, _ends(content, len(content)))

    def since(self, snapshot: Snapshot) -> Since:
        """What has become of the file: it was appended to at most, or anything may be different."""
        now = Mark.of(snapshot)
        if now.size < self.size:
            return "changed"
        if now.size > self.size:
            return "grown" if _ends(snapshot.raw, self.size) == self.ends else "changed"
        # Of a small file the ends are all of it.
        untouched = now.mtime_ns == self.mtime_ns != 0 or now.size <= 2 * _END
        return "same" if now.ends == self.ends and untouched else "changed"


def _ends(content: Content, size: int) -> str:
    first = content[: min(_END, size)]
    return blake2b(bytes(first) + bytes(content[max(0, size - _END) : size]), digest_size=_DIGEST).hexdigest()
