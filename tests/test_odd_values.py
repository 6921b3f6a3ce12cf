"""Any value of a session may be of another kind than its place wants: judged, mended, read again, and never a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import toolpair
from tests import hermes_sessions, kimi_code_sessions, openhands_conversations, vibe_sessions
from tests.conftest import SAMPLES
from tests.each import each
from tests.rounds import some
from toolpair.session.session import Session, SessionError, open_session

ODD: tuple[Any, ...] = ([], {"type": ["text"]}, 7, None, "")

ANTHROPIC: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "look", "server_name": "here", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "content": [{"type": "text", "text": "found"}]},
            {"type": "text", "text": "words"},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"a": 1}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "output"}]}],
    },
]
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "go"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "output"}]},
]
ROO: list[dict[str, Any]] = [
    {"role": "user", "content": "go", "ts": 1},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}],
        "ts": 2,
        "condenseParent": "c1",
    },
    {"role": "user", "content": "the summary", "ts": 3, "isSummary": True, "condenseId": "c1"},
    {"role": "user", "content": "cut", "ts": 4, "isTruncationMarker": True, "truncationId": "t1"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_2", "name": "read", "input": {}}], "ts": 5},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "old"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": "output"},
        ],
        "ts": 6,
        "truncationParent": "t1",
    },
]


def replaced(value: Any, odd: Any) -> Iterator[Any]:
    """The value with each part of it, one after the other, replaced."""
    yield odd
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        for new in replaced(part, odd):
            changed = value.copy()
            changed[key] = new
            yield changed


def judged_and_mended(name: str, data: bytes) -> None:
    """Everything that a person looks at, and what is written is read again."""
    try:
        session = open_session(name, data=data)
    except SessionError:
        return
    look_at(session)
    session.stage_recommended()
    look_at(session)
    look_at(open_session(name, data=session.to_bytes(), format=session.format.id))


def look_at(session: Session) -> None:
    assert session.conversation.verdict.sentence
    for conversation in session.conversations:
        _ = conversation.judged.seen
        for problem in (*conversation.problems, *conversation.inactive_problems()):
            assert session.location(problem, conversation).line is None or problem.text


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("messages", [ANTHROPIC, CHAT, ROO], ids=["anthropic", "chat", "roo"])
def test_a_list_of_messages(messages: list[dict[str, Any]], odd: Any) -> None:
    for changed in replaced(messages, odd):
        judged_and_mended("session.json", json.dumps(changed).encode())


@pytest.mark.parametrize("odd", ODD[:2], ids=repr)
def test_a_rollout(odd: Any) -> None:
    lines = (SAMPLES / "codex-killed.jsonl").read_bytes().splitlines(keepends=True)
    for number, line in list(enumerate(lines))[3:19:3]:
        for changed in replaced(json.loads(line), odd):
            new = json.dumps(changed).encode() + b"\n"
            judged_and_mended("rollout.jsonl", b"".join((*lines[:number], new, *lines[number + 1 :])))


def openhands(folder: Path) -> bytes:
    events = openhands_conversations.sound()
    for name in ("condensed", "second_thought"):
        openhands_conversations.DEFECTS[name](events)
    return open_session(
        openhands_conversations.conversation(folder, openhands_conversations.chained(events))
    ).to_bytes()


@pytest.mark.parametrize(
    ("name", "begun"),
    [
        (vibe_sessions.NAME, lambda _: vibe_sessions.sound().data()),
        (kimi_code_sessions.NAME, lambda _: kimi_code_sessions.corpus()["compacted"].data),
        ("rows.jsonl", lambda _: hermes_sessions.corpus()["nothing"].data),
        ("events.jsonl", openhands),
    ],
    ids=["vibe", "kimi-code", "hermes", "openhands"],
)
def test_a_session_of_an_agent(name: str, begun: Callable[[Path], bytes], tmp_path: Path) -> None:
    lines = begun(tmp_path).splitlines(keepends=True)
    places = [
        (number, json.dumps(changed).encode() + b"\n")
        for number, line in enumerate(lines)
        for odd in ODD[:2]
        for changed in replaced(json.loads(line), odd)
    ]
    for number, new in some(places, 40):
        judged_and_mended(name, b"".join((*lines[:number], new, *lines[number + 1 :])))


@pytest.mark.parametrize("odd", ODD[:2], ids=repr)
@pytest.mark.parametrize("profile", ["anthropic", "openai-chat"])
def test_the_library(profile: str, odd: Any) -> None:
    for changed in replaced(ANTHROPIC if profile == "anthropic" else CHAT, odd):
        before = json.dumps(changed)
        try:
            repaired = toolpair.repair(changed, profile=profile)
        except (ValueError, TypeError) as error:
            assert "message" in str(error)
        else:
            assert toolpair.check(repaired.messages, profile=profile).ok == repaired.ok
        assert json.dumps(changed) == before


def test_all_empty_texts_of_one_message_are_mended() -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "output"}
    empty: list[Any] = [{"type": "text", "text": ""}, "", {"type": "text", "text": " "}, ""]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [*empty, call]},
        {"role": "user", "content": [result]},
    ]
    repaired = toolpair.repair(messages, profile="anthropic")
    assert repaired.ok
    assert repaired.messages[1]["content"] == [call]
    session = open_session("session.json", data=json.dumps(messages).encode())
    session.stage_recommended()
    assert not session.left


def test_a_part_of_an_odd_type_is_no_image() -> None:
    orphan = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": {}}]}]}
    mended = toolpair.repair([{"role": "user", "content": [{"type": ["x"]}]}, orphan], "openai-chat")
    assert mended.taken and not mended.losses.images


def test_half_a_character_in_a_key_is_replaced_and_no_key_takes_anothers_place() -> None:
    given = json.loads('{"k\\ud83d": 1, "k\\ufffd": 2, "z": {"\\udc00": "v"}}')
    call = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": given}
    told = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "output"}
    messages = [{"role": "user", "content": "go"}, {"role": "assistant", "content": [call]}]
    mended = toolpair.repair([*messages, {"role": "user", "content": [told]}], "anthropic")
    assert [taken.rule for taken in mended.taken] == ["record.lone_surrogate"] and mended.ok
    found = mended.messages[1]["content"][0]["input"]
    assert json.dumps(found, ensure_ascii=False).encode()
    assert (list(found.values())[:2], found["k\ufffd"], found["z"]) == ([1, 2], 2, {"\ufffd": "v"})


@each(
    ("role", "says"),
    [
        (None, "This message has no role, and OpenAI Chat Completions needs one."),
        (" ", "This message has no role, and OpenAI Chat Completions needs one."),
        (7, "The role of this message is not a text, and OpenAI Chat Completions needs one."),
        ("human", "OpenAI Chat Completions does not know the role human."),
    ],
)
def test_a_role_that_is_none_is_called_so(role: Any, says: str) -> None:
    data = json.dumps([*CHAT, {"role": role, "content": "And now?"}, {"role": "user", "content": "Go on."}]).encode()
    problems = open_session("session.json", data=data, profile="openai-chat").problems
    assert [problem.text for problem in problems if problem.rule == "role.unknown"] == [says]
