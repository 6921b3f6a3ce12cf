"""OpenClaw's database: a row for each record, and rows for its id and its place in the history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from benchmarks.sessions.rows import START_MS, RowWriter
from benchmarks.sessions.story import Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, line, plain_content

_ID = "00000000-0000-4000-8000-000000000000"
_KEY = f"agent:main:explicit:{_ID}"
_USAGE = {"input": 1000, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 1005}
_OTHER = "printf('00000000-0000-4000-8000-%012d', :n)"


class OpenClaw(RowWriter):
    OVERHEAD: ClassVar[int] = 1400
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE schema_meta (meta_key TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, schema_version INTEGER NOT NULL,
  agent_id TEXT, app_version TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
  entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL, parent_session_key TEXT, label TEXT, display_name TEXT) STRICT;
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, transcript_updated_at INTEGER DEFAULT NULL,
  parent_session_key TEXT, FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT,
  created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT,
  PRIMARY KEY (session_id, seq), FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE
  ) STRICT;
CREATE TABLE transcript_event_identities (session_id TEXT NOT NULL, event_id TEXT NOT NULL, seq INTEGER NOT NULL,
  event_type TEXT, parent_id TEXT, message_idempotency_key TEXT, created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, event_id),
  FOREIGN KEY (session_id, seq) REFERENCES transcript_events(session_id, seq) ON DELETE CASCADE) STRICT;
CREATE INDEX identity_sequence ON transcript_event_identities(session_id, seq);
CREATE TABLE session_transcript_index_state (session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT NULL,
  leaf_event_id TEXT, needs_rebuild INTEGER NOT NULL DEFAULT 0, active_event_count INTEGER NOT NULL DEFAULT 0,
  active_message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL,
  FOREIGN KEY (session_id) REFERENCES session_windows(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE session_transcript_active_events (session_id TEXT NOT NULL, active_position INTEGER NOT NULL,
  event_seq INTEGER NOT NULL, message_position INTEGER, context_eligible INTEGER,
  PRIMARY KEY (session_id, active_position),
  FOREIGN KEY (session_id, event_seq) REFERENCES transcript_events(session_id, seq) ON DELETE CASCADE) STRICT;
CREATE UNIQUE INDEX active_seq ON session_transcript_active_events(session_id, event_seq);
CREATE UNIQUE INDEX active_messages ON session_transcript_active_events(session_id, message_position)
  WHERE message_position IS NOT NULL;
INSERT INTO schema_meta VALUES ('primary', 'agent', 23, 'main', '2026.9.6', 0, 0);
"""
    MESSAGE = ("transcript_events", "event_json")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "session_nodes": {"session_key": f"'agent:main:explicit:' || {_OTHER}", "current_session_id": _OTHER},
        "session_windows": {"session_id": _OTHER, "session_key": f"'agent:main:explicit:' || {_OTHER}"},
        "transcript_events": {"session_id": _OTHER},
        "transcript_event_identities": {"session_id": _OTHER},
        "session_transcript_active_events": {"session_id": _OTHER},
        "session_transcript_index_state": {"session_id": _OTHER},
    }
    AFTER = """
INSERT INTO session_transcript_index_state
  SELECT session_id, max(seq), (SELECT event_id FROM transcript_event_identities i WHERE i.session_id = e.session_id
    ORDER BY seq DESC LIMIT 1), 0, count(*) - 1, (SELECT count(message_position)
    FROM session_transcript_active_events a WHERE a.session_id = e.session_id), max(created_at)
  FROM transcript_events e GROUP BY session_id;
"""
    LOOP = f"SELECT event_json FROM transcript_events WHERE session_id = '{_ID}' ORDER BY seq"

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._seq = self._messages = 0
        self._last: str | None = None

    def begin(self) -> Iterator[Json]:
        times = {"created_at": START_MS, "updated_at": START_MS}
        node = {"session_key": _KEY, "current_session_id": _ID, "entry_json": {}, "updated_at": START_MS}
        yield {"session_nodes": {**node, "label": "About shops"}}
        yield {"session_windows": {"session_id": _ID, "session_key": _KEY, **times, "transcript_updated_at": START_MS}}
        told = {"type": "session", "version": 4, "id": _ID, "timestamp": self.time(), "cwd": "/home/dev/shop"}
        yield self._event(told, _ID, listed=False)
        model = {"type": "model_change", "provider": "anthropic", "modelId": "claude-sonnet-5"}
        yield self._linked(model)

    def _linked(self, fields: Json) -> Json:
        id_ = self.uuid()
        record = {**fields, "id": id_, "parentId": self._last, "timestamp": self.time()}
        made = self._event(record, id_)
        self._last = id_
        return made

    def _event(self, record: Json, id_: str, listed: bool = True) -> Json:
        text = line(record)
        of = {"session_id": _ID}
        event = {**of, "seq": self._seq, "event_json": text.decode(), "created_at": self.epoch}
        named = {**of, "event_id": id_, "seq": self._seq, "event_type": record["type"], "created_at": self.epoch}
        made = {
            "transcript_events": {**event, "event_utf8_bytes": len(text)},
            "transcript_event_identities": {**named, "parent_id": record.get("parentId")},
        }
        if listed:
            is_message = "message" in record
            place = {**of, "active_position": self._seq - 1, "event_seq": self._seq, "context_eligible": 1}
            made["session_transcript_active_events"] = {
                **place,
                "message_position": self._messages if is_message else None,
            }
            self._messages += is_message
        self._seq += 1
        return made

    def _message(self, message: Json) -> Json:
        return self._linked({"type": "message", "message": {**message, "timestamp": self.epoch}})

    def _response(self, content: list[Any], reason: str) -> Json:
        told = {"api": "anthropic-messages", "provider": "anthropic", "model": "claude-sonnet-5", "usage": _USAGE}
        return self._message({"role": "assistant", "content": content, **told, "stopReason": reason})

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            yield self._message({"role": "user", "content": [{"type": "text", "text": step.text}]})
            return
        if not isinstance(step, Exchange):
            yield self._response([{"type": "text", "text": step.text}], "stop")
            return
        said = [{"type": "text", "text": step.said}] if step.said is not None else []
        calls = [{"type": "toolCall", "id": one.id, "name": one.name, "arguments": one.arguments} for one in step.calls]
        yield self._response([*said, *calls], "toolUse")
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._message({"role": "user", "content": [{"type": "text", "text": answer.text}]})
            else:
                yield self._result(answer)

    def _result(self, result: Result) -> Json:
        named = {"role": "toolResult", "toolCallId": result.id, "toolName": result.call.name if result.call else "Read"}
        content = [{"type": "text", "text": plain_content(result)}]
        return self._message({**named, "content": content, "details": {}, "isError": result.error})
