"""The libraries judge the stores, too: they write them, toolpair says what they send, mends them where they are, and the
libraries go on.

Skipped where a library is not installed (extra `frameworks`, run at night).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.formats.fixing import sent_messages
from tests.forms.libraries import (
    GO_ON,
    Turns,
    adk_events,
    adk_sends,
    converse,
    langchain,
    strands_folder,
    strands_sends,
)
from tests.forms.test_libraries import DEFECTS, SHARED, errors, missing, whole
from toolpair.formats.engine.agents.databases import named_sessions
from toolpair.session.session import open_session

Sent = list[tuple[str, list[str]]]
"""Role and the words of each message."""


class Store(NamedTuple):
    module: str
    format: str
    prefix: str
    write: Callable[[Path, Turns], str]
    """Returns what toolpair opens."""
    sends: Callable[[Path], Any]
    """What goes out when the session goes on, as the library has it."""
    words: Callable[[Any], Sent]
    knows_sent: bool = True


def _adk(kind: str) -> Store:
    def service(folder: Path) -> Any:
        from google.adk.sessions import DatabaseSessionService
        from google.adk.sessions.sqlite_session_service import SqliteSessionService

        path = folder / "some.db"
        if kind == "sqlite":
            return SqliteSessionService(str(path))
        return DatabaseSessionService(f"sqlite+aiosqlite:///{path}")

    def write(folder: Path, turns: Turns) -> str:
        if kind == "older":
            import sqlalchemy
            from google.adk.sessions.schemas.v0 import Base

            Base.metadata.create_all(sqlalchemy.create_engine(f"sqlite:///{folder / 'some.db'}"))

        async def run() -> None:
            sessions = service(folder)
            new = await sessions.create_session(app_name="app", user_id="u", session_id="s1")
            for event in adk_events(turns):
                event.timestamp = 1.7e9 + event.timestamp
                await sessions.append_event(new, event)
            await sessions.close()

        asyncio.run(run())
        return str(folder / "some.db")

    def sends(folder: Path) -> Any:
        async def run() -> Any:
            sessions = service(folder)
            sent = await adk_sends(sessions)
            await sessions.close()
            return sent

        return asyncio.run(run())

    return Store("google.adk", "google-adk-database", "adk-", write, sends, _adk_words, kind != "older")


def _adk_words(contents: Any) -> Sent:
    def of(part: Any) -> str:
        response = part.function_response.response if part.function_response else None
        return part.text or (str(part.function_call.name) if part.function_call else str(next(iter(response.values()))))

    return [(content.role, list(map(of, content.parts))) for content in contents]


def _strands_write(folder: Path, turns: Turns) -> str:
    strands_folder(str(folder), converse(turns))
    return str(folder / "session_s1")


def _strands_words(messages: Any) -> Sent:
    def of(block: Any) -> str:
        if "toolResult" in block:
            return str(block["toolResult"]["content"][0]["text"])
        return str(block["text"] if "text" in block else block["toolUse"]["name"])

    return [(message["role"], list(map(of, message["content"]))) for message in messages]


STORES = {
    "adk-sqlite": _adk("sqlite"),
    "adk-database": _adk("database"),
    "adk-older": _adk("older"),
    "strands": Store(
        "strands",
        "strands-folder",
        "tooluse_",
        _strands_write,
        lambda folder: strands_sends(str(folder)),
        _strands_words,
    ),
}
MAKE = {name: make for name, (make, _) in DEFECTS.items()} | SHARED


@pytest.mark.parametrize("defect", MAKE)
@pytest.mark.parametrize("name", STORES)
def test_what_a_library_keeps_is_mended_where_it_is(name: str, defect: str, tmp_path: Path) -> None:
    store = STORES[name]
    pytest.importorskip(store.module)
    turns = MAKE[defect](whole(store.prefix))
    before, folder = tmp_path / "before", tmp_path / "after"
    for path in (before, folder):
        path.mkdir()
        opened = store.write(path, turns)
    session = open_session(opened)
    assert session.format.id == store.format and len(named_sessions(opened)[0]) == 1
    if store.knows_sent:
        *sent, last = store.words(store.sends(before))
        assert last == ("user", [GO_ON])
        assert [(role, list(map(_word, values))) for role, values in sent_messages(session)] == sent
    session.stage_recommended()
    shown = session.to_bytes()
    session.save()
    again = open_session(opened)
    for line, one in zip(again.to_bytes().splitlines(), shown.splitlines(), strict=True):
        ((table, row),) = json.loads(one).items()  # a new one need not name all columns
        assert {**json.loads(line)[table], **row} == json.loads(line)[table]
    assert errors(again) <= {"result.id_mismatch"}  # a guess
    waits = any(problem.rule == "turn.trailing_call" for problem in again.problems)
    if not errors(again) and not waits:
        assert missing(turns, store.sends(folder)) == []


def _word(value: Any) -> str:
    found = value.get("text", value.get("content", value.get("name")))
    return str(found if isinstance(found, str) else found[0]["text"])


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_thread_of_langgraph_is_read_as_its_saver_reads_it(defect: str, tmp_path: Path) -> None:
    """With the last message written by a step that was stopped; the mended list is put in with `update_state`."""
    pytest.importorskip("langgraph.checkpoint.sqlite")
    from langchain_core.messages import convert_to_messages
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.graph.message import REMOVE_ALL_MESSAGES, RemoveMessage

    make, rule = DEFECTS[defect]
    turns = make(whole("call_"))
    path, config = tmp_path / "some.db", {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    *messages, last = langchain(turns)
    with SqliteSaver.from_conn_string(str(path)) as saver:
        graph = StateGraph(MessagesState).add_node("say", lambda state: {}).add_edge(START, "say")
        app = graph.compile(checkpointer=saver)
        app.update_state(config, {"messages": messages})
        saver.put_writes(saver.get_tuple(config).config, [("messages", [last])], "task")
    session = open_session(f"{path}::t")
    assert errors(session) == ({rule} if rule else set())
    session.stage_recommended()
    mended = convert_to_messages(json.loads(session.to_bytes()))
    with SqliteSaver.from_conn_string(str(path)) as saver:
        app = graph.compile(checkpointer=saver)
        app.update_state(config, {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), *mended]}, as_node="say")
    assert missing(turns, open_session(f"{path}::t").to_bytes().decode()) == []
    assert errors(open_session(f"{path}::t")) <= {"result.id_mismatch"}  # a guess
