"""The databases of sessions that ADK's `SqliteSessionService` and `DatabaseSessionService` write."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Any, Final

from toolpair.formats.engine.reading.clock import seconds, seconds_of
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.formats.google_adk.detection import CONTENT, DATA, EVENTS, SESSIONS
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Row,
    StoredSession,
    Table,
    is_text,
    listed,
    rows_of,
    text,
)

_SESSIONS: Final = Table(SESSIONS, within=("app_name", "user_id"))
_OF_SESSION: Final = ("app_name", "user_id", "session_id")
_NAMED: Final = "app_name || '/' || user_id || '/' || id"
"""What a session is called whose id several users have."""
_MOST_LOOKED_AT: Final = 200
"""Events from the end in which the user's last words are looked for."""


class SqliteLayout(Layout):
    """The sessions of `SqliteSessionService`: an event is JSON in one column. Of the same time, the row that came first
    is read first.
    """

    writer = "Google ADK"
    title = "a database of Google's ADK"
    data = DATA
    """The column of what an event says."""
    second = "rowid"
    """What orders events of the same time."""
    tables: Sequence[Table] = (_SESSIONS, Table(EVENTS, within=_OF_SESSION, json=(DATA,), has_rowid=True))
    needs: Mapping[str, Collection[str]] = {
        SESSIONS: ("app_name", "user_id", "id", "update_time"),
        EVENTS: ("id", *_OF_SESSION, "invocation_id", "timestamp", DATA),
    }

    besides: Mapping[str, str] = {"adk_internal_metadata": ALL}

    def claims(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> bool:
        return super().claims(tables, connection) and _has_numbers(connection) is (self.second == "rowid")

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        shared = f"SELECT id FROM {SESSIONS} GROUP BY id HAVING count(*) > 1"
        query = (
            f"SELECT id, update_time, CASE WHEN id IN ({shared}) THEN {_NAMED} ELSE id END FROM {SESSIONS} "
            "ORDER BY update_time DESC, id DESC"
        )
        for (_, modified, name), size in listed(connection, query, most, EVENTS, "session_id", self.data):
            yield StoredSession(text(name), None, None, _time(modified), None, size, not is_text(name))

    def words(self, connection: Connection, session: str) -> str | None:
        found = _key(connection, session)
        query = (
            f"SELECT {self.data} FROM {EVENTS} WHERE {_is_one(found)} ORDER BY timestamp DESC LIMIT {_MOST_LOOKED_AT}"
        )
        for (stored,) in connection.execute(query, found or ()):
            content = object_in(stored)
            content = content.get(CONTENT, {}) if self.data == DATA else content
            parts = content.get("parts") if isinstance(content, dict) and content.get("role") == "user" else None
            if words := peek.words_of(parts):
                return words
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        found = _key(connection, session)
        if found is None:
            return
        yield from rows_of(connection, _SESSIONS, "WHERE app_name IS ? AND user_id IS ? AND id IS ?", *found)
        order = f"WHERE {_is_one(found)} ORDER BY timestamp, {self.second}"
        yield from rows_of(connection, self.tables[1], order, *found)


def _key(connection: Connection, session: str) -> tuple[str, ...] | None:
    """App, user and id of a session by its id, which only one has, or by what it is called otherwise."""
    query = f"SELECT app_name, user_id, id FROM {SESSIONS} WHERE "
    own = connection.execute(f"{query} id = ? LIMIT 2", (session,)).fetchall()
    found = own if len(own) == 1 else connection.execute(f"{query} {_NAMED} = ? LIMIT 2", (session,)).fetchall()
    return tuple(map(text, found[0])) if len(found) == 1 else None


def _is_one(found: Any) -> str:
    return " AND ".join(f"{name} IS ?" for name in _OF_SESSION) if found else "FALSE"


def _has_numbers(connection: Connection) -> bool:
    """Whether the times of events are declared as numbers, as only one of the two services does."""
    kinds = {text(row[1]): text(row[2]) for row in connection.execute(f"PRAGMA table_info({EVENTS})")}
    return kinds.get("timestamp", "").upper() == "REAL"


def _time(stored: Any) -> float:
    return seconds_of(text(stored)) or 0.0 if isinstance(stored, bytes) else seconds(stored) or 0.0


class DatabaseLayout(SqliteLayout):
    """The sessions of `DatabaseSessionService`: of the same time, the event with the smaller id is read first."""

    second = "id"
    tables: Sequence[Table] = (_SESSIONS, Table(EVENTS, within=_OF_SESSION, json=(DATA,)))


class OlderLayout(DatabaseLayout):
    """Its tables before: an event is in many columns, some of which are Python pickles."""

    data = CONTENT
    tables: Sequence[Table] = (
        _SESSIONS,
        Table(EVENTS, within=_OF_SESSION, json=("long_running_tool_ids_json", CONTENT)),
    )
    needs: Mapping[str, Collection[str]] = {
        SESSIONS: ("app_name", "user_id", "id", "update_time"),
        EVENTS: ("id", *_OF_SESSION, "invocation_id", "timestamp", "author", "actions", CONTENT),
    }


SQLITE: Final[Layout] = SqliteLayout()
DATABASE: Final[Layout] = DatabaseLayout()
OLDER: Final[Layout] = OlderLayout()
