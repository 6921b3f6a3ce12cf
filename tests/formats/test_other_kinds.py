"""JSON that is no session, and that a format might take for one: what each mistake looked like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolpair.session.session import SessionError, open_session

TEXT = [{"type": "text", "text": "Hello."}]
LINES: dict[str, list[Any]] = {
    "a log of clicks in web sessions": [
        {"type": "session", "id": "a1", "version": "1.2", "start": "2026-01-01"},
        {"type": "page", "id": "p1", "url": "/"},
    ],
    "a log of links between clicks": [
        {"type": "session", "id": "a1", "version": 2},
        {"type": "click", "id": "c1", "parentId": "a1"},
    ],
    "records of somebody's own types": [
        {"type": "session", "id": "a1", "version": 1},
        {"customType": "model-snapshot", "value": 1},
    ],
    "messages in envelopes that are not pi's": [
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "user", "content": TEXT}},
        {
            "type": "message",
            "id": "2",
            "parentId": "1",
            "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {}}]},
        },
    ],
    "analytics": [
        {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-01-01", "properties": {}},
        {"type": "system", "uuid": "u2", "sessionId": "s1", "timestamp": "2026-01-01"},
    ],
    "commits": [
        {"uuid": "a", "parentUuid": None, "type": "commit", "message": "A fix."},
        {"uuid": "b", "parentUuid": "a", "type": "commit", "message": "Another."},
    ],
    "a stream of Anthropic's events": [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "n"}},
        {"type": "message_stop"},
    ],
    "a stream of chunks": [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]},
    ],
    "application events": [
        {"timestamp": "2026-01-01", "type": "http", "payload": {"type": "get", "status": 200}},
        {"timestamp": "2026-01-01", "type": "http", "payload": {"type": "put", "status": 201}},
    ],
    "instructions": [{"instruction": "Add.", "input": "1 1", "output": "2"}],
}
DOCUMENTS: dict[str, Any] = {
    "an outline of a page": [{"role": "button", "content": "OK"}, {"role": "dialog", "content": "Really?"}],
    "sections of a site": [{"role": "hero", "content": "Welcome"}, {"role": "footer", "content": "(c)"}],
    "people": [{"name": "Ada", "role": "admin"}, {"name": "Ben", "role": "user"}],
    "members": {"members": [{"id": 1, "role": "owner", "content": None}, {"id": 2, "role": "guest", "content": None}]},
    "a role without a name": {"messages": [{"role": "", "content": "x"}]},
    "Slack's export": [{"type": "message", "user": "U1", "text": "Hello.", "ts": "1700000000.0001"}],
    "Telegram's export": {"messages": [{"id": 1, "type": "message", "from": "Ada", "text": "Hello."}]},
    "Discord's export": {"messages": [{"id": "3", "type": "Default", "content": "Hello.", "author": {"id": "4"}}]},
    "ChatGPT's export": [
        {"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": ["Hello."]}}, "parent": None}}}
    ],
    "claude.ai's export": [{"chat_messages": [{"uuid": "2", "sender": "human", "content": TEXT}]}],
    "turns of a data set": [{"conversations": [{"from": "human", "value": "Hi."}, {"from": "gpt", "value": "Yes?"}]}],
    "a map": {"type": "FeatureCollection", "features": [{"type": "Feature", "id": "1", "properties": {}}]},
    "a notebook": {"cells": [{"cell_type": "code", "source": ["1"], "outputs": []}], "nbformat": 4},
    "tools": [{"type": "function", "function": {"name": "run", "parameters": {}}}],
    "a browser's history": {"history": [{"url": "https://example.org", "title": "Example"}]},
    "actions": [{"type": "user/login", "payload": {"id": 1}}, {"type": "user/logout", "payload": {}}],
}


@pytest.mark.parametrize("name", sorted(LINES))
def test_lines_of_other_kinds_are_no_session(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in LINES[name]))
    with pytest.raises(SessionError):
        open_session(path)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_documents_of_other_kinds_are_no_session(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps(DOCUMENTS[name], indent=1))
    with pytest.raises(SessionError):
        open_session(path)


@pytest.mark.parametrize("role", ["user", "ASSISTANT", "system", "developer", "tool"])
def test_one_message_of_a_known_role_is_enough(role: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps([{"role": "critic", "content": "No."}, {"role": role, "content": "Yes."}]))
    assert open_session(path).format.id == "openai-chat"


def test_a_first_line_alone_is_pis(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(json.dumps({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01"}) + "\n")
    assert open_session(path).format.id == "pi"
