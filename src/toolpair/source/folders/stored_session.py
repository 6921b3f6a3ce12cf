"""One session of a folder, read as a snapshot of lines, and saved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.folders.exchange import unfinished_saves
from toolpair.source.folders.layout import FilesOfSession
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.session_rows import lines_in
from toolpair.source.snapshot import Save, Snapshot, why_not_opened

if TYPE_CHECKING:
    from toolpair.source.container import Container
    from toolpair.source.document import Document

_TRIES: Final = 10
_TICK: Final = 20_000_000
"""Nanoseconds in which a file may change twice and have the same time."""


class StoredFiles(FilesOfSession, frozen=True, eq=False):
    """A session's files in a folder, as the `StoredRecords` of its snapshot."""

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        """The session as it is now, when no other process saves it. Raises Unreadable."""
        unfinished_saves(self.path, self.session, shown)
        for _ in range(_TRIES):
            try:
                before = self.state()
                age = time.time_ns() - before.mtime_ns
                if 0 <= age < _TICK:
                    time.sleep(_TICK / 1e9)  # another change may leave the same time
                    continue
                data = lines_in(self, self.rows(), shown, progress)
                if self.state() == before:
                    return Snapshot(self.path, shown, data, before, None, limits=self.limits, rows=self)
            except FileNotFoundError:
                continue  # it was there when the folder was listed
            except (OSError, ValueError) as error:
                name = getattr(error, "filename", None) or shown
                raise UnreadableFile(why_not_opened(str(name), error)) from None
        raise UnreadableFile(f"{shown} is being written to all the time; close its agent, and try again.")

    def saving(
        self, snapshot: Snapshot, container: Container, documents: Sequence[Document], keep_backups: int | None
    ) -> Save:
        from toolpair.source.folders.save import FilesSave

        return FilesSave(snapshot, container, documents, keep_backups=keep_backups)

    def copied(self, name: str, base: Document, now: Document, shown: str) -> bytes | None:
        """Always lines."""
        from toolpair.source.rows.copying import names_database

        if names_database(name):
            raise Refused(f"{shown} is in a folder, not in a database; name the copy with .jsonl.", "form")
        return None
