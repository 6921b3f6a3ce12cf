"""LangGraph's checkpoints: the newest of each thread is read as its list of messages, and the database never written."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.formats.fixing import errors
from toolpair.cli.main import main
from toolpair.session.session import SessionError, open_session
from toolpair.source.errors import Refused

Json = dict[str, Any]
TABLES = (
    "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT "
    "NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, "
    "checkpoint_ns, checkpoint_id)); CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT "
    "'', checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', idx INTEGER NOT NULL, "
    "channel TEXT NOT NULL, type TEXT, value BLOB, "
    "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
)
IDS = ("1f1ea54b-2f4e-6dbe-bfff-795fd9c034bc", "1f1ea54b-2f51-6e2a-8000-deda820c097b")


def message(type_: str, content: str, **fields: Any) -> Json:
    return {"content": content, "additional_kwargs": {}, "response_metadata": {}, "type": type_, "name": None, **fields}


ASK = message("human", "begin", id="h1")
CALLS = message(
    "ai",
    "look",
    id="a1",
    tool_calls=[{"name": "look", "args": {"of": "ä"}, "id": id_, "type": "tool_call"} for id_ in ("c1", "c2")],
    invalid_tool_calls=[],
)
GIVES = [message("tool", f"OUT-{id_}", tool_call_id=id_, id=f"t-{id_}", status="success") for id_ in ("c1", "c2")]
DONE = message("ai", "done", id="a2", tool_calls=[], invalid_tool_calls=[])


def packed(value: Any, code: int = 5) -> msgspec.msgpack.Ext:
    """An object as LangGraph writes it: module, class, fields."""
    inner = ["langchain_core.messages", "Message", value, "model_validate_json"]
    return msgspec.msgpack.Ext(code, msgspec.msgpack.encode(inner))


def state(*messages: Json, **channels: Any) -> bytes:
    values = {"messages": list(map(packed, messages)), "started": packed("2026-01-01", code=0), **channels}
    return msgspec.msgpack.encode({"v": 4, "channel_values": values, "channel_versions": {}})


def database(path: Path, *checkpoints: Any, writes: list[Json] | None = None, kind: str = "msgpack") -> Path:
    """Threads with these checkpoints, a triple of thread, number and content each, and writes to the newest of `it`."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript(TABLES)
        for thread, number, content in checkpoints:
            name, _, within = thread.partition("|")
            values = (name, within, IDS[number], None, kind, content, b"{}")
            made.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        for number, one in enumerate(writes or ()):
            value = msgspec.msgpack.encode([packed(one)])
            row = ("it", "", IDS[1], f"task{number}", "", 0, "messages", "msgpack", value)
            made.execute("INSERT INTO writes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        made.commit()
    return path


def test_the_newest_checkpoint_is_read_with_what_was_written_since(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task that ended before its turn was stopped has an output that stands in the writes alone."""
    path = database(
        tmp_path / "some.db",
        ("it", 0, state(ASK)),
        ("it", 1, state(ASK, CALLS)),
        ("other", 0, state(message("human", "other", id="h"), DONE)),
        ("it|part:1", 0, state(message("human", "inner", id="h"))),
        writes=[GIVES[0], {**ASK, "content": "begun"}],
    )
    before = path.read_bytes()
    session = open_session(f"{path}::it")
    assert session.format.id == "langchain-state" and errors(session) == ["result.missing"]
    assert [json.loads(line.rstrip(b",")) for line in session.to_bytes().splitlines()[1:-1]] == [
        {**ASK, "content": "begun"},
        CALLS,
        GIVES[0],
    ]
    session.stage_recommended()
    assert not errors(session)
    with pytest.raises(Refused, match="does not write LangGraph's checkpoints"):
        session.save()
    assert main(["fix", f"{path}::it", "-o", str(tmp_path / "out.json")]) == 0
    assert not errors(open_session(tmp_path / "out.json"))
    assert [one["type"] for one in json.loads((tmp_path / "out.json").read_bytes())] == ["human", "ai", "tool", "tool"]
    assert open_session(f"{path}::it|part:1").to_bytes().count(b"inner") == 1
    assert main(["check", "-q", str(tmp_path / "some.db")]) == 1
    capsys.readouterr()
    assert main(["sessions", str(path), "--output-format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["sessions"]
    assert [one["id"] for one in found] == ["it", "other"]
    assert path.read_bytes() == before


def test_older_checkpoints_are_json(tmp_path: Path) -> None:
    built = [
        {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": one}
        for name, one in (("HumanMessage", ASK), ("AIMessage", CALLS), ("ToolMessage", GIVES[1]))
    ]
    content = json.dumps({"v": 1, "channel_values": {"messages": built}}).encode()
    session = open_session(f"{database(tmp_path / 'some.db', ('it', 0, content), kind='json')}::it")
    assert session.format.id == "langchain-constructor" and errors(session) == ["result.missing"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x82\xa1", "cannot be read"),
        (b"\xdd\xff\xff\xff\xff", "cannot be read"),
        (b"\x91" * 100_000, "cannot be read"),
        (state(messages=[]), "has no messages"),
        (state(messages=packed([], code=7)), "keeps only what changed"),
        (state(messages=[], one=[packed(ASK)], two=[packed(ASK)]), "several lists of messages"),
        (state(ASK, messages=[packed({**ASK, "id": 1 << 63, "x": packed(1, code=2)})]), ""),
    ],
)
def test_what_is_not_understood_is_said(content: bytes, said: str, tmp_path: Path) -> None:
    path = database(tmp_path / "some.db", ("it", 0, content))
    if said:
        with pytest.raises(SessionError, match=said):
            open_session(f"{path}::it")
    else:
        assert not errors(open_session(f"{path}::it"))


def test_no_class_is_loaded(tmp_path: Path) -> None:
    """A name in a checkpoint is a text, whatever it names."""
    evil = ["os", "system", f"touch {tmp_path}/made"]
    objects = [msgspec.msgpack.Ext(code, msgspec.msgpack.encode(evil)) for code in range(8)]
    path = database(tmp_path / "some.db", ("it", 0, state(ASK, DONE, extra=objects)))
    assert not errors(open_session(f"{path}::it")) and not (tmp_path / "made").exists()
    with closing(sqlite3.connect(path)) as made:
        made.execute("UPDATE checkpoints SET type = 'pickle'")
        made.commit()
    with pytest.raises(SessionError, match="written in another way"):
        open_session(f"{path}::it")
