"""The database of checkpoints that LangGraph's `SqliteSaver` writes: measured on langgraph-checkpoint-sqlite 3.1.2."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from sqlite3 import Connection
from typing import Any, Final
from uuid import UUID

from toolpair.formats.langgraph.msgpack import Differences, as_json, key_of, loaded, messages_in, texts_in
from toolpair.source import peek
from toolpair.source.errors import UnreadableFile
from toolpair.source.rows.layout import ANY_NUMBER, Layout, Row, StoredSession, Table, is_text, rows_of, text

_CHECKPOINTS: Final = "checkpoints"
_CHANNEL: Final = "messages"
"""The channel that a graph usually keeps its messages in."""
_BETWEEN: Final = "|"
"""What stands between a thread and the place of a graph within it, in the name of that one's session."""
_NEWEST: Final = "WHERE thread_id = ? AND checkpoint_ns = ? ORDER BY checkpoint_id DESC LIMIT 1"
_EPOCH: Final = 0x01B21DD213814000
"""The start of Unix's time, in the 100 nanoseconds that checkpoints' ids count."""
_ADVICE: Final = "give it the messages of `get_state()`, as JSON"


class LangGraphLayout(Layout):
    """A thread is a session, and so is each graph within it that keeps checkpoints of its own."""

    writer = "LangGraph"
    title = "a database of LangGraph's checkpoints"
    tables: Sequence[Table] = (Table(_CHECKPOINTS, key="checkpoint_id", hidden=frozenset({"checkpoint", "metadata"})),)
    needs: Mapping[str, Collection[str]] = {
        _CHECKPOINTS: ("thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"),
        "writes": ("thread_id", "checkpoint_ns", "checkpoint_id", "channel", "value"),
    }
    only_read = (
        "toolpair does not write LangGraph's checkpoints; save the list, and put it in with the graph's `update_state`"
    )

    def sessions(self, connection: Connection, most: int = ANY_NUMBER) -> Iterator[StoredSession]:
        query = (
            f"SELECT thread_id, checkpoint_ns, max(checkpoint_id) AS newest FROM {_CHECKPOINTS} "
            f"GROUP BY thread_id, checkpoint_ns ORDER BY newest DESC LIMIT {most}"
        )
        for thread, within, newest in connection.execute(query).fetchall():
            size = f"SELECT length(checkpoint) FROM {_CHECKPOINTS} {_NEWEST}"
            (length,) = connection.execute(size, (text(thread), text(within))).fetchone() or (0,)
            name = f"{text(thread)}{_BETWEEN}{text(within)}" if within else text(thread)
            parent = text(thread) if within else None
            yield StoredSession(name, None, None, _time_of(text(newest)), parent, length or 0, not is_text(thread))

    def words(self, connection: Connection, session: str) -> str | None:
        try:
            messages = self._messages(connection, session)
        except UnreadableFile:
            return None
        said = (peek.one_line(" ".join(texts_in(message))) for message in reversed(messages))
        return next((words for words in said if words), None)

    def rows(self, connection: Connection, session: str) -> Iterator[Row]:
        found = _place(connection, session)
        if found is not None:
            yield from rows_of(connection, self.tables[0], _NEWEST, *found)

    def elements(self, connection: Connection, session: str) -> Iterator[bytes]:
        try:
            yield from map(as_json, self._messages(connection, session))
        except ValueError as error:
            raise _unreadable(session, str(error)) from None

    def _messages(self, connection: Connection, session: str) -> list[dict[str, Any]]:
        """What the newest checkpoint holds, and what was written since, as LangGraph puts it in when it goes on."""
        found = _place(connection, session)
        query = f"SELECT checkpoint_id, type, checkpoint FROM {_CHECKPOINTS} {_NEWEST}"
        row = None if found is None else connection.execute(query, found).fetchone()
        if found is None or row is None:
            raise UnreadableFile(f"There is no thread {session!r} in it; check the id.")
        checkpoint, kind, stored = row
        try:
            values = loaded(text(kind), stored)
        except ValueError as error:
            raise _unreadable(session, str(error)) from None
        channel, messages = _channel(values, session)
        written = connection.execute(
            "SELECT type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND "
            "channel = ? ORDER BY task_id, idx",
            (*found, text(checkpoint), channel),
        )
        made: dict[object, dict[str, Any]] = {key_of(message): message for message in messages}
        for kind, value in written.fetchall():
            try:
                more = messages_in(loaded(text(kind), value))
            except ValueError as error:
                raise _unreadable(session, str(error)) from None
            made |= {key_of(message): message for message in more or ()}
        return list(made.values())


def _channel(values: Any, session: str) -> tuple[str, list[dict[str, Any]]]:
    """The channel of a checkpoint that has messages, and these. Raises Unreadable without one."""
    channels = values.get("channel_values") if isinstance(values, dict) else None
    found: dict[str, list[dict[str, Any]]] = {}
    for name, value in channels.items() if isinstance(channels, dict) else ():
        if isinstance(value, Differences) and name == _CHANNEL:
            raise UnreadableFile(f"The thread {session!r} keeps only what changed of its messages; {_ADVICE}.")
        if isinstance(value, list) and (messages := messages_in(value)) is not None:
            found[str(name)] = messages
    if _CHANNEL in found or len(found) == 1:
        name = _CHANNEL if _CHANNEL in found else next(iter(found))
        return name, found[name]
    if not found:
        raise UnreadableFile(f"The thread {session!r} has no messages in its newest checkpoint; {_ADVICE}.")
    raise UnreadableFile(
        f"The thread {session!r} has several lists of messages ({', '.join(sorted(found))}); {_ADVICE}."
    )


def _place(connection: Connection, session: str) -> tuple[str, str] | None:
    """The thread and the place within it that a session is."""
    there = f"SELECT 1 FROM {_CHECKPOINTS} WHERE thread_id = ? AND checkpoint_ns = ? LIMIT 1"
    cuts = [at for at, sign in enumerate(session) if sign == _BETWEEN]
    for place in ((session, ""), *((session[:at], session[at + 1 :]) for at in cuts)):
        if connection.execute(there, place).fetchone():
            return place
    return None


def _unreadable(session: str, why: str) -> UnreadableFile:
    return UnreadableFile(f"The newest checkpoint of the thread {session!r} cannot be read ({why}); {_ADVICE}.")


def _time_of(id_: str) -> float:
    """When a checkpoint was made: its id counts from 1582, in the order of the digits."""
    try:
        digits = UUID(id_).hex
    except ValueError:
        return 0.0
    return max((int(digits[:12] + digits[13:16], 16) - _EPOCH) / 1e7, 0.0)


LAYOUT: Final[Layout] = LangGraphLayout()
