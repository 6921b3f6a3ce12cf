"""Crush's database of a project's sessions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Any, Final

from toolpair.formats.crush.detection import MESSAGES, PARTS, SESSIONS
from toolpair.formats.engine.reading.stored_rows import json_in
from toolpair.source import peek
from toolpair.source.rows.layout import ANY_NUMBER, Layout, Row, StoredSession, Table, is_text, listed, rows_of, text

_MOST_LOOKED_AT: Final = 50
"""Messages from the end in which the user's last words are looked for."""
_SESSIONS: Final = Table(SESSIONS)
_MESSAGES: Final = Table(MESSAGES, json=(PARTS,))


class CrushLayout(Layout):
    """The sessions of Crush's database, since 2025-08 (`is_summary_message`)."""

    agent = "crush"
    title = "Crush's database of sessions"
    tables: Sequence[Table] = (_SESSIONS, _MESSAGES)
    needs: Mapping[str, Collection[str]] = {
        "goose_db_version": (),
        SESSIONS: ("id", "parent_session_id", "summary_message_id", "prompt_tokens"),
        MESSAGES: ("id", "session_id", "role", PARTS, "is_summary_message"),
    }

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        query = (
            "SELECT id, title, parent_session_id, CAST(coalesce(updated_at, 0) AS INTEGER) AS time FROM sessions "
            "ORDER BY time DESC, id DESC"
        )
        found = listed(connection, query, most, MESSAGES, "session_id", PARTS)
        for (id_, title, parent, modified), size in found:
            named = text(id_), text(title) or None, None
            yield StoredSession(*named, float(modified), text(parent) or None, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        query = (
            "SELECT parts FROM messages WHERE session_id = ? AND role = 'user' "
            f"ORDER BY created_at DESC, rowid DESC LIMIT {_MOST_LOOKED_AT}"
        )
        found = (_said(json_in(row[0])) for row in connection.execute(query, (session,)))
        return next((words for words in found if words), None)

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        yield from rows_of(connection, _SESSIONS, "WHERE id = ?", session)
        yield from rows_of(connection, _MESSAGES, "WHERE session_id = ? ORDER BY created_at, rowid", session)


def _said(parts: Any) -> str | None:
    data = [one.get("data") for one in parts if isinstance(one, dict)] if isinstance(parts, list) else []
    return peek.words_of([one for one in data if isinstance(one, dict)])


LAYOUT: Final[Layout] = CrushLayout()
