"""Makes a database of docker-agent with many sessions, and prints how long it takes to list them and to open one.

Run by `databases` in a process of its own, with how many sessions to make and how often to measure.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import toolpair
from toolpair.formats.engine.agents.databases import sessions_in

_ROWS: Final = 20
_TEXT: Final = "An ordinary line of output.\n" * 180
_TABLES: Final = """
CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TEXT, tools_approved BOOLEAN DEFAULT 0, title TEXT,
  working_dir TEXT, parent_id TEXT);
CREATE TABLE session_items (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT NULL,
  item_type TEXT NOT NULL, agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id TEXT,
  summary_text TEXT);
CREATE INDEX of_session ON session_items (session_id, position);
"""
_EACH: Final = (
    "SELECT id, title, (SELECT message_json FROM session_items WHERE session_id = s.id ORDER BY position DESC LIMIT 1) "
    "FROM sessions s"
)
_ONE: Final = "SELECT * FROM session_items WHERE session_id = ? ORDER BY position"


def make(path: Path, sessions: int) -> None:
    """A database with so many sessions of one call after another."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript(_TABLES)
        for number in range(sessions):
            made.execute("INSERT INTO sessions (id, created_at) VALUES (?, '2026-09-01T10:00:00Z')", (f"s{number}",))
            for place in range(_ROWS):
                call = {
                    "id": f"call_{place // 2}",
                    "type": "function",
                    "function": {"name": "shell", "arguments": "{}"},
                }
                message: dict[str, Any] = (
                    {"role": "tool", "content": _TEXT, "tool_call_id": f"call_{place // 2}"}
                    if place % 2
                    else {"role": "assistant", "content": "", "tool_calls": [call]}
                )
                made.execute(
                    "INSERT INTO session_items (session_id, position, item_type, message_json) VALUES (?, ?, ?, ?)",
                    (f"s{number}", place, "message", json.dumps(message)),
                )
        made.commit()


def _seconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def main() -> None:
    sessions, times = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.db"
        make(path, sessions)
        found: dict[str, list[float]] = {"list": [], "list, bare": [], "open": [], "open, bare": []}
        with closing(sqlite3.connect(path)) as bare:
            for number in range(times):
                name = f"s{(number * 7) % sessions}"
                found["list, bare"].append(_seconds(lambda: bare.execute(_EACH).fetchall()))
                found["list"].append(_seconds(lambda: sessions_in(str(path), str(path))))
                found["open, bare"].append(_seconds(lambda name=name: bare.execute(_ONE, (name,)).fetchall()))  # type: ignore[misc]
                found["open"].append(_seconds(lambda name=name: toolpair.open(f"{path}::{name}")))  # type: ignore[misc]
        print(json.dumps(found))


if __name__ == "__main__":
    main()
