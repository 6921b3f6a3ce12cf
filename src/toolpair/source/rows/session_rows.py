"""The rows of one session in a database, read as a snapshot of lines."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.errors import TooLarge, UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.fingerprint import Identity
from toolpair.source.gc_pause import gc_paused
from toolpair.source.limits import USUAL, Limits, fits, in_words
from toolpair.source.rows.layout import Layout, Row, tables_of
from toolpair.source.rows.lines import line_of
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.reading import reading, state_of
from toolpair.source.snapshot import Snapshot, StoredRecords, from_bytes
from toolpair.source.spooled import Spooled

_ASKED: Final = 1 << 24
"""Bytes between two looks at the memory that is left."""
_LONGEST: Final = 1_000_000_000
"""The most that SQLite itself allows."""


class StoredRows(Struct, frozen=True, eq=False):
    """A session's rows in a database, as the `StoredRecords` of its snapshot."""

    in_folder: ClassVar[bool] = False
    layout: Layout
    path: str
    session: str
    limits: Limits = USUAL

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        with reading(self.path, shown, progress) as (connection, state):
            if self.layout.only_read:
                listed = b"[\n" + b",\n".join(self.layout.elements(connection, self.session)) + b"\n]\n"
                return replace(from_bytes(listed, shown, self.limits), only_read=self.layout.only_read)
            data = lines_in(self, self.rows(connection), shown, progress)
        return Snapshot(self.path, shown, data, state, None, limits=self.limits, rows=self)

    def state(self) -> Identity:
        return state_of(self.path)

    def rows(self, connection: sqlite3.Connection) -> Iterator[Row]:
        """The session's rows. Raises Unreadable if the database is another one by now."""
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self.limits.line, _LONGEST))
            yield from self.layout.rows(connection, self.session)
        except sqlite3.DataError:
            raise _long_row(self.path, self.limits) from None
        except sqlite3.OperationalError:
            if self.layout.claims(tables_of(connection), connection):
                raise
            raise UnreadableFile(
                f"{self.path} is no longer {self.layout.title}: another database has its name now."
            ) from None


def lines_in(stored: StoredRecords, rows: Iterable[Row], shown: str, progress: Progress | None) -> Content:
    """The rows of a session as lines; many are kept on disk, as those of a large file are. Raises Unreadable."""
    with closing(Spooled(shown)) as lines, gc_paused():
        size = asked = 0
        for row in rows:
            line = line_of(row)
            if len(line) > stored.limits.line:
                raise _long_row(shown, stored.limits)
            lines.add(line, b"\n")
            size += len(line) + 1
            if size - asked > _ASKED:
                asked = size
                if progress is not None:
                    progress(size)
                if not fits(2 * size):
                    raise TooLarge(f"{shown} does not fit into memory.")
        if not size:
            raise UnreadableFile(f"{stored.path} has no session {stored.session!r}; check the id.")
        return lines.content()


def _long_row(shown: str, limits: Limits) -> TooLarge:
    return TooLarge(
        f"{shown}: a row is longer than {in_words(limits.line)}, the most that is read of one; --max-size allows more."
    )
