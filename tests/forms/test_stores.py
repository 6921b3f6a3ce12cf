"""The libraries judge the stores, too: they write them, toolpair says what they send, mends them where they are, and the
libraries go on.

Skipped where a library is not installed (extra `frameworks`, run at night).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.formats.fixing import errors_not_left_to_a_person, sent_messages
from tests.forms.libraries import (
    GO_ON,
    Calls,
    Result,
    Says,
    Turns,
    adk_events,
    adk_sends,
    agents_items,
    agents_sends,
    converse,
    langchain,
    strands_folder,
    strands_sends,
)
from tests.forms.test_libraries import DEFECTS, SHARED, errors, missing, whole
from tests.rounds import some
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
    by_item: bool = False
    """What is sent is a list of items, not of messages."""


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


def _agents_write(folder: Path, turns: Turns) -> str:
    from agents import SQLiteSession

    async def run() -> None:
        await SQLiteSession("s1", folder / "some.db").add_items(agents_items(turns))  # type: ignore[arg-type]

    asyncio.run(run())
    return str(folder / "some.db")


def _agents_sends(folder: Path) -> Any:
    from agents import SQLiteSession

    return asyncio.run(agents_sends(SQLiteSession("s1", folder / "some.db")))


def _agents_words(items: Any) -> Sent:
    """An item each."""

    def of(item: Any) -> tuple[str, str]:
        if item.get("type") == "function_call":
            return "assistant", str(item["name"])
        if item.get("type") == "function_call_output":
            return "tool", str(item["output"])
        content = item["content"]
        return item["role"], str(content if isinstance(content, str) else content[0]["text"])

    return [(role, [word]) for role, word in map(of, items)]


STORES = {
    "agents-sdk": Store("agents", "agents-sdk", "call_", _agents_write, _agents_sends, _agents_words, by_item=True),
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
Plant = Callable[[Turns], Turns]


def _at(turns: Turns, word: str) -> int | None:
    """The turn with this word: a result, or the call of one."""
    return next((n for n, turn in enumerate(turns) if word in turn.text), None)


def _without(word: str) -> Plant:
    return lambda turns: [turn for turn in turns if word not in turn.text]


def _other_id(word: str) -> Plant:
    def make(turns: Turns) -> Turns:
        return [
            Result(f"{turn.id}x", turn.name, turn.text) if isinstance(turn, Result) and word in turn.text else turn
            for turn in turns
        ]

    return make


def _behind(word: str, other: str) -> Plant:
    def make(turns: Turns) -> Turns:
        at = _at(turns, word)
        if at is None or _at(turns, other) is None:
            return turns
        left = turns[:at] + turns[at + 1 :]
        place = _at(left, other)
        return left if place is None else [*left[: place + 1], turns[at], *left[place + 1 :]]

    return make


def _second(word: str, other: str) -> Plant:
    def make(turns: Turns) -> Turns:
        found = next((turn for turn in turns if isinstance(turn, Result) and word in turn.text), None)
        at = _at(turns, other)
        if found is None or at is None:
            return turns
        return [*turns[: at + 1], Result(found.id, found.name, "word-second"), *turns[at + 1 :]]

    return make


def _text_for_call(turns: Turns) -> Turns:
    return [Says("assistant", "word-again") if isinstance(turn, Calls) and not turn.text else turn for turn in turns]


PLANTS: dict[str, Plant] = {
    "no_first": _without("word-one"),
    "no_second": _without("word-two"),
    "no_last": _without("word-three"),
    "no_call": _text_for_call,
    "differs": _other_id("word-two"),
    "differs_later": _other_id("word-three"),
    "late": _behind("word-two", "word-nine"),
    "early": _behind("word-three", "word-said"),
    "twice": _second("word-two", "word-two"),
    "twice_later": _second("word-one", "word-nine"),
    "unsaid": _without("word-said"),
    "unasked": _without("word-nine"),
}


def _together(names: Sequence[str]) -> Plant:
    def make(turns: Turns) -> Turns:
        for name in names:
            turns = PLANTS[name](turns)
        return turns

    return make


_SOME = [*combinations(PLANTS, 2), *list(combinations(PLANTS, 3))[::5]]
MAKE: dict[str, Plant] = {name: make for name, (make, _) in DEFECTS.items()} | SHARED
MAKE |= {"+".join(names): _together(names) for names in [*((name,) for name in PLANTS), *some(_SOME, 20)]}


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
        said = [(role, list(map(_word, values))) for role, values in sent_messages(session)]
        each = [(role, [word]) for role, words in said for word in words]
        assert (each if store.by_item else said) == sent
    session.stage_recommended()
    shown = session.to_bytes()
    session.save()
    again = open_session(opened)
    for line, one in zip(again.to_bytes().splitlines(), shown.splitlines(), strict=True):
        *_, (table, row) = json.loads(
            one
        ).items()  # after what is known of other sessions; a new one need not name all columns
        assert {**json.loads(line)[table], **row} == json.loads(line)[table]
    assert {*errors_not_left_to_a_person(again)} <= {"result.id_mismatch"}  # a guess
    waits = any(problem.rule == "turn.trailing_call" for problem in again.problems)
    if not errors(again) and not waits:
        assert missing(turns, store.sends(folder)) == []


def _word(value: Any) -> str:
    found = next(value[key] for key in ("text", "content", "output", "name") if value.get(key) is not None)
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
