"""Changing the rows of a session in a database: in one transaction, with a backup of them first."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing

from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.rows.backup import RowsBackup, made
from toolpair.source.rows.changes import RowChange, changes_between, dangling, moved_columns
from toolpair.source.rows.layout import Table, text
from toolpair.source.rows.reading import COPIED, connected, reading, refuse_log, state_of
from toolpair.source.rows.records_save import RecordsChange, RecordsSave
from toolpair.source.rows.session_rows import StoredRows
from toolpair.source.rows.transaction import WAITS, broken_links, carry_out, is_made, refuse_held, whole, writing
from toolpair.source.saving.checks import changed, refuse_unwritable
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.made import SaveResult, stat_or_none, undone_on_failure
from toolpair.source.saving.streaming import Progress
from toolpair.source.saving.sweeping import sweep_folder
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.counting import plural


class RowsChange(RecordsChange):
    """A change of rows."""

    loose = 0
    """How many of the rows may refer to one that is not there."""

    @property
    def stop(self) -> str | None:
        """The command that may end what has the database open."""
        return None

    def wanted(self, connection: sqlite3.Connection) -> list[RowChange]:
        """What is to be changed. Raises Refused."""
        raise NotImplementedError

    def compare(self, connection: sqlite3.Connection) -> frozenset[str] | None:
        """Which columns the database changed by itself; None if the rows are not what they should be."""
        raise NotImplementedError

    def state(self) -> Identity:
        return state_of(self.path)

    def carry_out(self, progress: Progress | None = None) -> SaveResult:
        path, shown = self.path, self.shown
        found = stat_or_none(path)
        if found is None:
            raise Refused(f"{path} is no longer there; nothing was written.", "gone")
        refuse_unwritable(path, shown, found)
        if found.st_nlink > 1:
            said = f"{shown} has other names (hard links), and what waits in the log of one is not seen by another"
            raise Refused(f"{said}; remove them, or save a copy.", "form")
        refuse_held(path, shown, self.stop)
        sweep_folder(os.path.dirname(path), self.io)
        is_whole = state_of(path).size <= COPIED
        names = KeptNames(path, None)
        with undone_on_failure(path) as kept, writing(path, shown, self.step, self.loose) as transaction:
            connection = transaction.connection
            self.step("read")
            refuse_held(path, shown, self.stop)
            changes = [whole(connection, change) for change in self.wanted(connection)]
            backup, aside = self.keep(lambda: _backup(path, self.session, changes, is_whole), found, names, kept)
            moved = self._written(connection, changes)
            self.step("compare")
            columns = self.compare(connection)
            if columns is None:
                raise self.not_as_wanted("the database made something else of it", "the database is unchanged")
            transaction.is_expected = lambda again: self.compare(again) is not None
            notes = list(_notes_on(connection, changes, moved, columns))
            if progress is not None:
                progress(self.size)
            kept.in_place = lambda: transaction.committed
        if not is_whole:
            said = "The backup has the rows that were changed, not the whole database; `restore` puts these back."
            notes.append(said)
        return self.done(backup, aside, notes)

    def _written(self, connection: sqlite3.Connection, changes: Sequence[RowChange]) -> int:
        """Write the rows. Returns how many others the database changed by itself."""
        before = connection.total_changes
        self.step("write")
        try:
            carry_out(connection, changes, self.shown)
        except Refused:
            said = self.in_the_way()
            if said is None:
                raise
            raise Refused(said, "in-the-way") from None
        return connection.total_changes - before - len(changes)


class RowsSave(RecordsSave, RowsChange):
    """One save of a session of a database."""

    blocked_by = "a row that cannot be read is in the way of another one; repair that row, or set it aside"

    @property
    def rows(self) -> StoredRows:
        assert isinstance(self.stored, StoredRows)
        return self.stored

    @property
    def stop(self) -> str | None:
        return self.rows.layout.stop

    def wanted(self, connection: sqlite3.Connection) -> list[RowChange]:
        try:
            rows = list(self.rows.rows(connection))
        except UnreadableFile:
            raise Refused(changed(self.shown), "changed") from None
        if moved_columns(rows, self.base.records) is None:
            raise Refused(changed(self.shown), "changed")
        by_uid = {record.uid: row for record, row in zip(self.base.records, rows, strict=True)}
        tables = self.rows.layout.tables
        found = changes_between(self.base, self.now, by_uid, tables, self.shown)
        return [*dangling(connection, found, tables, self.session), *found]

    def compare(self, connection: sqlite3.Connection) -> frozenset[str] | None:
        layout = self.rows.layout
        rows = list(layout.rows(connection, self.session))
        return moved_columns(rows, self.now.records, _has_triggers(connection, layout.tables))


class _RowsBack(RowsChange):
    """Putting back the rows that a save changed."""

    def __init__(self, path: str, shown: str, backup: str, held: RowsBackup) -> None:
        super().__init__(path, shown, held.session)
        self._back = [change.inverse for change in reversed(held.changes)]
        self._name = os.path.basename(backup)
        self.loose = _loose_in(backup, held)

    def wanted(self, connection: sqlite3.Connection) -> list[RowChange]:
        if self._back and all(is_made(connection, change) for change in self._back):
            raise Refused(
                f"{self.shown} already holds the rows that {self._name} would put back; nothing was written.", "same"
            )
        return self._back

    def compare(self, connection: sqlite3.Connection) -> frozenset[str] | None:
        return frozenset() if all(is_made(connection, change) for change in self._back) else None

    def carry_out(self, progress: Progress | None = None) -> SaveResult:
        try:
            return super().carry_out(progress)
        except Refused as error:
            if error.reason != "changed":
                raise
            raise Refused(
                f"Rows that {self._name} would put back have changed since that save; restore a newer backup first.",
                "changed",
            ) from None


def restore_rows(path: str, backup: str, held: RowsBackup, only_over: Snapshot | None = None) -> SaveResult:
    """Put the rows back that a save changed, if they are still as it left them. Raises Refused or SaveFailed."""
    shown = only_over.shown if only_over is not None else path
    if only_over is not None and only_over.identity != state_of(path):
        raise Refused(changed(shown), "changed")
    return _RowsBack(path, shown, backup, held).carry_out()


def _loose_in(backup: str, held: RowsBackup) -> int:
    """How many rows of a whole backup refer to one that was not there: a save may have removed them."""
    if not held.is_whole:
        return 0
    with reading(backup, backup) as (connection, _):
        return broken_links(connection)


def refuse_no_database(path: str, backup: str, held: RowsBackup) -> None:
    """Refuse to make a database of a backup that is not one, or where the log of another one is. Raises Refused."""
    name = os.path.basename(backup)
    if not held.is_whole:
        raise Refused(f"{path} is not there, and {name} has only the rows that were changed; restore it first.", "gone")
    refuse_log(path)


def _backup(path: str, session: str, changes: Sequence[RowChange], is_whole: bool) -> bytes:
    if not is_whole:
        return made(None, session, changes)
    # Another connection sees the database as it is before the transaction.
    with closing(connected(path, "mode=ro", WAITS)) as source:
        return made(source, session, changes)


# What a database changes by itself when rows are written: its triggers, and rows that refer to others.


def _has_triggers(connection: sqlite3.Connection, tables: Iterable[Table]) -> bool:
    return bool(_triggers(connection, {table.name for table in tables}))


def _notes_on(
    connection: sqlite3.Connection, changes: Iterable[RowChange], more: int, columns: Collection[str]
) -> Iterator[str]:
    """A sentence on what changed besides `changes`: so many other rows, and these columns of the session's own."""
    if not more and not columns:
        return
    names = _triggers(connection, {change.table for change in changes})
    by = (
        f"its {'trigger' if len(names) == 1 else 'triggers'} {', '.join(names)}"
        if names
        else "rows that refer to others"
    )
    what = [plural(more, "more row")] if more else []
    what += [f"the values of {', '.join(sorted(columns))}"] if columns else []
    yield f"The database itself changed {' and '.join(what)} ({by})."


def _triggers(connection: sqlite3.Connection, tables: Collection[str]) -> list[str]:
    found = connection.execute("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
    return [text(name) for name, table in found if text(table) in tables]
