"""docker-agent's database of sessions, and the agent itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.formats.docker_agent.detection import ITEM, SESSION
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Row,
    Stored,
    StoredSession,
    Table,
    is_text,
    mark,
    rows_of,
    sizes_of,
    text,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

_SESSIONS: Final = Table(SESSION, hidden=frozenset({"messages"}))
_ITEMS: Final = Table(ITEM, json=("message_json",))
_MOST_LOOKED_AT: Final = 50
"""Rows from the end of a session in which its last message is looked for."""


class DockerAgentLayout(Layout):
    """The sessions of docker-agent's database."""

    agent = "docker-agent"
    besides: Mapping[str, str] = {"migrations": ALL}
    title = "docker-agent's database of sessions"
    tables: Sequence[Table] = (_SESSIONS, _ITEMS)
    needs: Mapping[str, Collection[str]] = {SESSION: ("tools_approved",), "migrations": ()}

    def claims(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> bool:
        has_items = {"position", "item_type", "message_json"} <= tables.get(ITEM, frozenset())
        return super().claims(tables, connection) and (has_items or ITEM not in tables)

    def refusal(self, connection: Connection) -> str | None:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (ITEM,)).fetchone():
            return None
        return (
            "of a version that kept a session's messages in one column; start a newer docker-agent with it once, which "
            "converts it"
        )

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        size = sizes_of(connection, ITEM, "session_id", "message_json")
        last = dict(_last_times(connection))
        query = "SELECT id, title, working_dir, created_at, parent_id FROM sessions"
        found = [
            StoredSession(
                text(id_),
                text(title) or None,
                text(folder) or None,
                last.get(id_) or seconds_of(text(made)) or 0.0,
                text(parent) or None,
                size.get(id_, 0),
                not is_text(id_),
            )
            for id_, title, folder, made, parent in connection.execute(query)
        ]
        # When one was used is in its last message: no query sorts by that.
        newest = sorted(found, key=lambda one: -one.modified)
        return iter(newest if most == ANY_NUMBER else newest[:most])

    def words(self, connection: Connection, session: str) -> str | None:
        for row in connection.execute(
            "SELECT message_json FROM session_items WHERE session_id = ? AND item_type = 'message' AND NOT implicit "
            "ORDER BY position DESC LIMIT 200",
            (session,),
        ):
            message = object_in(row[0])
            if message.get("role") == "user" and isinstance(message.get("content"), str):
                return peek.one_line(message["content"])
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        for row in rows_of(connection, _SESSIONS, "WHERE id = ?", session):
            (last,) = connection.execute("SELECT max(id) FROM session_items").fetchone()
            gone = connection.execute(
                "SELECT id FROM session_items WHERE session_id = ? AND item_type = 'subsession' AND "
                "(subsession_id IS NULL OR subsession_id NOT IN (SELECT id FROM sessions))",
                (session,),
            ).fetchall()
            yield replace(row, facts={"last_id": last or 0, "without_session": [one[0] for one in gone]})
            yield from rows_of(connection, _ITEMS, "WHERE session_id = ? ORDER BY position, id", session)


def _last_times(connection: Connection) -> Iterator[tuple[Stored, float | None]]:
    """When the last message of each session was written. One pass, by an index where there is one."""
    last = "SELECT session_id, rowid, max(position) FROM session_items GROUP BY session_id"
    for session, row, _ in connection.execute(last).fetchall():
        (message,) = connection.execute("SELECT message_json FROM session_items WHERE rowid = ?", (row,)).fetchone()
        if message is None:
            message = _last_message(connection, session)
        if message is not None:
            yield session, _time_of(message)


def _last_message(connection: Connection, session: Stored) -> Any:
    """The last message among the last rows of a session."""
    query = f"SELECT message_json FROM session_items WHERE session_id = {mark(session)} ORDER BY position DESC LIMIT ?"
    rows = connection.execute(query, (session, _MOST_LOOKED_AT))
    return next((message for (message,) in rows if message is not None), None)


def _time_of(message: Any) -> float | None:
    found = object_in(message).get("created_at")
    return seconds_of(found) if isinstance(found, str) else None


LAYOUT: Final[Layout] = DockerAgentLayout()
