"""What a database changes by itself when rows are written: its triggers, and rows that refer to others."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator

from toolpair.source.rows.changes import RowChange
from toolpair.source.rows.layout import Table, text
from toolpair.transcript.counting import plural


def has_triggers(connection: sqlite3.Connection, tables: Iterable[Table]) -> bool:
    return bool(_triggers(connection, {table.name for table in tables}))


def notes_on(
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
