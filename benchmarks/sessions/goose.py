"""goose's database: a row for each message, of parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from benchmarks.sessions.rows import RowWriter
from benchmarks.sessions.story import Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, plain_content

_ID = "20260302_1"
_SHOWN = {"userVisible": True, "agentVisible": True}


class Goose(RowWriter):
    OVERHEAD: ClassVar[int] = 900
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
  created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  extension_data TEXT DEFAULT '{}', total_tokens INTEGER, provider_name TEXT, model_config_json TEXT,
  goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP, project_id TEXT, parent_session_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content_json TEXT NOT NULL,
  created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER,
  metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE INDEX idx_messages_timestamp ON messages(timestamp);
CREATE INDEX idx_messages_message_id ON messages(message_id);
CREATE INDEX idx_messages_session_created ON messages(session_id, created_timestamp, id);
CREATE INDEX idx_sessions_updated ON sessions(updated_at DESC);
CREATE INDEX idx_sessions_type ON sessions(session_type);
CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
INSERT INTO schema_version (version) VALUES (16);
"""
    MESSAGE = ("messages", "content_json")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "sessions": {"id": "'20260302_' || (:n + 1)", "description": "'About ' || :n"},
        "messages": {"session_id": "'20260302_' || (:n + 1)", "id": "NULL", "message_id": "message_id || :n"},
    }
    LOOP = "SELECT content_json FROM messages WHERE session_id = '20260302_1' ORDER BY created_timestamp, id"

    def begin(self) -> Iterator[Json]:
        config = {"model_name": "gpt-5", "temperature": None, "max_tokens": 16384, "toolshim": False}
        named = {"id": _ID, "description": "About shops", "working_dir": "/home/dev/shop"}
        yield {"sessions": {**named, "provider_name": "openai", "model_config_json": config}}

    def _row(self, role: str, parts: list[Any]) -> Json:
        self.time()
        row = {"message_id": f"msg_{self.uuid()}", "session_id": _ID, "role": role, "content_json": parts}
        return {"messages": {**row, "created_timestamp": self.epoch // 1000, "metadata_json": _SHOWN}}

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield self._row("user" if isinstance(step, Prompt) else "assistant", [_text(step.text)])
            return
        said = [_text(step.said)] if step.said is not None else []
        yield self._row("assistant", [*said, *(_call(call.id, call.name, call.arguments) for call in step.calls)])
        answers = [_text(answer.text) if isinstance(answer, Words) else _result(answer) for answer in step.answers]
        if answers:
            yield self._row("user", answers)


def _text(said: str) -> Json:
    return {"type": "text", "text": said}


def _call(id_: str, name: str, arguments: dict[str, str]) -> Json:
    value = {"status": "success", "value": {"name": name, "arguments": arguments}}
    return {"type": "toolRequest", "id": id_, "toolCall": value, "_meta": {"goose_extension": "developer"}}


def _result(result: Result) -> Json:
    content = [{"type": "text", "text": plain_content(result), "annotations": {"priority": 0.0}}]
    value = {"content": content, "structuredContent": {"exit_code": int(result.error)}, "isError": result.error}
    return {"type": "toolResponse", "id": result.id, "toolResult": {"status": "success", "value": value}}
