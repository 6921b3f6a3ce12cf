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
    is_text,
    listed,
    rows_of,
    tables_of,
    text,
)

_SESSIONS: Final = Table(SESSIONS, key="session_id")
_MESSAGES: Final = Table(MESSAGES, json=(DATA,))
_BRANCHES: Final = "message_structure"
_MOST_LOOKED_AT: Final = 200
"""Items from the end in which the user's last words are looked for."""
_NO_MORE: Final = "which toolpair cannot read; give it the list that `get_items()` returns, as JSON"


class AgentsSdkLayout(Layout):
    """The sessions of a database of the Agents SDK."""

    writer = "Agents SDK"
    title = "a database of the OpenAI Agents SDK"
    tables: Sequence[Table] = (_SESSIONS, _MESSAGES)
    needs: Mapping[str, Collection[str]] = {
        SESSIONS: ("session_id", "updated_at"),
        MESSAGES: ("id", "session_id", DATA),
    }

    def refusal(self, connection: Connection) -> str | None:
        tables = tables_of(connection)
        if _BRANCHES in tables:
            return f"written by `AdvancedSQLiteSession`, which keeps the branches of a session elsewhere, {_NO_MORE}"
        made = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (MESSAGES,)).fetchone()
        if "autoincrement" not in text(made[0]).lower():
            return f"written by `SQLAlchemySession`, which reads items in another order, {_NO_MORE}"
        first = connection.execute(f"SELECT {DATA} FROM {MESSAGES} LIMIT 1").fetchone()
        if first is not None and "__enc__" in object_in(first[0]):
            return f"and its items are encrypted, {_NO_MORE}"
        return None

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        query = (
            f"SELECT session_id, coalesce(CAST(strftime('%s', updated_at) AS INTEGER), 0) AS time FROM {SESSIONS} "
            f"UNION ALL SELECT DISTINCT session_id, 0 FROM {MESSAGES} WHERE session_id NOT IN "
            f"(SELECT session_id FROM {SESSIONS}) ORDER BY time DESC, session_id DESC"
        )
        for (id_, modified), size in listed(connection, query, most, MESSAGES, "session_id", DATA):
            yield StoredSession(text(id_), None, None, float(modified), None, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        query = f"SELECT {DATA} FROM {MESSAGES} WHERE session_id = ? ORDER BY id DESC LIMIT {_MOST_LOOKED_AT}"
        for (stored,) in connection.execute(query, (session,)):
            item = object_in(stored)
            if item.get("role") == "user":
                content = item.get("content")
                parts = content if isinstance(content, list) else [{"text": content}]
                texts = [part.get("text") for part in parts if isinstance(part, dict)]
                return peek.one_line(" ".join(said for said in texts if isinstance(said, str))) or None
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        own = rows_of(connection, _SESSIONS, "WHERE session_id = ?", session)
        items = rows_of(connection, _MESSAGES, "WHERE session_id = ? ORDER BY id", session)
        for number, row in enumerate(chain(own, items)):
            yield row if number else replace(row, facts={"last_id": _last_id(connection)})


def _last_id(connection: Connection) -> int:
    """The last id that any row has, or had before it was removed."""
    (there,) = connection.execute(f"SELECT max(id) FROM {MESSAGES}").fetchone()
    (given,) = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", (MESSAGES,)).fetchone()
    return max(there or 0, given or 0)


LAYOUT: Final[Layout] = AgentsSdkLayout()
