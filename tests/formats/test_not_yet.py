"""Files of agents that are known but not understood: named in the refusal, by their content alone."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests import cline_sessions, docker_agent_databases, goose_sessions, hermes_sessions
from toolpair.session.session import SessionError, open_session

DATABASES = {
    "Kilo's database": ("session(id)", "message(id)", "part(id)", "kilo_board_message(id)"),
    "opencode's database": ("session(id)", "message(id)", "part(id)"),
    "Crush, or of the older opencode": ("goose_db_version(id)", "sessions(id)", "messages(parts)"),
    "docker-agent's database": ("sessions(id)", "session_items(id)", "migrations(id)"),
    "the OpenAI Agents SDK": ("agent_sessions(id)", "agent_messages(id)"),
    "Cursor's database": ("ItemTable(id)", "cursorDiskKV(key, value)"),
    "a session of Cursor's command line": ("blobs(id, data)", "meta(key, value)"),
    "Zed's database of threads": ("threads(id, summary, updated_at, data_type, data)",),
}
ID = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
TEXT = [{"type": "text", "text": "Hello."}]
CALL = [{"type": "tool_use", "id": "call_1", "name": "read_file", "input": {"path": "a"}}]
LINE = {"parentUuid": None, "sessionId": f"session-{ID}", "timestamp": "2026-01-21T05:56:34.812Z", "isSidechain": False}
RECORDS: dict[str, list[Any]] = {
    "what Kimi CLI showed of a session": [
        [
            {"type": "metadata", "protocol_version": "1.3"},
            {"timestamp": 1.5, "message": {"type": "TurnBegin", "payload": {"user_input": "Hello."}}},
        ],
    ],
    "a session of Factory's Droid": [
        [
            {"type": "session_start", "id": "x", "title": "A session", "owner": "dev", "cwd": "/"},
            {"type": "message", "id": "y", "message": {"role": "user", "content": TEXT}},
        ],
        [
            {"type": "session_start", "id": "x", "title": "A session", "cwd": "/"},
            {"type": "message", "id": "y", "message": {"role": "user", "content": "Hello."}},
        ],
    ],
    "an Amp thread": [
        {"v": 3, "id": f"T-{ID}", "messages": [{"role": "user", "content": TEXT, "messageId": 0}]},
    ],
    "a transcript of Cursor's agent": [
        [
            {"role": "user", "message": {"content": TEXT}},
            {"role": "assistant", "message": {"content": CALL}},
        ],
        [{"role": "user", "message": {"content": "Hello."}}],
    ],
    "a transcript of Copilot in VS Code": [
        [
            {
                "type": "session.start",
                "data": {"sessionId": ID, "version": 1, "producer": "copilot-agent", "vscodeVersion": "1.109.3"},
                "id": ID,
                "timestamp": "2026-02-14T03:02:25.825Z",
                "parentId": None,
            },
            {"type": "user.message", "data": {"content": "Hello."}, "id": "evt-2", "parentId": ID},
        ],
    ],
    "a list of the AI SDK's UI messages": [
        {
            "id": "c",
            "messages": [{"id": "m1", "role": "user", "parts": TEXT}, {"id": "m2", "role": "user", "parts": TEXT}],
        },
    ],
    "a session of DeepSeek's agent": [
        [
            {"type": "session", "version": 0, "id": "main", "createdAt": 1784606400000, "cwd": "/work"},
            {"type": "turn/start", "seq": 0, "time": 1784606400000, "data": {"turn": 1}},
            {"type": "user/message", "seq": 1, "time": 1784606400001, "data": {"role": "user", "content": []}},
        ],
    ],
    "a transcript of AgentV": [
        [{"schema_version": "agentv.transcript.v1", "message_index": 0, "role": "user", "content": "Hello."}],
    ],
    "a session of iFlow's command line": [
        [
            {**LINE, "uuid": "u1", "type": "user", "message": {"role": "user", "content": "Hello."}},
            {**LINE, "uuid": "u2", "type": "assistant", "message": {"role": "assistant", "content": CALL}},
        ],
    ],
}
CASES = [(name, value) for name, values in RECORDS.items() for value in values]


@pytest.mark.parametrize("name", sorted(DATABASES))
def test_a_database_of_sessions_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as database:
        for table in DATABASES[name]:
            database.execute(f"CREATE TABLE {table}")
    with pytest.raises(SessionError, match=name):
        open_session(path)


def test_another_database_is_refused_as_one(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE threads(id, title)")
    with pytest.raises(SessionError, match="is an SQLite database, but no"):
        open_session(path)


@pytest.mark.parametrize(("name", "value"), CASES)
def test_records_of_an_agent_that_is_not_understood_are_named(name: str, value: Any, tmp_path: Path) -> None:
    lines = [json.dumps(record) for record in value] if isinstance(value, list) else [json.dumps(value)]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SessionError, match=f"is {name}, which toolpair does not understand ") as refused:
        open_session(path)
    for id_ in re.findall(r"--format (\S+)", str(refused.value)):
        assert open_session(path, format=id_).conversation.transcript.messages, id_


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a transcript of Copilot in VS Code", "copilot-cli"),
        ("a session of iFlow's command line", "claude-code"),
        ("an Amp thread", "roo-code"),
    ],
)
def test_it_is_no_session_of_another_agent_whatever_is_said(name: str, format: str, tmp_path: Path) -> None:
    value = RECORDS[name][0]
    path = tmp_path / "transcript.jsonl"
    path.write_text("\n".join(map(json.dumps, value if isinstance(value, list) else [value])) + "\n")
    with pytest.raises(SessionError, match=f"is {name}, which toolpair does not understand "):
        open_session(path, format=format)


def test_rows_are_no_session_of_an_agent_whose_tables_are_called_so(tmp_path: Path) -> None:
    """Nor is a document with what another agent writes around its messages."""
    made = {
        "goose": Path(f"{goose_sessions.database(tmp_path / 'goose.db', goose_sessions.sound())}::20261121_1"),
        "hermes": hermes_sessions.database(
            tmp_path / "state.db", hermes_sessions.lines(hermes_sessions.sound().records)
        ),
        "docker-agent": docker_agent_databases.database(tmp_path / "session.db", docker_agent_databases.sound()),
        "cline-cli": tmp_path / "cline.json",
    }
    made["cline-cli"].write_bytes(cline_sessions.written(cline_sessions.sound().records))
    others = ("goose", "hermes", "crush", "docker-agent", "roo-code")
    for format, path in made.items():
        lines = tmp_path / f"{format}.jsonl"
        session = open_session(path)
        assert session.format.id == format
        lines.write_bytes(session.to_bytes())
        for place in (path, lines):
            assert open_session(place, format=format).format.id == format
            for other in others:
                if other != format:
                    with pytest.raises(SessionError):
                        open_session(place, format=other)


def test_it_can_be_read_as_a_list_nevertheless(tmp_path: Path) -> None:
    path = tmp_path / "thread.json"
    path.write_text(json.dumps(RECORDS["an Amp thread"][0]))
    assert open_session(path, format="anthropic").format.id == "anthropic"
