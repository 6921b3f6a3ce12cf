"""Saving a session of a database: the rows that fixes changed, in one transaction, and a backup of them first."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Final

from toolpair.source.container import Container
from toolpair.source.document import Document
from toolpair.source.errors import Refused, SaveFailed, UnreadableFile
from toolpair.source.rows.backup import RowsBackup, made
from toolpair.source.rows.by_itself import has_triggers, notes_on
from toolpair.source.rows.changes import RowChange, changes_between, dangling, moved_columns
from toolpair.source.rows.reading import COPIED, connected, reading, refuse_log, state_of
from toolpair.source.rows.records_save import RecordsSave
from toolpair.source.rows.session_rows import RowsOfSession
from toolpair.source.rows.transaction import WAITS, Step, broken_links, carry_out, is_made, refuse_held, whole, writing
from toolpair.source.saving.backups import prune
from toolpair.source.saving.checks import changed, refuse_unwritable
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.keeping import put_aside
from toolpair.source.saving.made import stat_or_none, undone_on_failure
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.save_result import SaveResult
from toolpair.source.saving.streaming import Progress
from toolpair.source.saving.sweeping import sweep_folder
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import Io

_SYSTEM: Final = Io()


def _no_step(name: str) -> None: ...


class RowsSave(RecordsSave):
    """One save of a session of a database."""

    def __init__(
        self,
        snapshot: Snapshot,
        container: Container,
        documents: Sequence[Document],
        *,
        keep_backups: int | None = None,
        step: Step = _no_step,
    ) -> None:
        super().__init__(snapshot, container, documents, keep_backups)
        stored: object = snapshot.rows
        assert isinstance(stored, RowsOfSession)
        self._stored = stored
        self._step = step

    def write(self, progress: Progress | None = None) -> SaveResult:
        """Write the rows. Raises Refused, SaveFailed, and what `progress` raises."""

        def changes(connection: sqlite3.Connection) -> list[RowChange]:
            try:
                rows = list(self._stored.rows(connection))
            except UnreadableFile:
                raise Refused(changed(self._before.shown), "changed") from None
            if moved_columns(rows, self._base.records) is None:
                raise Refused(changed(self._before.shown), "changed")
            by_uid = {record.uid: row for record, row in zip(self._base.records, rows, strict=True)}
            tables = self._stored.layout.tables
            found = changes_between(self._base, self._now, by_uid, tables, self._before.shown)
            return [*dangling(connection, found, tables, self._stored.session), *found]

        def compare(connection: sqlite3.Connection) -> frozenset[str] | None:
            rows = list(self._stored.layout.rows(connection, self._stored.session))
            return moved_columns(rows, self._now.records, has_triggers(connection, self._stored.layout.tables))

        what = "a row that cannot be read is in the way of another one; repair that row, or set it aside"
        self.result = change_rows(
            self._stored.path,
            self._before.shown,
            self._stored.session,
            changes,
            compare,
            in_the_way=self._in_the_way(what),
            aside=self._now.aside,
            keep_backups=self._keep_backups,
            progress=progress,
            size=self.size,
            stop=self._stored.layout.stop,
            step=self._step,
        )
        return self.result


def restore_rows(path: str, backup: str, held: RowsBackup, only_over: Snapshot | None = None) -> SaveResult:
    """Put the rows back that a save changed, if they are still as it left them. Raises Refused or SaveFailed."""
    shown = only_over.shown if only_over is not None else path
    if only_over is not None and only_over.identity != state_of(path):
        raise Refused(changed(shown), "changed")
    back = [change.inverse for change in reversed(held.changes)]
    name = os.path.basename(backup)

    def wanted(connection: sqlite3.Connection) -> list[RowChange]:
        if back and all(is_made(connection, change) for change in back):
            raise Refused(f"{shown} already holds the rows that {name} would put back; nothing was written.", "same")
        return back

    def compare(connection: sqlite3.Connection) -> frozenset[str] | None:
        return frozenset() if all(is_made(connection, change) for change in back) else None

    try:
        return change_rows(path, shown, held.session, wanted, compare, loose=_loose_in(backup, held))
    except Refused as error:
        if error.reason != "changed":
            raise
        raise Refused(
            f"Rows that {name} would put back have changed since that save; restore a newer backup first.",
            "changed",
        ) from None


def _loose_in(backup: str, held: RowsBackup) -> int:
    """How many rows of a whole backup refer to one that was not there: a save may have removed them."""
    if not held.is_whole:
        return 0
    with reading(backup, backup) as (connection, _):
        return broken_links(connection)


def refuse_no_database(path: str, backup: str, held: RowsBackup) -> None:
    """Refuse to make a database of a backup that is not one, or beside the log of another one. Raises Refused."""
    name = os.path.basename(backup)
    if not held.is_whole:
        raise Refused(f"{path} is not there, and {name} has only the rows that were changed; restore it first.", "gone")
    refuse_log(path)


Changes = Callable[[sqlite3.Connection], list[RowChange]]
Compare = Callable[[sqlite3.Connection], frozenset[str] | None]


def change_rows(
    path: str,
    shown: str,
    session: str,
    wanted: Changes,
    compare: Compare,
    *,
    in_the_way: str | None = None,
    aside: Sequence[bytes] = (),
    keep_backups: int | None = None,
    progress: Progress | None = None,
    size: int = 0,
    stop: str | None = None,
    step: Step = _no_step,
    loose: int = 0,
    now: datetime | None = None,
    io: Io = _SYSTEM,
) -> SaveResult:
    """Change the rows that `wanted` finds in one transaction, and keep a backup. Raises Refused or SaveFailed.

    `compare` looks at the rows before they are committed: which columns the database changed by itself; None if the
    rows are not what they should be. `in_the_way` says why they may not be, as a sentence, where that is known.
    """
    found = stat_or_none(path)
    if found is None:
        raise Refused(f"{path} is no longer there; nothing was written.", "gone")
    refuse_unwritable(path, shown, found)
    if found.st_nlink > 1:
        said = f"{shown} has other names (hard links), and what waits in the log of one is not seen by another"
        raise Refused(f"{said}; remove them, or save a copy.", "form")
    refuse_held(path, shown, stop)
    sweep_folder(os.path.dirname(path), io)
    is_whole = state_of(path).size <= COPIED
    names = KeptNames(path, now)
    with undone_on_failure(path) as kept, writing(path, shown, step, loose) as transaction:
        connection = transaction.connection
        step("read")
        refuse_held(path, shown, stop)
        changes = [whole(connection, change) for change in wanted(connection)]
        step("backup")
        backup = names.free("bak")
        kept.kept.append(backup)
        _keep(backup, _backup(path, session, changes, is_whole), shown, io)
        if hasattr(os, "chown"):
            with contextlib.suppress(OSError):
                os.chown(backup, found.st_uid, found.st_gid)
        aside_name = put_aside(aside, names, kept, io, found)
        before = connection.total_changes
        step("write")
        try:
            carry_out(connection, changes, shown)
        except Refused:
            if in_the_way is None:
                raise
            raise Refused(in_the_way, "in-the-way") from None
        moved = connection.total_changes - before - len(changes)
        step("compare")
        columns = compare(connection)
        if columns is None and in_the_way is not None:
            raise Refused(in_the_way, "in-the-way")
        if columns is None:
            raise SaveFailed(
                f"Saving {shown} failed (the database made something else of it); the database is unchanged."
            )
        transaction.is_expected = lambda again: compare(again) is not None
        notes = list(notes_on(connection, changes, moved, columns))
        if progress is not None:
            progress(size)
        kept.in_place = lambda: transaction.committed

    if not is_whole:
        notes.append("The backup has the rows that were changed, not the whole database; `restore` puts these back.")
    removed = prune(path, backup, keep_backups, io) if keep_backups is not None else ()
    beside = Path(aside_name) if aside_name is not None else None
    return SaveResult(Path(path), Path(backup), tuple(notes), state_of(path), beside, removed=removed)


def _keep(backup: str, content: bytes, shown: str, io: Io) -> None:
    try:
        save_as(backup, [content], mode=0o600, io=io)
    except Refused as error:
        if error.reason == "name-too-long":
            raise Refused(
                f"The name of {shown} is too long to keep the original beside it; save a copy.", "name-too-long"
            ) from None
        raise


def _backup(path: str, session: str, changes: Sequence[RowChange], is_whole: bool) -> bytes:
    if not is_whole:
        return made(None, session, changes)
    # Another connection sees the database as it is before the transaction.
    with closing(connected(path, "mode=ro", WAITS)) as source:
        return made(source, session, changes)
