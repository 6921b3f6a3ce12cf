"""OpenClaw's databases of sessions as it writes them since 2026.8, and many ways in which they break.

Every output says a word that is nowhere else.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import zstandard

from tests import openclaw_sessions
from tests.broken_sessions import WORDS, Record, made_long_ago, unsynced, word

ID = "01a1fd24-f7c0-7065-9091-a3b140f571fc"
OTHER = "01a1fd25-0000-4000-8000-000000000002"
START = 1795248420000
SECRET = "sk-this-is-the-secret-of-nobody"
TABLES = """
CREATE TABLE schema_meta (meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL,
  agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL, parent_session_key TEXT, label TEXT, display_name TEXT) STRICT;
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
  previous_session_id TEXT, reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
  transcript_updated_at INTEGER DEFAULT NULL, model_provider TEXT, model TEXT, parent_session_key TEXT,
  display_name TEXT, FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
  created_at INTEGER NOT NULL, event_zstd BLOB,
  event_utf8_bytes INTEGER CHECK (event_utf8_bytes IS NULL OR event_utf8_bytes >= 0), navigation_json TEXT,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE,
  CHECK ((event_json IS NOT NULL AND event_zstd IS NULL) OR (event_json IS NULL AND event_zstd IS NOT NULL
    AND event_utf8_bytes IS NOT NULL AND event_utf8_bytes BETWEEN 1 AND 4194304
    AND length(event_zstd) BETWEEN 1 AND 4194304 AND navigation_json IS NOT NULL)),
  CHECK (navigation_json IS NULL OR CASE WHEN json_valid(navigation_json) THEN coalesce(
    octet_length(navigation_json) <= 16384 AND json_extract(navigation_json, '$.version') = 1, 0) ELSE 0 END)) STRICT;
CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, event_id TEXT NOT NULL, seq INTEGER NOT NULL,
  event_type TEXT, parent_id TEXT, message_idempotency_key TEXT, created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, event_id),
  FOREIGN KEY (session_id, seq) REFERENCES transcript_events(session_id, seq) ON DELETE CASCADE) STRICT;
CREATE TABLE session_transcript_index_state (session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT NULL,
  leaf_event_id TEXT, needs_rebuild INTEGER NOT NULL DEFAULT 0, active_event_count INTEGER NOT NULL DEFAULT 0,
  active_message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL,
  active_position INTEGER NOT NULL CHECK (active_position >= 0), event_seq INTEGER NOT NULL,
  message_position INTEGER CHECK (message_position IS NULL OR message_position >= 0), context_eligible INTEGER,
  PRIMARY KEY (session_id, active_position),
  FOREIGN KEY (session_id, event_seq) REFERENCES transcript_events(session_id, seq) ON DELETE CASCADE) STRICT;
CREATE UNIQUE INDEX active_seq ON session_transcript_active_events(session_id, event_seq);
CREATE UNIQUE INDEX active_messages ON session_transcript_active_events(session_id, message_position)
  WHERE message_position IS NOT NULL;
CREATE TABLE transcript_rewrite_watermarks (session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL,
  updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE trajectory_runtime_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, run_id TEXT,
  event_json TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq)) STRICT;
