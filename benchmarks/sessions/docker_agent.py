"""docker-agent's database: a row for each chat message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from benchmarks.sessions.rows import RowWriter
from benchmarks.sessions.story import Exchange, Prompt, Step, Words
from benchmarks.sessions.writer import Json, chat_calls, plain_content

_ID = "session-0"


class DockerAgent(RowWriter):
    OVERHEAD: ClassVar[int] = 560
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, description TEXT, applied_at TEXT NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at TEXT, tools_approved BOOLEAN DEFAULT 0, title TEXT DEFAULT '',
  working_dir TEXT DEFAULT '', parent_id TEXT REFERENCES sessions(id) ON DELETE CASCADE);
CREATE TABLE session_items (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, position INTEGER NOT NULL,
  item_type TEXT NOT NULL, agent_name TEXT, message_json TEXT, implicit BOOLEAN DEFAULT 0, subsession_id TEXT,
  summary_text TEXT, FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE);
CREATE INDEX idx_sessions_parent_id ON sessions(parent_id);
CREATE INDEX idx_session_items_session ON session_items(session_id, position);
CREATE INDEX idx_session_items_session_type ON session_items(session_id, item_type);
"""
    MESSAGE = ("session_items", "message_json")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "sessions": {"id": "'session-' || :n", "title": "'About ' || :n"},
        "session_items": {"session_id": "'session-' || :n", "id": "NULL"},
    }
    LOOP = "SELECT message_json FROM session_items WHERE session_id = 'session-0' ORDER BY position, id"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._position = 0

    def begin(self) -> Iterator[Json]:
        columns = {"id": _ID, "created_at": self.time(), "title": "About shops", "working_dir": "/home/dev/shop"}
        yield {"sessions": columns}

    def _row(self, role: str, content: Any, **fields: Any) -> Json:
        message = {"role": role, "content": content, **fields, "created_at": self.time()}
        row = {"session_id": _ID, "position": self._position, "item_type": "message"}
        self._position += 1
        return {"session_items": {**row, "agent_name": "root" if role != "user" else "", "message_json": message}}

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield self._row("user" if isinstance(step, Prompt) else "assistant", step.text)
            return
        yield self._row("assistant", step.said or "", tool_calls=chat_calls(step), model="anthropic/claude-sonnet-5")
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._row("user", answer.text)
            else:
                yield self._row("tool", plain_content(answer), tool_call_id=answer.id)
