"""goose's database of sessions, and the agent itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from sqlite3 import Connection
from typing import Any, Final

from toolpair.dialects.item_types import type_name
from toolpair.formats.engine.reading.stored_rows import json_in
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Row,
    StoredSession,
    Table,
    columns_of,
    is_text,
    listed,
    rows_of,
    tables_of,
    text,
)

TITLE: Final = "goose"
_MOST_LOOKED_AT: Final = 50
"""Messages from the end in which the user's last words are looked for."""
_SESSIONS: Final = Table(
    "sessions",
    json=("model_config_json",),
    # What extensions and recipes keep there may be secret.
    hidden=frozenset({"extension_data", "recipe_json", "user_recipe_values_json"}),
    whole=True,
)
_MESSAGES: Final = Table("messages", json=("metadata_json", "content_json"))
_ORDER: Final = "ORDER BY created_timestamp, id"


class GooseLayout(Layout):
    """The sessions of goose's database, since 1.10."""

    agent = "goose"
    title = "goose's database of sessions"
    besides: Mapping[str, str] = {"schema_version": ALL}
    tables: Sequence[Table] = (_SESSIONS, _MESSAGES)
    needs: Mapping[str, Collection[str]] = {
        "schema_version": (),
        "sessions": ("id", "working_dir"),
        "messages": ("id", "session_id", "role", "content_json", "created_timestamp"),
    }

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        known = frozenset(columns_of(connection, "sessions"))
        wanted = ("id", "working_dir", "name", "description", "updated_at", "session_type", "parent_session_id")
        columns = ", ".join(name if name in known else "NULL" for name in wanted)
        time = "CAST(strftime('%s', updated_at) AS INTEGER)" if "updated_at" in known else "0"
        query = f"SELECT {columns}, coalesce({time}, 0) AS time FROM sessions ORDER BY time DESC, id DESC"
        found = listed(connection, query, most, "messages", "session_id", "content_json")
        for (id_, folder, name, description, _, kind, parent, modified), size in found:
            belongs = text(parent) or ("" if text(kind) == "sub_agent" else None)
            title = text(name) or text(description)
            named = text(id_), title or None, text(folder) or None
            yield StoredSession(*named, float(modified), belongs, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        query = (
            "SELECT content_json FROM messages WHERE session_id = ? AND role = 'user' "
            f"ORDER BY created_timestamp DESC, id DESC LIMIT {_MOST_LOOKED_AT}"
        )
        found = (words_of(json_in(row[0])) for row in connection.execute(query, (session,)))
        return next((words for words in found if words), None)

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        for row in rows_of(connection, _SESSIONS, "WHERE id = ?", session):
            yield Row(row.table, row.columns, _free_ids(connection, session))
            yield from rows_of(connection, _MESSAGES, f"WHERE session_id = ? {_ORDER}", session)


def words_of(parts: Any) -> str | None:
    """A user's words in a message; None where it has only results, or what goose adds to a prompt."""
    texts = [part.get("text") for part in parts if type_name(part) == "text"] if isinstance(parts, list) else []
    said = [one for one in texts if isinstance(one, str) and not one.startswith("<turn-context>")]
    return peek.one_line(" ".join(said)) if said else None


def _free_ids(connection: Connection, session: str) -> dict[str, Any]:
    """Which ids new rows can have: what follows the last one of the table, and the gaps between the session's own."""
    last = connection.execute("SELECT coalesce(max(id), 0) FROM messages").fetchone()[0]
    if "sqlite_sequence" in tables_of(connection):
        counted = connection.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = 'messages'").fetchone()[0]
        last = max(last, counted or 0)
    own = [row[0] for row in connection.execute("SELECT id FROM messages WHERE session_id = ? ORDER BY id", (session,))]
    others = "SELECT id FROM messages WHERE id > ? AND id < ? ORDER BY id"
    free: list[tuple[int, int]] = []
    for first, end in pairwise(own):
        if end - first < 2:
            continue
        taken = [row[0] for row in connection.execute(others, (first, end))]
        between = zip([first, *taken], [*taken, end], strict=True)
        free += [(before + 1, after - 1) for before, after in between if after - before > 1]
    return {"next_id": last + 1, "free_ids": free}


LAYOUT: Final[Layout] = GooseLayout()
