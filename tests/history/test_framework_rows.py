"""Rows and files of frameworks, read window by window for a report: it tells what the whole does, whatever is in them."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from tests.history.mutated import mutated_values
from tests.history.opening import SIZES, judged_by
from tests.history.reports import sent
from tests.rounds import tries
from toolpair.cli.file_report import describe
from toolpair.session.session import open_session

EXCHANGES: Final = 30
_ODD: Final[tuple[Any, ...]] = (None, "", " ", 5, True, [], {}, "<odd>", [None], {"x": [[]]}, "call_x", "user", "model")


def _items(number: int) -> Iterator[dict[str, Any]]:
    id_ = f"call_{number:08x}aB"
    yield {"role": "user", "content": f"look at {number}"}
    if number % 3 == 0:
        yield {"id": f"rs_{number:x}", "type": "reasoning", "summary": [{"type": "summary_text", "text": "I think"}]}
    yield {"id": f"fc_{number:x}", "type": "function_call", "status": "completed", "call_id": id_, "name": "look",
           "arguments": json.dumps({"at": number})}  # fmt: skip
    yield {"type": "function_call_output", "call_id": id_, "output": f"it is {number}"}
    said = {"type": "output_text", "text": f"done {number}", "annotations": []}
    yield {"id": f"msg_{number:x}", "type": "message", "status": "completed", "role": "assistant", "content": [said]}


def _agents_sdk(folder: Path, values: list[Any]) -> Path:
    path = folder / "some.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,"
            " updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data"
            " TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);"
            "INSERT INTO agent_sessions (session_id) VALUES ('s1')"
        )
        rows = [(json.dumps(value),) for value in values]
        db.executemany("INSERT INTO agent_messages (session_id, message_data) VALUES ('s1', ?)", rows)
    return path


def _events(number: int) -> Iterator[dict[str, Any]]:
    id_ = f"adk-{number:08x}"
    parts = (
        ("user", "user", {"text": f"look at {number}"}),
        ("helper", "model", {"function_call": {"id": id_, "args": {"at": number}, "name": "look"}}),
        ("helper", "user", {"function_response": {"id": id_, "name": "look", "response": {"result": f"it {number}"}}}),
        ("helper", "model", {"text": f"done {number}"}),
    )
    for place, (author, role, part) in enumerate(parts):
        yield {"content": {"parts": [part], "role": role}, "author": author, "invocation_id": f"e-{number}",
               "actions": {"state_delta": {}}, "id": f"ev{number}{place}", "timestamp": float(number * 4 + place)}  # fmt: skip


def _adk(folder: Path, values: list[Any]) -> Path:
    path = folder / "some.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(
            "CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time REAL, update_time"
            " REAL, PRIMARY KEY (app_name, user_id, id));"
            "CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT, timestamp"
            " REAL, event_data TEXT, PRIMARY KEY (app_name, user_id, session_id, id));"
            "INSERT INTO sessions VALUES ('app', 'u', 's1', '{}', 1.0, 2.0)"
        )
        rows = [(f"ev{n}", float(n), json.dumps(value)) for n, value in enumerate(values)]
        db.executemany("INSERT INTO events VALUES (?, 'app', 'u', 's1', 'e', ?, ?)", rows)
    return path


def _messages(number: int) -> Iterator[dict[str, Any]]:
    id_ = f"tooluse_{number:08x}"
    result = {"toolUseId": id_, "status": "success", "content": [{"text": f"it is {number}"}]}
    said = (
        ("user", {"text": f"look at {number}"}),
        ("assistant", {"toolUse": {"toolUseId": id_, "name": "look", "input": {"at": number}}}),
        ("user", {"toolResult": result}),
        ("assistant", {"text": f"done {number}"}),
    )
    for role, block in said:
        message = {"role": role, "content": [block]}
        yield {"message": message, "message_id": 0, "redact_message": None, "created_at": "2026-01-01T00:00:00+00:00"}


def _strands(folder: Path, values: list[Any]) -> Path:
    place = folder / "session_s1" / "agents" / "agent_a" / "messages"
    place.mkdir(parents=True)
    (folder / "session_s1" / "session.json").write_text('{"session_id": "s1"}')
    (place.parent / "agent.json").write_text('{"agent_id": "a", "state": {}, "conversation_manager_state": {}}')
    for number, value in enumerate(values):
        value = {**value, "message_id": number} if isinstance(value, dict) else value
        (place / f"message_{number}.json").write_text(json.dumps(value))
    return folder / "session_s1"


STORES: dict[str, tuple[Callable[[int], Iterator[dict[str, Any]]], Callable[[Path, list[Any]], Path]]] = {
    "agents-sdk": (_items, _agents_sdk),
    "google-adk-database": (_events, _adk),
    "strands-folder": (_messages, _strands),
}


_KEYS: Final = ("more", "id", "text", "role", "branch", "status")


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("seed", range(tries(150, 8)))
def test_windows_together_tell_what_the_whole_does(seed: int, store: str, tmp_path: Path) -> None:
    make, write = STORES[store]
    values = [value for number in range(EXCHANGES) for value in make(number)]
    if seed:
        values = mutated_values(json.loads(json.dumps(values)), random.Random(seed), odd=_ODD, keys=_KEYS)
    path = write(tmp_path, values)
    with judged_by(None):
        session = open_session(path)
        whole = describe(session, "x")
    assert session.format.id == store
    with judged_by((1, *SIZES)[seed % 4]):
        found = open_session(path, reporting=True)
        parted = describe(found, "x")
        assert sent(open_session(path).conversation) == sent(session.conversation)
    assert seed or len(found.conversation.windows) > 1
    assert parted.entry == whole.entry
    assert parted.verdict == whole.verdict


@pytest.mark.parametrize("place", [2, 50, 4 * EXCHANGES - 2])
def test_a_result_without_its_tools_name_is_told_where_others_have_it(place: int, tmp_path: Path) -> None:
    values = [value for number in range(EXCHANGES) for value in _events(number)]
    del values[place]["content"]["parts"][0]["function_response"]["name"]
    with judged_by(1):
        session = open_session(_adk(tmp_path, values), reporting=True)
        assert [problem.rule for problem in session.problems if problem.severity == "error"] == ["result.name"]


def test_what_is_left_to_the_rules_may_be_another_agents(tmp_path: Path) -> None:
    values = [value for number in range(EXCHANGES) for value in _events(number)]
    path = _adk(tmp_path, values)
    other = json.dumps({**values[41], "author": "other"}).replace("{", '{"k": 1, "k": 2, ', 1)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE events SET event_data = ? WHERE id = 'ev41'", (other,))
    with judged_by(1):
        assert len(open_session(path, reporting=True).conversation.windows) == 1
