"""Hermes Agent's database of sessions, and the agent itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from sqlite3 import Connection, OperationalError
from typing import Any, Final

from msgspec.structs import replace

from toolpair.formats.engine.reading.clock import seconds
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.formats.hermes.detection import GOES_ON, LISTED, MESSAGES, SESSIONS
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Row,
    StoredSession,
    Table,
    columns_of,
    ids_given,
    is_text,
    listed,
    rows_of,
    text,
)

_MOST_LOOKED_AT: Final = 50
"""Messages from the end in which the user's last words are looked for."""
# The prompt is long and no part of the history; where a message came from may name people.
_SESSIONS: Final = Table(SESSIONS, hidden=frozenset({"system_prompt", "origin_json"}))
_MESSAGES: Final = Table(MESSAGES, json=("tool_calls",))


class HermesLayout(Layout):
    """The sessions of Hermes' database."""

    agent = "hermes"
    title = "Hermes Agent's database of sessions"
    besides: Mapping[str, str] = {"schema_version": ALL, "state_meta": ALL}
    tables: Sequence[Table] = (_SESSIONS, _MESSAGES)
    needs: Mapping[str, Collection[str]] = {
        "schema_version": (),
        SESSIONS: ("id", "source", "started_at"),
        MESSAGES: ("id", "session_id", "role", "content", "tool_call_id", "tool_calls", "tool_name"),
    }

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        known = frozenset(columns_of(connection, SESSIONS))
        wanted = ("id", "cwd", "title", "parent_session_id", "model_config", "source")
        columns = ", ".join(name if name in known else "NULL" for name in wanted)
        last = "SELECT session_id AS of, max(timestamp) AS last FROM messages GROUP BY session_id"
        query = (
            f"SELECT {columns}, CAST(coalesce(last, started_at) AS REAL) AS time FROM sessions LEFT JOIN ({last}) "
            "ON of = id ORDER BY time DESC, id DESC"
        )
        for (id_, folder, title, parent, config, source, modified), size in listed(
            connection, query, most, MESSAGES, "session_id", "content"
        ):
            delegated = text(source) == "tool" or object_in(config).get("_delegate_from") is not None
            belongs = (text(parent) or "") if delegated else None
            named = text(id_), text(title) or None, text(folder) or None
            yield StoredSession(*named, seconds(modified) or 0.0, belongs, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        query = (
            "SELECT content FROM messages WHERE session_id = ? AND role = 'user' "
            f"ORDER BY id DESC LIMIT {_MOST_LOOKED_AT}"
        )
        said = (text(row[0]) for row in connection.execute(query, (session,)))
        return next((peek.one_line(one) for one in said if one.strip() and not one.startswith(LISTED)), None)

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        own = rows_of(connection, _SESSIONS, "WHERE id = ?", session)
        messages = rows_of(connection, _MESSAGES, "WHERE session_id = ? ORDER BY id", session)
        facts: dict[str, Any] = ids_given(connection, MESSAGES)
        if (next_one := _goes_on_in(connection, session)) != session:
            facts[GOES_ON] = next_one
        for number, row in enumerate(chain(own, messages)):
            yield row if number else replace(row, facts=facts)


_NEXT: Final = (
    "SELECT child.id FROM sessions AS parent JOIN sessions AS child ON child.parent_session_id = parent.id "
    "WHERE parent.id = ? AND coalesce(child.source, '') != 'tool' AND "
    "json_extract(coalesce(child.model_config, '{}'), '$._branched_from') IS NULL AND "
    "json_extract(coalesce(child.model_config, '{}'), '$._delegate_from') IS NULL "
)
_COMPRESSED: Final = (
    "AND parent.end_reason = 'compression' ORDER BY CASE WHEN child.end_reason = 'compression' THEN 0 "
    "WHEN child.ended_at IS NULL THEN 1 ELSE 2 END, coalesce((SELECT max(timestamp) FROM messages WHERE session_id = "
    "child.id), child.started_at) DESC, child.started_at DESC, child.id DESC LIMIT 1"
)
_NEWEST: Final = "ORDER BY child.started_at DESC, child.id DESC LIMIT 1"


def _goes_on_in(connection: Connection, session: str) -> str:
    """The session that Hermes resumes when it is asked for this one: what it has been compressed into, then the last
    one that follows it and has messages.
    """
    known = frozenset(columns_of(connection, SESSIONS))
    if not {"parent_session_id", "model_config", "end_reason", "ended_at"} <= known:
        return session
    tip = session
    # Hermes stays where it is, too, once a session after it has a `model_config` that is not JSON.
    with suppress(OperationalError):
        *_, tip = _following(connection, session, _COMPRESSED)
    with suppress(OperationalError):
        query = "SELECT 1 FROM messages WHERE session_id = ? LIMIT 1"
        told = [one for one in _following(connection, tip, _NEWEST) if connection.execute(query, (one,)).fetchone()]
        return told[-1] if told else tip
    return tip


def _following(connection: Connection, session: str, rest: str) -> Iterator[str]:
    seen: set[str] = set()
    while session and session not in seen:
        seen.add(session)
        yield session
        row = connection.execute(_NEXT + rest, (session,)).fetchone()
        session = text(row[0]) if row is not None else ""


LAYOUT: Final[Layout] = HermesLayout()
