"""OpenClaw's database of sessions, and the agent itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Final

from toolpair.formats.engine.reading.clock import seconds
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Part,
    Row,
    Stored,
    StoredSession,
    Table,
    Text,
    columns_of,
    is_text,
    listed,
    parts_of,
    rows_of,
    text,
)

DATABASE: Final = "openclaw-agent.sqlite"
_WORDS_OF: Final = 50
"""Rows from the end in which the user's last words are looked for."""
_LONGEST: Final = 4 << 20
"""OpenClaw packs no longer text."""
_WINDOWS: Final = Table(
    "session_windows",
    key="session_id",
    # Who it was with, and through which account.
    hidden=frozenset({"account_id", "primary_conversation_id", "hook_external_content_source", "plugin_owner_id"}),
)
_STATES: Final = Table("session_transcript_index_state", key="session_id")
_SESSION: Final = {"session_id": "session_id"}
_IDENTITIES: Final = Part(
    "transcript_event_identities", "identity_", {**_SESSION, "seq": "seq"}, "event_id", moves=True
)
_ACTIVE: Final = Part(
    "session_transcript_active_events",
    "listed_",
    {**_SESSION, "event_seq": "seq"},
    "active_position",
    moves=True,
)
_EVENTS: Final = Table(
    "transcript_events",
    key="seq",
    within=("session_id",),
    json=("event_json",),
    sizes={"event_utf8_bytes": "event_json"},
    parts=(_IDENTITIES, _ACTIVE),
)
_NODE: Final = (
    "SELECT session_key, ? AS current_session_id, '{}' AS entry_json, -1 AS entry_valid, updated_at FROM session_nodes "
    "WHERE session_key = (SELECT session_key FROM session_windows WHERE session_id = ?)"
)
"""The row that the session's own refers to; what it says besides is the agent's alone."""
_BESIDES: Final = ("event_zstd", "event_utf8_bytes", "navigation_json")
"""Columns that say what the record says: packed, its size, and what the agent looks records up by."""


class OpenClawLayout(Layout):
    """The sessions of OpenClaw's database, since 2026.8. Other tables of it hold secrets and are never read."""

    agent = "openclaw"
    title = "OpenClaw's database of sessions"
    stop: str | None = "openclaw gateway stop"
    besides: Mapping[str, str] = {"schema_meta": ALL, "session_nodes": _NODE}
    tables: Sequence[Table] = (_WINDOWS, _STATES, _EVENTS)
    needs: Mapping[str, Collection[str]] = {
        "session_windows": ("session_id", "session_key"),
        "transcript_events": ("session_id", "seq", "event_json"),
        "session_transcript_active_events": ("active_position", "event_seq"),
    }

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        known = frozenset(columns_of(connection, "session_nodes"))
        names = ", ".join(f"n.{name}" if name in known else "NULL" for name in ("label", "display_name"))
        parent = "(SELECT p.current_session_id FROM session_nodes p WHERE p.session_key = w.parent_session_key)"
        columns = f"w.session_id, {names}, w.updated_at, w.parent_session_key, {parent}"
        joined = "session_windows w LEFT JOIN session_nodes n ON n.session_key = w.session_key"
        query = f"SELECT {columns} FROM {joined} ORDER BY w.updated_at DESC, w.session_id"
        found = listed(connection, query, most, "transcript_events", "session_id", "event_json")
        for (id_, label, name, time, above, parent_id), size in found:
            belongs = text(parent_id) if text(above) else None
            folder = self._folder(connection, text(id_))
            title = text(label) or text(name) or None
            named = text(id_), title, folder, seconds(time, 1000) or 0.0, belongs
            yield StoredSession(*named, size, not is_text(id_))

    def _folder(self, connection: Connection, session: str) -> str | None:
        first = "SELECT event_json FROM transcript_events WHERE session_id = ? ORDER BY seq LIMIT 1"
        found = object_in(next(iter(connection.execute(first, (session,))), (None,))[0])
        folder = found.get("cwd")
        return folder if isinstance(folder, str) and found.get("type") == "session" else None

    def words(self, connection: Connection, session: str) -> str | None:
        may_be = "(event_json IS NULL OR instr(event_json, '\"user\"'))"
        last = f"WHERE session_id = ? AND {may_be} ORDER BY seq DESC LIMIT {_WORDS_OF}"
        rows = rows_of(connection, _EVENTS, last, session)
        for row in rows:
            message = object_in(_shown(row)[0]["event_json"]).get("message")
            if isinstance(message, dict) and message.get("role") == "user":
                content = message.get("content")
                parts = content if isinstance(content, list) else [{"text": content}]
                said = [one["text"] for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str)]
                if words := peek.one_line(" ".join(said)):
                    return words
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        found = None
        for found in rows_of(connection, _WINDOWS, "WHERE session_id = ?", session):
            yield found
        if found is None:
            return
        of_session = "WHERE session_id = ?"
        yield from rows_of(connection, _STATES, of_session, session)
        parts = [parts_of(connection, part, of_session, session) for part in _EVENTS.parts]
        empty = [_names_of(connection, part) for part in _EVENTS.parts]
        for row in rows_of(connection, _EVENTS, f"{of_session} ORDER BY seq", session):
            columns, stored = _shown(row)
            message, seq = columns.pop("event_json"), columns["seq"]
            for known, none in zip(parts, empty, strict=True):
                columns |= known.get(seq, none)
            columns["event_json"] = message
            yield Row(_EVENTS, columns, stored=stored)


def _names_of(connection: Connection, part: Part) -> dict[str, Stored]:
    return {part.prefix + name: None for name in columns_of(connection, part.table) if name not in part.row}


def _shown(row: Row) -> tuple[dict[str, Stored], dict[str, Stored]]:
    """The columns of a row with its text unpacked, and those that only repeat it."""
    columns = dict(row.columns)
    stored: dict[str, Stored] = {name: columns.pop(name) for name in _BESIDES if name in columns}
    packed = stored.get("event_zstd")
    if columns["event_json"] is None and isinstance(packed, bytes):
        stored["event_json"] = None
        columns["event_json"] = _unpacked(packed)
    return columns, stored


def _unpacked(packed: bytes) -> Stored:
    import zstandard

    try:
        return Text(zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LONGEST))
    except zstandard.ZstdError:
        return None


LAYOUT: Final[Layout] = OpenClawLayout()
