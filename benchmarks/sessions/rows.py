"""Sessions that are rows of a database: what their writers share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar, Final

import orjson

from benchmarks.sessions.writer import Json, Writer

START_MS: Final = 1_772_438_400_000


class RowWriter(Writer):
    """Turns steps into records of rows: table -> columns. What is not a number, a text or null becomes a JSON text."""

    TABLES: ClassVar[str]
    MESSAGE: ClassVar[tuple[str, str]]
    """The table and the column with what is said."""
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]]
    """Table -> column -> SQL: how the rows of another session are made of those of the first. `:n` is its number."""
    AFTER: ClassVar[str] = ""
    """SQL for what the agent derives of all rows."""
    LOOP: ClassVar[str]
    """A query for the messages of one session, in order: the rows that a baseline parses; not what follows a NULL."""


def stored(value: Any) -> Any:
    return orjson.dumps(value).decode() if isinstance(value, (dict, list, bool)) else value


def fill(writer: RowWriter, records: Iterable[Json], path: Path, sessions: int) -> None:
    """Write the rows of a session into a new database, and as many others like it as there are to be sessions."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made:
        made.execute("PRAGMA synchronous=OFF")
        made.executescript(writer.TABLES)
        for record in records:
            for table, columns in record.items():
                marks = ", ".join("?" * len(columns))
                values = [stored(value) for value in columns.values()]
                made.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", values)
        made.executescript(writer.AFTER)
        limits = {table: made.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] for table in writer.SESSIONS}
        for number in range(1, sessions):
            for table, changed in writer.SESSIONS.items():
                names = [row[1] for row in made.execute(f"PRAGMA table_info({table})") if row[1] not in changed]
                others = ", ".join(["", *names])
                made_of = ", ".join(changed.values()) + others
                sql = f"INSERT INTO {table} ({', '.join(changed)}{others}) SELECT {made_of} FROM {table} "
                sql += "WHERE rowid <= :limit"
                made.execute(sql, {"n": number, "limit": limits[table]})
        made.commit()
