"""A session of a database in a small database of its own, with nobody else's rows and no other tables' contents."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from typing import Final

from toolpair.source.addresses import DATABASES
from toolpair.source.document import Document
from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.rows.changes import changes_between, in_tables, moved_columns
from toolpair.source.rows.layout import Part, columns_of, insert, quoted, tables_of, text
from toolpair.source.rows.reading import prepare, reading, refuse_log
from toolpair.source.rows.session_rows import StoredRows
from toolpair.source.rows.transaction import carry_out
from toolpair.source.snapshot import StoredRecords

_NUMBERS: Final = ("page_size", "user_version", "application_id")
"""What an agent may know its database by."""
_LINES: Final = "A copy named NAME.jsonl needs no database: it has the session as it is here."


def names_database(name: str) -> bool:
    """Whether a copy of this name is to be a database rather than lines."""
    return name.lower().endswith(DATABASES)


def copied(stored: StoredRecords, name: str, base: Document, now: Document, shown: str) -> bytes | None:
    """What a copy of this name holds, if it is a database with the session as it is now. Raises Refused."""
    if not names_database(name):
        return None
    if not isinstance(stored, StoredRows):
        raise Refused(f"{shown} is in a folder, not in a database; name the copy with .jsonl.", "form")
    refuse_log(os.path.realpath(name))
    try:
        return _database_of(stored, base, now, shown)
    except UnreadableFile as error:
        raise Refused(f"{error} {_LINES}", "gone") from None


def _database_of(rows: StoredRows, base: Document, now: Document, shown: str) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as made, reading(rows.path, shown) as (source, _):
        prepare(made)
        try:
            _fill(made, source, rows, base, now, shown)
        except sqlite3.IntegrityError as error:
            raise Refused(f"A database with {shown} alone cannot be made ({error}). {_LINES}", "form") from None
        # Without it, values that were replaced would still be in free space.
        made.execute("VACUUM")
        return made.serialize()


def _fill(
    made: sqlite3.Connection, source: sqlite3.Connection, rows: StoredRows, base: Document, now: Document, shown: str
) -> None:
    layout = rows.layout
    found = list(rows.rows(source))
    if moved_columns(found, base.records) is None:
        raise Refused(f"{shown} has changed since it was opened. {_LINES}", "changed")
    for name in _NUMBERS:
        (number,) = source.execute(f"PRAGMA {name}").fetchone()
        made.execute(f"PRAGMA {name} = {number}")
    _make(made, source, "table")
    known = tables_of(source)
    for name, condition in layout.besides.items():
        if name in known:
            _copy(source, made, name, condition, rows.session)
    hidden = {table.name: table.hidden for table in layout.tables}
    for table, columns in (one for row in found for one in in_tables(row)):
        insert(made, table, {k: v for k, v in columns.items() if k not in hidden.get(table, ())})
    by_uid = {record.uid: row for record, row in zip(base.records, found, strict=True)}
    carry_out(made, changes_between(base, now, by_uid, layout.tables, shown), shown)
    for part in (part for table in layout.tables for part in table.parts if part.moves):
        _put_in_order(made, part)
    for kind in ("index", "view", "trigger"):
        _make(made, source, kind)


def _put_in_order(made: sqlite3.Connection, part: Part) -> None:
    """Rows that were removed and added again are in the order of a first copy, so that a copy of a copy is the same."""
    if part.table not in tables_of(made):
        return
    cursor = made.execute(f"SELECT * FROM {quoted(part.table)} ORDER BY {', '.join(map(quoted, part.row))}")
    names, rows = [column[0] for column in cursor.description], cursor.fetchall()
    made.execute(f"DELETE FROM {quoted(part.table)}")
    for values in rows:
        insert(made, part.table, dict(zip(names, values, strict=True)))


def _make(made: sqlite3.Connection, source: sqlite3.Connection, kind: str) -> None:
    """All tables, indexes, … without contents. What another program's module would have to make is left out."""
    found = source.execute("SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL", (kind,)).fetchall()
    for name, sql in found:
        if not text(name).startswith("sqlite_"):
            with contextlib.suppress(sqlite3.OperationalError):
                made.execute(text(sql))


def _copy(source: sqlite3.Connection, made: sqlite3.Connection, name: str, condition: str, session: str) -> None:
    sql = condition
    if not condition.startswith("SELECT "):
        sql = f"SELECT * FROM {quoted(name)} WHERE {condition}{_in_order(source, name)}"
    cursor = source.execute(sql, [session] * sql.count("?"))
    names = [column[0] for column in cursor.description]
    there = {one.casefold() for one in columns_of(made, name)}
    for values in cursor:
        insert(made, name, {key: value for key, value in zip(names, values, strict=True) if key.casefold() in there})


def _in_order(source: sqlite3.Connection, name: str) -> str:
    """The order that a table's rows have in the file, so that a copy of a copy is the same."""
    found = source.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return "" if found is None or "WITHOUT ROWID" in text(found[0]).upper() else " ORDER BY rowid"