CREATE TABLE auth_profile_store (store_key TEXT NOT NULL PRIMARY KEY, store_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL) STRICT;
"""
_CANONICAL = ("message", "thinking_level_change", "model_change", "compaction", "reset", "branch_summary", "custom")
CANONICAL = frozenset((*_CANONICAL, "custom_message", "label", "session_info"))
Change = Callable[[sqlite3.Connection], object]


@dataclass(frozen=True, slots=True)
class Planted:
    """A broken session. `words`: the outputs that a fixed one must still send; `change` breaks the tables besides."""

    data: bytes
    words: tuple[str, ...]
    change: Change | None = None
    packed: bool = False

    def write(self, path: Path) -> Path:
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            unsynced(db)
            begin(db)
            with db:
                db.execute("BEGIN")
                insert(db, ID, self.data, packed=self.packed)
                insert(db, OTHER, _other(), number=1)
                db.execute("INSERT INTO auth_profile_store VALUES ('main', ?, 1)", (SECRET,))
            if self.change is not None:
                self.change(db)
        return made_long_ago(path)


def begin(db: sqlite3.Connection) -> None:
    prepare(db)
    db.executescript(TABLES)
    db.execute("PRAGMA user_version = 23")
    db.execute("INSERT INTO schema_meta VALUES ('primary', 'agent', 23, 'main', '2026.9.6', ?, ?)", (START, START))


def prepare(db: sqlite3.Connection) -> None:
    """SQLite has the function since 3.43."""
    db.create_function("octet_length", 1, lambda value: len(value.encode() if isinstance(value, str) else value))


def insert(
    db: sqlite3.Connection, session: str, data: bytes, *, number: int = 0, packed: bool = False, **named: Any
) -> None:
    """Put a session in, with what the agent derives of its records."""
    key, last = f"agent:main:explicit:{session}", START + number * 1000 + 999
    fields = {"label": None, "display_name": None, "parent_session_key": None, **named}
    db.execute(
        "INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, parent_session_key, label, "
        "display_name) VALUES (?, ?, '{}', ?, ?, ?, ?)",
        (key, session, last, fields["parent_session_key"], fields["label"], fields["display_name"]),
    )
    db.execute(
        "INSERT INTO session_windows (session_id, session_key, created_at, updated_at, transcript_updated_at, "
        "parent_session_key) VALUES (?, ?, ?, ?, ?, ?)",
        (session, key, START, last, last, fields["parent_session_key"]),
    )
    db.execute("INSERT INTO transcript_rewrite_watermarks VALUES (?, 'f00d', ?)", (session, START))
    insert_events(db, session, data, packed)


def insert_events(db: sqlite3.Connection, session: str, data: bytes, packed: bool = False) -> None:
    """The rows of the records, one a line."""
    lines = [line for line in data.splitlines() if line]
    records = [_record(line) for line in lines]
    for seq, (line, record) in enumerate(zip(lines, records, strict=True)):
        zipped = zstandard.compress(line, 1) if packed and record is not None and seq % 2 else None
        navigation = _navigation(record) if zipped is not None else None
        db.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes, "
            "navigation_json) VALUES (?, ?, CAST(? AS TEXT), ?, ?, ?, ?)",
            (session, seq, None if zipped else line, START + seq, zipped, len(line), navigation),
        )
        if record is not None and isinstance(record.get("id"), str) and record["id"].strip():
            db.execute(
                "INSERT OR IGNORE INTO transcript_event_identities VALUES (?, ?, ?, ?, ?, NULL, ?)",
                (session, record["id"], seq, *map(_word, (record.get("type"), record.get("parentId"))), START + seq),
            )
    active, leaf = active_of(records)
    messages = iter(range(len(active)))
    for position, seq in enumerate(active):
        has = "message" in (records[seq] or {})
        db.execute(
            "INSERT INTO session_transcript_active_events VALUES (?, ?, ?, ?, ?)",
            (session, position, seq, next(messages) if has else None, int(not _is_unsent(records[seq]))),
        )
    count = sum("message" in (records[seq] or {}) for seq in active)
    db.execute(
        "INSERT INTO session_transcript_index_state VALUES (?, ?, ?, 0, ?, ?, ?)",
        (session, len(lines) - 1, leaf, len(active), count, START),
    )


def active_of(records: list[Record | None]) -> tuple[list[int], str | None]:
    """The numbers of the records that the agent lists as the history, and where it continues.

    A record whose parent is lost hangs on the one before.
    """
    parents: dict[str, tuple[str | None, int]] = {}
    leaf: str | None = None
    last: str | None = None
    for seq, record in enumerate(records):
        if record is None or not isinstance(record.get("id"), str) or record.get("type") == "session":
            continue
        parent = _word(record.get("parentId")) if "parentId" in record else leaf
        if record.get("type") in [*CANONICAL]:
            if parent is not None and (parent not in parents or (parent == last and leaf != last)):
                parent = leaf
            leaf = record["id"]
        parents[record["id"]] = parent, seq
        last = record["id"]
    path: list[int] = []
    at = leaf
    while at is not None and at in parents and parents[at][1] not in path:
        path.append(parents[at][1])
        at = parents[at][0]
    return path[::-1], leaf


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _is_unsent(record: Record | None) -> bool:
    message = (record or {}).get("message")
    return isinstance(message, dict) and message.get("excludeFromContext") is True


def _record(line: bytes) -> Record | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _navigation(record: Record | None) -> str:
    """What stands beside a packed record: enough for the database's own check, and for the agent's reading of it."""
    assert record is not None
    facts = {"type": "object"}
    sizes = {"modelBytes": 9, "modelWithoutCheckpointBytes": 9, "withoutCustomDataBytes": 9}
    return json.dumps(
        {"version": 1, "report": {"kind": "canonical"}, "navigation": record, "reset": facts, "model": record, **sizes}
    )


# --- sessions ----------------------------------------------------------------------------------------------


def sound() -> list[Record]:
    return _as_now(openclaw_sessions.sound().records)


def _as_now(records: Iterable[Record]) -> list[Record]:
    return [
        {**record, "version": 4} if record.get("type") == "session" else record for record in deepcopy(list(records))
    ]


def _other() -> bytes:
    return lines_of(sound()).replace(ID.encode(), OTHER.encode())


def lines_of(records: Iterable[Any]) -> bytes:
    return b"".join(
        json.dumps(one, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        for one in records
    )


_TWICE = ("earlier_line_again_at_the_end", "words_record_lost_and_the_line_before_again_at_the_end")
"""OpenClaw's index of ids takes none twice."""
_EDITS = ("entry_left_out", "result_left_out", "result_replaced", "edited_twice", "words_replaced")
"""Edits of pi's, which OpenClaw does not know."""
_OF_FILES = (
    "first_version",
    "byte_order_mark",
    "nul_line",
    "invalid_utf8",
    "lines_glued",
    "last_line_torn",
    "header_torn",
)
_ONE, _MORE, _THANKS = 5, 6, 15


