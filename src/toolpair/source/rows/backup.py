"""What a save leaves to go back: a database with the rows that it changed, and, unless it is large, all others."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from msgspec import Struct

from toolpair.source.addresses import OPENING, is_database
from toolpair.source.rows.changes import RowChange
from toolpair.source.rows.layout import Stored, mark, text
from toolpair.source.rows.reading import QUERY_FAILS, connected, reading
from toolpair.source.saving.backups import Backup, backups

_TABLES = """
CREATE TABLE toolpair_backup (session TEXT, is_whole INTEGER, journal BLOB);
CREATE TABLE toolpair_change (number INTEGER, table_name TEXT, key TEXT, is_new INTEGER, is_removed INTEGER);
CREATE TABLE toolpair_value (change INTEGER, is_before INTEGER, name TEXT, value);
"""
_JOURNAL: Final = slice(18, 20)
"""Where a database says how it is written to: in place, or by way of a log."""


class RowsBackup(Struct, frozen=True):
    """What a backup holds."""

    session: str
    is_whole: bool
    """All of the database is in it."""
    changes: tuple[RowChange, ...]
    """What the save changed."""


def made(source: sqlite3.Connection | None, session: str, changes: Sequence[RowChange]) -> bytes:
    """A backup as the bytes of a database: a copy of `source`, if given, and what the save will change."""
    with sqlite3.connect(":memory:", isolation_level=None) as backup:
        if source is not None:
            source.backup(backup)
            _remove_own(backup)  # it may be a copy of a backup itself
        backup.executescript(_TABLES)
        journal = backup.serialize()[_JOURNAL] if source is not None else None
        backup.execute("INSERT INTO toolpair_backup VALUES (?, ?, ?)", (session, source is not None, journal))
        for number, change in enumerate(changes):
            new, removed = change.before is None, change.after is None
            backup.execute(
                "INSERT INTO toolpair_change VALUES (?, ?, ?, ?, ?)",
                (number, change.table, ",".join(change.keys), new, removed),
            )
            for before, columns in ((True, change.before), (False, change.after)):
                for name, value in (columns or {}).items():
                    sql = f"INSERT INTO toolpair_value VALUES (?, ?, ?, {mark(value)})"
                    backup.execute(sql, (number, before, name, value))
        # What reads it needs no log.
        found = bytearray(backup.serialize())
        found[_JOURNAL] = b"\1\1"
        return bytes(found)


def read(path: str) -> RowsBackup | None:
    """What a backup holds; None when it is not one of rows. Raises Unreadable."""
    with reading(path, path) as (connection, _):
        tables = {text(row[0]) for row in connection.execute("SELECT name FROM sqlite_master")}
        if "toolpair_backup" not in tables:
            return None
        session, is_whole = connection.execute("SELECT session, is_whole FROM toolpair_backup").fetchone()
        changes = tuple(
            RowChange(
                text(table),
                tuple(text(key).split(",")),
                None if new else _values(connection, number, True),
                None if removed else _values(connection, number, False),
            )
            for number, table, key, new, removed in connection.execute(
                "SELECT number, table_name, key, is_new, is_removed FROM toolpair_change ORDER BY number"
            ).fetchall()
        )
        return RowsBackup(text(session), bool(is_whole), changes)


def session_of(path: str) -> str | None:
    """The session whose save left a backup; None when it is not one of rows, or cannot be read."""
    if not is_database(path):
        return None
    try:
        with OPENING, closing(connected(path, "immutable=1")) as connection:
            (session,) = connection.execute("SELECT session FROM toolpair_backup").fetchone()
            return text(session)
    except (*QUERY_FAILS, TypeError):
        return None


def backups_of(path: str | os.PathLike[str], session: str) -> list[Backup]:
    """Those that saves of this session left of the database, or the folder, that holds it and others."""
    return [one for one in backups(path) if session_of(str(one.path)) == session]


def database_in(path: str) -> bytes:
    """The database that a whole backup holds, without what toolpair added. Raises sqlite3.Error and OSError."""
    with open(path, "rb") as file, closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
        copy.deserialize(file.read())
        (journal,) = copy.execute("SELECT journal FROM toolpair_backup").fetchone()
        _remove_own(copy)
        found = bytearray(copy.serialize())
        found[_JOURNAL] = journal
        return bytes(found)


def _remove_own(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete = ON")
    for name in ("toolpair_backup", "toolpair_change", "toolpair_value"):
        connection.execute(f"DROP TABLE IF EXISTS {name}")


def _values(connection: sqlite3.Connection, change: int, before: bool) -> dict[str, Stored]:
    sql = "SELECT name, value FROM toolpair_value WHERE change = ? AND is_before = ? ORDER BY rowid"
    return {text(name): value for name, value in connection.execute(sql, (change, before))}
