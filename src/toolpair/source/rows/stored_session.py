"""One session of a database, read as a snapshot of lines, saved and copied."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolpair.source.fingerprint import Identity
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.reading import reading, refuse_log, state_of
from toolpair.source.rows.session_rows import RowsOfSession, lines_in
from toolpair.source.snapshot import Save, Snapshot

if TYPE_CHECKING:
    from toolpair.source.container import Container
    from toolpair.source.document import Document


class StoredRows(RowsOfSession, frozen=True, eq=False):
    """A session's rows in a database, as the `StoredRecords` of its snapshot."""

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        with reading(self.path, shown, progress) as (connection, state):
            data = lines_in(self, self.rows(connection), shown, progress)
        return Snapshot(self.path, shown, data, state, None, limits=self.limits, rows=self)

    def state(self) -> Identity:
        return state_of(self.path)

    def saving(
        self, snapshot: Snapshot, container: Container, documents: Sequence[Document], keep_backups: int | None
    ) -> Save:
        from toolpair.source.rows.save import RowsSave

        return RowsSave(snapshot, container, documents, keep_backups=keep_backups)

    def copied(self, name: str, base: Document, now: Document, shown: str) -> bytes | None:
        from toolpair.source.rows.copying import database_of, names_database

        if not names_database(name):
            return None
        refuse_log(os.path.realpath(name))
        return database_of(self, base, now, shown)