@cache
def corpus() -> dict[str, Planted]:
    """Every broken session, by what was done to it."""
    made = {}
    for name, found in openclaw_sessions.corpus().items():
        if name not in (*_EDITS, *_OF_FILES, *_TWICE):
            made[name] = Planted(found.data.replace(b'"version":3', b'"version":4'), found.words)
    return {**made, **of_tables()}


def of_tables() -> dict[str, Planted]:
    """A sound session whose tables do not say the same."""
    data = lines_of(sound())
    every = tuple(map(word, WORDS))
    without_one = every[1:]
    return {
        "row_deleted": Planted(data, without_one, _row_deleted),
        "row_deleted_by_hand": Planted(data, without_one, _row_deleted_by_hand),
        "two_rows_deleted_by_hand": Planted(data, without_one, _two_rows_deleted_by_hand),
        "result_torn": Planted(data, every, _result_torn),
        "result_without_is_error": Planted(data, every, _message(_ONE, lambda said: said.pop("isError"))),
        "result_without_the_tools_name": Planted(data, every, _message(_ONE, lambda said: said.pop("toolName"))),
        "result_that_is_a_text": Planted(data, every, _message(_ONE, lambda said: said.update(content=word(WORDS[0])))),
        "words_without_a_type": Planted(
            data, every, _message(_THANKS, lambda said: said.update(content=[{"text": "Thanks."}]))
        ),
        "row_deleted_and_link_mended": Planted(data, without_one, _row_deleted_and_link_mended),
        "result_unlinked_in_its_record_alone": Planted(data, every, _unlinked),
        "rebuild_wanted": Planted(data, every, _sql("UPDATE session_transcript_index_state SET needs_rebuild = 1")),
        "state_lost": Planted(data, every, _sql("DELETE FROM session_transcript_index_state")),
        "list_behind": Planted(data, every, _list_behind),
        "unclassified": Planted(
            data,
            every,
            _sql("UPDATE session_transcript_active_events SET context_eligible = NULL WHERE active_position = 4"),
        ),
        "list_swapped": Planted(data, every, _list_swapped),
        "list_ends_early": Planted(
            data, every, _sql("DELETE FROM session_transcript_active_events WHERE active_position > 11")
        ),
        "leaf_before_the_end": Planted(data, every, _leaf_before_the_end),
        "counts_wrong": Planted(
            data, every, _sql("UPDATE session_transcript_index_state SET active_event_count = active_event_count + 1")
        ),
        "name_lost": Planted(data, every, _sql("DELETE FROM transcript_event_identities WHERE seq = 6")),
        "named_parent_wrong": Planted(
            data, every, _sql("UPDATE transcript_event_identities SET parent_id = NULL WHERE seq = 6")
        ),
        "row_that_is_no_json": Planted(
            data, without_one, _sql(f'UPDATE transcript_events SET event_json = \'{{"type":"mess\' WHERE seq = {_ONE}')
        ),
        "packed": Planted(data, every, packed=True),
        "packed_and_a_result_gone": Planted(
            openclaw_sessions.corpus()["result_gone"].data.replace(b'"version":3', b'"version":4'),
            without_one,
            packed=True,
        ),
    }


