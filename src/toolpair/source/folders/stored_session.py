"""One session of a folder, read as a snapshot of lines."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from msgspec import Struct

from toolpair.source.errors import UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.folders.exchange import unfinished_saves
from toolpair.source.folders.layout import FolderLayout, place, row_with_content
from toolpair.source.limits import USUAL, Limits
from toolpair.source.rows.layout import Row
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.session_rows import lines_in
from toolpair.source.snapshot import Snapshot, why_not_opened

_TRIES: Final = 10
_TICK: Final = 20_000_000
"""Nanoseconds in which a file may change twice and have the same time."""


class StoredFiles(Struct, frozen=True, eq=False):
    """A session's files in a folder, as the `StoredRecords` of its snapshot. Methods raise OSError."""

    in_folder: ClassVar[bool] = True
    layout: FolderLayout
    path: str
    session: str
    limits: Limits = USUAL

    def rows(self, files: Iterable[Row] | None = None) -> Iterator[Row]:
        """`files`: they as they were listed just now."""
        return (row_with_content(self.layout, self.path, row) for row in (files or self._files()))

    def state(self, files: Iterable[Row] | None = None) -> Identity:
        """The folder, the size of all files, the last change of one, and a digest of what `stat` says of them."""
        size = last = 0
        digest = hashlib.blake2b(digest_size=8)
        for row in files or self._files():
            path = self.layout.path_of(row.table.name, row.columns)
            found = os.lstat(place(self.path, path))
            size += found.st_size
            last = max(last, found.st_mtime_ns)
            told = (path, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
            digest.update(repr(told).encode("utf-8", "surrogateescape"))
        folder = os.stat(self.path)
        return Identity(folder.st_dev, folder.st_ino, size, last, int.from_bytes(digest.digest()))

    def _files(self) -> Iterator[Row]:
        return self.layout.files(self.path, self.session)

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        """The session as it is now, when no other process saves it. Raises Unreadable."""
        unfinished_saves(self.path, self.session, shown)
        for _ in range(_TRIES):
            try:
                files = list(self._files())
                before = self.state(files)
                age = time.time_ns() - before.mtime_ns
                if 0 <= age < _TICK:
                    time.sleep(_TICK / 1e9)  # another change may leave the same time
                    continue
                data = lines_in(self, self.rows(files), shown, progress)
                if self.state() == before:
                    return Snapshot(self.path, shown, data, before, None, limits=self.limits, rows=self)
            except FileNotFoundError:
                continue  # it was there when the folder was listed
            except (OSError, ValueError) as error:
                name = getattr(error, "filename", None) or shown
                raise UnreadableFile(why_not_opened(str(name), error)) from None
        raise UnreadableFile(f"{shown} is being written to all the time; close its agent, and try again.")
