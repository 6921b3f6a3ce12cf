"""Dividing a report into pages as it is written: what is written of them waits in one unnamed file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

BLOCKS: Final = 2_000
"""Blocks of conversations on one page: a call, a result, a text."""
BYTES: Final = 5_000_000
_CHUNK: Final = 1 << 18


class _Page(Struct):
    """One page: where it stands in the file, and its first and last message."""

    start: int
    size: int = 0
    blocks: int = 0
    first: str = ""
    last: str = ""


class Pages:
    """Takes what is written, part by part. `folder` is where the unnamed file may be, None for the usual place.

    Without limits all of it is one page.
    """

    def __init__(self, folder: str | None, blocks: int | None = None, bytes: int | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder, buffering=_CHUNK)  # noqa: SIM115 - `close` closes it
        self._most = blocks
        self._size = bytes
        self._pages = [_Page(0)]

    def close(self) -> None:
        self._file.close()

    @property
    def count(self) -> int:
        return len(self._pages)

    @property
    def blocks(self) -> int:
        return sum(page.blocks for page in self._pages)

    def range(self, number: int) -> str:
        """The messages on a page, counted from 0."""
        page = self._pages[number]
        return page.first if page.first == page.last else f"{page.first} to {page.last}"

    def turn_over(self, blocks: int) -> None:
        """Begin another page if so many blocks more are too much for this one."""
        page = self._pages[-1]
        full = self._most is not None and page.blocks + blocks > self._most
        if page.blocks and (full or (self._size is not None and page.size >= self._size)):
            self._pages.append(_Page(page.start + page.size))

    def add(self, text: str, blocks: int, message: str = "") -> None:
        """Something for the last page. `message`: the one that begins with it."""
        data = text.encode()
        self._file.write(data)
        page = self._pages[-1]
        page.size += len(data)
        page.blocks += blocks
        if message:
            page.first = page.first or message
            page.last = message

    def content(self, number: int) -> Iterator[bytes]:
        """What is on a page, counted from 0."""
        page = self._pages[number]
        self._file.seek(page.start)
        left = page.size
        while left > 0 and (piece := self._file.read(min(left, _CHUNK))):
            left -= len(piece)
            yield piece
