"""Databases of which each row is a message, an item or an event: Hermes Agent's, the Agents SDK's, ADK's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import orjson

from benchmarks.sessions.rows import RowWriter
from benchmarks.sessions.story import Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, chat_calls, plain_content

_ID = "session-0"
_SECONDS = 1_772_438_400


class Hermes(RowWriter):
    OVERHEAD: ClassVar[int] = 620
    COPIES: ClassVar[float] = 1.0
    TABLES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, message_count INTEGER DEFAULT 0, cwd TEXT,
  title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
  role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL,
  token_count INTEGER, finish_reason TEXT, reasoning TEXT, observed INTEGER DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0, api_content TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
"""
    MESSAGE = ("messages", "tool_calls")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "sessions": {"id": "'session-' || :n", "title": "'About ' || :n"},
        "messages": {"session_id": "'session-' || :n", "id": "NULL"},
    }
    LOOP = "SELECT coalesce(tool_calls, 'null'), NULL, content FROM messages WHERE session_id = 'session-0' ORDER BY id"

    def begin(self) -> Iterator[Json]:
        about = {"title": "About shops", "cwd": "/home/dev/shop", "model": "gpt-5", "started_at": _SECONDS + 0.5}
        yield {"sessions": {"id": _ID, "source": "cli", **about}}

    def _row(self, role: str, content: str, **columns: Any) -> Json:
        self.time()
        return {
            "messages": {
                "session_id": _ID,
                "role": role,
                "content": content,
                "timestamp": self.epoch / 1000 + 0.0001,
                **columns,
            }
        }

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield self._row("user" if isinstance(step, Prompt) else "assistant", step.text)
            return
        own = [{**call, "call_id": call["id"], "response_item_id": f"fc_{call['id']}"} for call in chat_calls(step)]
        yield self._row("assistant", step.said or "", tool_calls=own, finish_reason="tool_calls")
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._row("user", answer.text)
            else:
                name = answer.call.name if answer.call else "terminal"
                yield self._row("tool", plain_content(answer), tool_call_id=answer.id, tool_name=name)


class AgentsSdk(RowWriter):
    OVERHEAD: ClassVar[int] = 480
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
  message_data TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id) ON DELETE CASCADE);
CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);
"""
    MESSAGE = ("agent_messages", "message_data")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "agent_sessions": {"session_id": "'session-' || :n"},
        "agent_messages": {"session_id": "'session-' || :n", "id": "NULL"},
    }
    LOOP = "SELECT message_data FROM agent_messages WHERE session_id = 'session-0' ORDER BY id"

    def begin(self) -> Iterator[Json]:
        yield {"agent_sessions": {"session_id": _ID}}

    def _item(self, **item: Any) -> Json:
        return {"agent_messages": {"session_id": _ID, "message_data": item}}

    def _said(self, text: str) -> Json:
        part = {"type": "output_text", "text": text, "annotations": []}
        of = {"type": "message", "role": "assistant", "status": "completed"}
        return self._item(id=f"msg_{self.hex(24)}", content=[part], **of)

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            yield self._item(role="user", content=step.text) if isinstance(step, Prompt) else self._said(step.text)
            return
        if step.said:
            yield self._said(step.said)
        for call in step.calls:
            given = orjson.dumps(call.arguments).decode()
            of = {"id": f"fc_{self.hex(24)}", "type": "function_call", "status": "completed"}
            yield self._item(arguments=given, call_id=call.id, name=call.name, **of)
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._item(role="user", content=answer.text)
            else:
                yield self._item(call_id=answer.id, output=plain_content(answer), type="function_call_output")


class Adk(RowWriter):
    OVERHEAD: ClassVar[int] = 760
    COPIES: ClassVar[float] = 1.06
    TABLES = """
CREATE TABLE sessions (app_name TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL,
  create_time REAL NOT NULL, update_time REAL NOT NULL, PRIMARY KEY (app_name, user_id, id));
CREATE TABLE events (id TEXT NOT NULL, app_name TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
  invocation_id TEXT, timestamp REAL, event_data TEXT, PRIMARY KEY (app_name, user_id, session_id, id));
"""
    MESSAGE = ("events", "event_data")
    SESSIONS: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "sessions": {"id": "'session-' || :n"},
        "events": {"session_id": "'session-' || :n"},
    }
    LOOP = "SELECT event_data FROM events WHERE session_id = 'session-0' ORDER BY timestamp, rowid"

    def begin(self) -> Iterator[Json]:
        of = {"app_name": "app", "user_id": "u"}
        yield {"sessions": {**of, "id": _ID, "state": "{}", "create_time": _SECONDS, "update_time": _SECONDS}}

    def _event(self, role: str, author: str, *parts: Json) -> Json:
        self.time()
        own = {"id": self.uuid(), "invocation_id": "e-1", "timestamp": self.epoch / 1000 + 0.0001}
        data = {"content": {"parts": list(parts), "role": role}, "author": author, "actions": {"state_delta": {}}}
        row = {"app_name": "app", "user_id": "u", "session_id": _ID}
        return {"events": {**own, **row, "event_data": {**data, **own}}}

    def records(self, step: Step) -> Iterator[Json]:
        if not isinstance(step, Exchange):
            is_asked = isinstance(step, Prompt)
            role, author = ("user", "user") if is_asked else ("model", "helper")
            yield self._event(role, author, {"text": step.text})
            return
        calls = [{"function_call": {"id": one.id, "args": one.arguments, "name": one.name}} for one in step.calls]
        yield self._event("model", "helper", *([{"text": step.said}] if step.said else []), *calls)
        results = [answer for answer in step.answers if isinstance(answer, Result)]
        if results:
            yield self._event("user", "helper", *map(_response, results))
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._event("user", "user", {"text": answer.text})


def _response(result: Result) -> Json:
    name = result.call.name if result.call else "look"
    return {"function_response": {"id": result.id, "name": name, "response": {"result": plain_content(result)}}}
