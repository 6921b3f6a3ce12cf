"""The database of sessions that the Agents SDK's `SQLiteSession` writes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from sqlite3 import Connection
from typing import Final

from msgspec.structs import replace

from toolpair.formats.agents_sdk.detection import DATA, MESSAGES, SESSIONS
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ANY_NUMBER,
    Layout,
    Row,
    StoredSession,
    Table,
    ids_given,
    is_text,
    listed,
    quoted,
    rows_of,
    tables_of,
    text,
)

_OF_SESSIONS: Final = ("session_id", "updated_at")
_OF_MESSAGES: Final = ("id", "session_id", DATA)
_BRANCHES: Final = "message_structure"
_MOST_LOOKED_AT: Final = 200
"""Items from the end in which the user's last words are looked for."""
_NO_MORE: Final = "which toolpair cannot read; give it the list that `get_items()` returns, as JSON"


class AgentsSdkLayout(Layout):
    """The sessions of a database of the Agents SDK. A program may give its two tables names of its own."""

    writer = "Agents SDK"
    title = "a database of the OpenAI Agents SDK"
    column = DATA

    def __init__(self, sessions: str = SESSIONS, messages: str = MESSAGES) -> None:
        self._names = sessions, messages
        self._sessions, self._messages = quoted(sessions), quoted(messages)
        self.tables: Sequence[Table] = (
            Table(sessions, SESSIONS, key="session_id"),
            Table(messages, MESSAGES, json=(DATA,)),
        )
        self.needs: Mapping[str, Collection[str]] = {sessions: _OF_SESSIONS, messages: _OF_MESSAGES}

    def claims(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> bool:
        return super().claims(tables, connection) or bool(_named(tables, connection))

    def of(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> Layout:
        return self if super().claims(tables, connection) else AgentsSdkLayout(*_named(tables, connection)[0])

    def refusal(self, connection: Connection) -> str | None:
        tables = tables_of(connection)
        if _BRANCHES in tables:
            return f"written by `AdvancedSQLiteSession`, which keeps the branches of a session elsewhere, {_NO_MORE}"
        if len(_named(tables, connection)) > 1 and self._names != (SESSIONS, MESSAGES):
            return f"with several tables of items, {_NO_MORE}"
        made = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (self._names[1],)).fetchone()
        if "autoincrement" not in text(made[0]).lower():
            return f"written by `SQLAlchemySession`, which reads items in another order, {_NO_MORE}"
        first = connection.execute(f"SELECT {DATA} FROM {self._messages} LIMIT 1").fetchone()
        if first is not None and "__enc__" in object_in(first[0]):
            return f"and its items are encrypted, {_NO_MORE}"
        return None

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        query = (
            "SELECT session_id, coalesce(CAST(strftime('%s', updated_at) AS INTEGER), 0) AS time FROM "
            f"{self._sessions} UNION ALL SELECT DISTINCT session_id, 0 FROM {self._messages} WHERE session_id NOT IN "
            f"(SELECT session_id FROM {self._sessions}) ORDER BY time DESC, session_id DESC"
        )
        for (id_, modified), size in listed(connection, query, most, self._names[1], "session_id", DATA):
            yield StoredSession(text(id_), None, None, float(modified), None, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        query = f"SELECT {DATA} FROM {self._messages} WHERE session_id = ? ORDER BY id DESC LIMIT {_MOST_LOOKED_AT}"
        for (stored,) in connection.execute(query, (session,)):
            item = object_in(stored)
            if item.get("role") == "user":
                content = item.get("content")
                return peek.words_of(content if isinstance(content, list) else [{"text": content}])
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        sessions, messages = self.tables
        own = rows_of(connection, sessions, "WHERE session_id = ?", session)
        items = rows_of(connection, messages, "WHERE session_id = ? ORDER BY id", session)
        for number, row in enumerate(chain(own, items)):
            yield row if number else replace(row, facts=ids_given(connection, self._names[1]))


def _named(tables: Mapping[str, frozenset[str]], connection: Connection) -> list[tuple[str, str]]:
    """The tables of sessions and of items, whatever they are called: one of them refers to the other."""
    found = []
    for name, columns in tables.items():
        if columns.issuperset(_OF_MESSAGES):
            for row in connection.execute(f"PRAGMA foreign_key_list({quoted(name)})"):
                if text(row[3]) == "session_id" and tables.get(text(row[2]), frozenset()).issuperset(_OF_SESSIONS):
                    found.append((text(row[2]), name))
    return found


LAYOUT: Final[Layout] = AgentsSdkLayout()
