"""opencode's and Kilo's databases of sessions, and the agents themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.formats.engine.reading.clock import seconds
from toolpair.formats.engine.reading.stored_rows import object_in
from toolpair.formats.opencode.detection import MESSAGE, PART, SESSION
from toolpair.source import peek
from toolpair.source.rows.layout import (
    ALL,
    ANY_NUMBER,
    Layout,
    Row,
    Stored,
    StoredSession,
    Table,
    Text,
    is_text,
    listed,
    rows_of,
    text,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

_HIDDEN: Final = frozenset({"share_url", "summary_diffs", "permission"})
_SESSION: Final = Table(SESSION, json=("revert",), hidden=_HIDDEN, whole=True)
_MESSAGE: Final = Table(MESSAGE, json=("data",), whole=True)
_PART: Final = Table(PART, json=("data",))
_KILOS: Final = frozenset({"kilo_board", "kilo_board_message"})
_KILOS_FIRST: Final = 7
"""The first number of the versions in which Kilo has had a database; opencode's have been 1 since before it had one."""
_AT_ONCE: Final = 1_000
"""Messages whose parts are in memory together."""
_WORDS_OF: Final = 20
"""How many messages are looked at for the user's last text."""


class OpencodeLayout(Layout):
    """The tables of both agents. Others in the same database hold secrets and are never read."""

    tables = (_SESSION, _MESSAGE, _PART)
    needs: Mapping[str, Collection[str]] = {
        SESSION: ("directory", "slug", "time_updated", "version"),
        MESSAGE: ("data", "session_id"),
        PART: ("data", "message_id"),
    }
    besides: Mapping[str, str] = {
        "migration": ALL,
        "__drizzle_migrations": ALL,
        "project": "id IN (SELECT project_id FROM session WHERE id = ?)",
    }

    def __init__(self, agent: str, title: str, is_kilo: bool) -> None:
        self.agent, self.title, self._is_kilo = agent, title, is_kilo

    def claims(self, tables: Mapping[str, frozenset[str]], connection: Connection) -> bool:
        is_either = super().claims(tables, connection)
        return is_either and bool(_KILOS & tables.keys() or _is_of_kilo(connection)) is self._is_kilo

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        columns = "id, title, directory, time_updated, parent_id"
        query = f"SELECT {columns} FROM session ORDER BY time_updated DESC, id"
        for (id_, title, folder, time, parent), size in listed(connection, query, most, PART, "session_id", "data"):
            named = text(id_), text(title) or None, text(folder) or None, seconds(time, 1000) or 0.0
            yield StoredSession(*named, text(parent) or None, size, not is_text(id_))

    def words(self, connection: Connection, session: str) -> str | None:
        sql = "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created DESC, id DESC LIMIT ?"
        for id_, data in connection.execute(sql, (session, _WORDS_OF)).fetchall():
            if object_in(data).get("role") != "user":
                continue
            parts = connection.execute("SELECT data FROM part WHERE message_id = ? ORDER BY id", (text(id_),))
            said = [one for one in (object_in(row[0]) for row in parts) if one.get("type") == "text"]
            words = peek.one_line(" ".join(str(one.get("text") or "") for one in said if not one.get("synthetic")))
            if words is not None:
                return words
        return None

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        facts = {"kilo": True} if self._is_kilo else None
        known = None
        for known in rows_of(connection, _SESSION, "WHERE id = ?", session):
            yield Row(known.table, known.columns, facts)
        if known is None:
            return
        messages = list(rows_of(connection, _MESSAGE, "WHERE session_id = ?", session))
        parts = _numbers_of_parts(connection, session)
        alone = (
            "WHERE session_id = ? AND NOT EXISTS (SELECT 1 FROM message WHERE message.id = part.message_id) ORDER BY id"
        )
        left: dict[str, list[Row]] = {}
        for part in rows_of(connection, _PART, alone, session):
            left.setdefault(text(part.columns["message_id"]), []).append(part)
        ordered: list[tuple[Any, bytes, Row | None, Sequence[Row]]] = [
            (_number(row.columns["time_created"]), text(row.columns["id"]).encode(), row, ()) for row in messages
        ]
        ordered += ((_number(of[0].columns["time_created"]), id_.encode(), None, of) for id_, of in left.items())
        ordered.sort(key=lambda one: one[:2])
        for first in range(0, len(ordered), _AT_ONCE):
            some = ordered[first : first + _AT_ONCE]
            numbers = [n for _, _, row, _ in some if row is not None for n in parts.get(row.columns["id"], ())]
            found: dict[Stored, list[Row]] = {}
            marks = ", ".join(map(str, numbers))
            for part in rows_of(connection, _PART, f"WHERE rowid IN ({marks})") if numbers else ():
                found.setdefault(part.columns["message_id"], []).append(part)
            for _, _, row, of in some:
                if row is not None:
                    yield row
                    of = sorted(found.get(row.columns["id"], ()), key=_by_id)
                yield from of


def _numbers_of_parts(connection: Connection, session: str) -> dict[Stored, list[int]]:
    """SQLite's numbers of the parts of each message of a session, whatever session they name themselves."""
    found: dict[Stored, list[int]] = {}
    sql = "SELECT message_id, rowid FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = ?)"
    for message, number in connection.execute(sql, (session,)):
        found.setdefault(message, []).append(number)
    return found


def _by_id(part: Row) -> tuple[int, Any]:
    """A key that sorts as SQLite does."""
    id_ = part.columns["id"]
    if isinstance(id_, bytes):
        return (2 if isinstance(id_, Text) else 3), id_
    return (0, 0) if id_ is None else (1, id_)


def _is_of_kilo(connection: Connection) -> bool:
    """Whether Kilo wrote the session that was used last: at first its databases had opencode's very tables."""
    newest = connection.execute("SELECT version FROM session ORDER BY time_updated DESC LIMIT 1").fetchone()
    major = text(newest[0]).partition(".")[0] if newest is not None else ""
    return major.isdecimal() and int(major) >= _KILOS_FIRST


def _number(value: Any) -> float:
    return value if isinstance(value, (int, float)) else 0


OPENCODE_LAYOUT: Final = OpencodeLayout("opencode", "opencode's database of sessions", is_kilo=False)
KILO_LAYOUT: Final = OpencodeLayout("kilo-cli", "Kilo's database of sessions", is_kilo=True)