def _sql(text: str) -> Change:
    def change(db: sqlite3.Connection) -> None:
        where = "AND" if " WHERE " in text else "WHERE"
        db.execute(f"{text} {where} session_id = ?", (ID,))

    return change


def _row_deleted(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("DELETE FROM transcript_events WHERE session_id = ? AND seq = ?", (ID, _ONE))


def _row_deleted_by_hand(db: sqlite3.Connection) -> None:
    """As SQLite's own program deletes it: what names the row stays."""
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("DELETE FROM transcript_events WHERE session_id = ? AND seq = ?", (ID, _ONE))


def _two_rows_deleted_by_hand(db: sqlite3.Connection) -> None:
    _row_deleted_by_hand(db)
    db.execute("DELETE FROM transcript_events WHERE session_id = ? AND seq = ?", (ID, _THANKS))


def _message(seq: int, change: Callable[[Record], object]) -> Change:
    def alter(db: sqlite3.Connection) -> None:
        record = sound()[seq]
        change(record["message"])
        _write(db, seq, lines_of([record]).decode().strip())

    return alter


def _result_torn(db: sqlite3.Connection) -> None:
    """Its output is whole, and what follows is not there."""
    text = lines_of([sound()[_ONE]]).decode()
    _write(db, _ONE, text[: text.index(word(WORDS[0])) + len(word(WORDS[0]))])


def _write(db: sqlite3.Connection, seq: int, text: str) -> None:
    """Write a record again with other content. Raises LookupError where another one has its place."""
    there = db.execute("SELECT event_json FROM transcript_events WHERE session_id = ? AND seq = ?", (ID, seq))
    if sound()[seq]["id"] not in str(there.fetchone()):
        raise LookupError(seq)
    sql = "UPDATE transcript_events SET event_json = ?, event_utf8_bytes = ? WHERE session_id = ? AND seq = ?"
    db.execute(sql, (text, len(text.encode()), ID, seq))


def _row_deleted_and_link_mended(db: sqlite3.Connection) -> None:
    _unlinked(db)
    _row_deleted(db)


def _unlinked(db: sqlite3.Connection) -> None:
    records = sound()
    records[_MORE]["parentId"] = records[_ONE]["parentId"]
    _write(db, _MORE, lines_of([records[_MORE]]).decode().strip())


def _list_behind(db: sqlite3.Connection) -> None:
    for table, column in (("transcript_event_identities", "seq"), ("session_transcript_active_events", "event_seq")):
        db.execute(f"DELETE FROM {table} WHERE session_id = ? AND {column} >= ?", (ID, _THANKS))
    leaf = sound()[_THANKS - 1]["id"]
    counts = (
        "indexed_seq = ?, leaf_event_id = ?, active_event_count = ?, active_message_count = active_message_count - 2"
    )
    db.execute(
        f"UPDATE session_transcript_index_state SET {counts} WHERE session_id = ?", (_THANKS - 1, leaf, _THANKS - 1, ID)
    )


def _list_swapped(db: sqlite3.Connection) -> None:
    """A result stands in the list before its call."""
    table = "session_transcript_active_events"
    rows = db.execute(f"SELECT * FROM {table} WHERE session_id = ? AND event_seq IN (?, ?)", (ID, _ONE, _MORE - 2))
    first, second = rows.fetchall()
    db.execute(f"DELETE FROM {table} WHERE session_id = ? AND event_seq IN (?, ?)", (ID, _ONE, _MORE - 2))
    for row, other in ((first, second), (second, first)):
        db.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)", (*row[:2], other[2], *row[3:]))


def _leaf_before_the_end(db: sqlite3.Connection) -> None:
    leaf = sound()[_THANKS - 1]["id"]
    db.execute("UPDATE session_transcript_index_state SET leaf_event_id = ? WHERE session_id = ?", (leaf, ID))
