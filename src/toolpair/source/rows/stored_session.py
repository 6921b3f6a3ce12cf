"""One session of a database, read as a snapshot of lines, and looked at again later."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.container import Container, ConversationSource
from toolpair.source.edges import same_bytes
from toolpair.source.errors import TooLarge, UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.growth import Growth
from toolpair.source.index import LineIndex
from toolpair.source.jsonl import lines_document
from toolpair.source.limits import USUAL, Limits, in_words
from toolpair.source.memory import fits
from toolpair.source.rows.layout import Layout, Row, tables_of
from toolpair.source.rows.lines import line_of
from toolpair.source.rows.private_copy import Progress
from toolpair.source.rows.reading import reading, refuse_log, state_of
from toolpair.source.snapshot import Identity, Snapshot
from toolpair.source.spooled import Spooled

if TYPE_CHECKING:
    from toolpair.source.document import Document
    from toolpair.source.saving import SaveResult

_ASKED: Final = 1 << 24
"""Bytes between two looks at the memory that is left."""
_LONGEST: Final = 1_000_000_000
"""The most that SQLite itself allows."""


class Save(Protocol):
    """One save of a session; used as `FileSave` is."""

    result: SaveResult | None

    def write(self, progress: Progress | None = None) -> SaveResult: ...

    def read_again(self) -> tuple[Snapshot, Container]: ...


class StoredRecords(Protocol):
    """Where a session's records are that are no lines of a file: kept by its snapshot, to read and to save them."""

    @property
    def path(self) -> str:
        """What holds it and others: a database, or a folder."""

    @property
    def session(self) -> str: ...

    @property
    def limits(self) -> Limits: ...

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        """The session as it is now. Raises Unreadable."""

    def state(self) -> Identity:
        """What differs as soon as one of its records does. Raises OSError."""

    def saving(
        self, snapshot: Snapshot, container: Container, documents: Sequence[Document], keep_backups: int | None
    ) -> Save:
        """A save in place."""

    def copied(self, name: str, base: Document, now: Document, shown: str) -> bytes | None:
        """What a copy of this name holds, if it is not lines. Raises Unreadable or Refused."""


class RowsOfSession(Struct, frozen=True, eq=False):
    """A session's rows in a database."""

    layout: Layout
    path: str
    session: str
    limits: Limits = USUAL

    def read(self, shown: str, progress: Progress | None = None) -> Snapshot:
        with reading(self.path, shown, progress) as (connection, state):
            data = lines_in(self, self.rows(connection), shown, progress)
        return Snapshot(self.path, shown, data, state, None, limits=self.limits, rows=self)

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


def lines_in(stored: StoredRecords, rows: Iterable[Row], shown: str, progress: Progress | None) -> Content:
    """The rows of a session as lines; many are kept on disk, as those of a large file are. Raises Unreadable."""
    with closing(Spooled(shown)) as lines:
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


def container_of(snapshot: Snapshot) -> Container:
    """The session as the only conversation of a container of lines."""
    document = lines_document(snapshot.data, LineIndex(snapshot.data, of_rows=True))
    return Container("lines", (0,), (ConversationSource("", document, offset=0),))


def look_at_rows(snapshot: Snapshot, looked: Identity | None) -> Growth | None:
    """What happened to the snapshot's session, as `growth.look`. Raises Unreadable."""
    rows = snapshot.rows
    assert rows is not None
    try:
        now = rows.state()
    except OSError:
        return Growth("gone", None, None)
    if now in (looked, snapshot.identity):
        return None
    read = rows.read(snapshot.shown)
    if same_bytes(read.data, snapshot.data):
        return Growth(None, replace(snapshot, identity=read.identity), now)
    is_more = bytes(read.data[: len(snapshot.data)]) == bytes(snapshot.data[:])
    return Growth("grown" if is_more else "rewritten", read, now)
