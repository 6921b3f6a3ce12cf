"""Documents that were cut off after their records: the list is whole, and no parser reads the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.source.files import file_bytes
from toolpair.history.conversation import Conversation
from toolpair.session.session import Problem, Session, open_session
from toolpair.source.changes import changes
from toolpair.source.container_reading import read_container
from toolpair.source.rewriting import with_end

CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "the output"}
BLOCKS: list[dict[str, Any]] = [
    {"role": "user", "content": "go on"},
    {"role": "assistant", "content": [CALL]},
    {"role": "user", "content": [RESULT]},
]
AFTER = b', "system": "You are a helper. Ca\xc3\xa9\\u00e9", "extra": [{"name": "Bash", "n": 12.5}], "z": null}\n'


def whole(messages: list[dict[str, Any]], indent: int | None = None) -> bytes:
    return b'{"model": "m", "messages": ' + json.dumps(messages, indent=indent).encode() + AFTER


def session(data: bytes) -> Session:
    return open_session("s.json", data=data)


def torn(conversation: Conversation) -> Problem:
    (found,) = [problem for problem in conversation.problems if problem.rule == "record.torn"]
    return found


@pytest.mark.parametrize("indent", [None, 2])
def test_wherever_it_is_cut_off_it_gets_its_end(indent: int | None) -> None:
    for cut in range(len(AFTER) - 1):
        gets_its_end(cut, indent)


def gets_its_end(cut: int, indent: int | None) -> None:
    full = whole(BLOCKS, indent)
    data = full[: len(full) - len(AFTER) + cut]
    opened = session(data)
    problem = torn(opened.conversation)
    assert (problem.severity, problem.impact) == ("error", "stops")
    (fix,) = problem.fixes
    assert fix.recommended
    opened.stage(problem, fix)
    made = opened.to_bytes()
    read = json.loads(made)
    assert read["messages"] == BLOCKS
    assert not opened.conversation.problems
    kept = data.rstrip()
    assert made.startswith(kept[:-12])
    if fix.loses is None:
        assert made.startswith(kept)
        assert set(made[len(kept) :].decode()) <= {"}", "]"}


@each("zeros", [1, 4096])
@each("data", [whole(BLOCKS)[:-40], whole(BLOCKS)[: -len(AFTER) - 4], whole(BLOCKS)[: -len(AFTER)]])
def test_nul_bytes_after_it_go_with_the_end(data: bytes, zeros: int) -> None:
    opened = session(data + b"\0" * zeros)
    problem = torn(opened.conversation)
    fix = next(fix for fix in problem.fixes if fix.id == "close")
    opened.stage(problem, fix)
    assert json.loads(opened.to_bytes())["messages"] == BLOCKS
    assert not opened.conversation.problems


def test_the_change_is_shown_and_other_edits_stay() -> None:
    data = whole([*BLOCKS[:2], {"role": "user", "content": "next"}])[:-2]
    (source,) = read_container(data, "s").conversations
    (change,) = changes(source.document, with_end(source.document))
    assert (change.before or b"").endswith(b'"z": null')
    assert (change.after or b"").endswith(b'"z": null}')
    opened = session(data)
    for _ in range(3):
        problem = next((one for one in opened.conversation.problems if one.severity == "error"), None)
        if problem is None:
            break
        opened.stage(problem, next(fix for fix in problem.fixes if fix.recommended))
    made = opened.to_bytes()
    assert made.endswith(AFTER.rstrip())
    assert "tool_result" in json.dumps(json.loads(made)["messages"])
    assert not opened.conversation.problems


@pytest.mark.parametrize(
    ("name", "begins_anew"),
    [
        ("cline-late-result.json", True),
        ("continue-cancelled.json", True),
        ("openai-chat-missing.json", False),
        ("responses-request.json", False),
    ],
)
def test_of_every_agent_that_keeps_a_document(samples: Path, name: str, begins_anew: bool) -> None:
    data = (samples / name).read_bytes().rstrip()
    assert data.endswith(b"}")
    sound = open_session(name, data=data)
    opened = open_session(name, data=data[:-1])
    problem = torn(opened.conversation)
    assert (problem.severity, problem.impact) == ("error", "loses" if begins_anew else "stops")
    assert problem.says is None or "cut off" in problem.text
    seen = opened.conversation.judged.seen
    assert (seen is not None and seen.refuses is not None) is begins_anew
    opened.stage(problem, next(fix for fix in problem.fixes if fix.recommended))
    assert opened.to_bytes() == data
    assert [one.rule for one in opened.conversation.problems] == [one.rule for one in sound.conversation.problems]


def test_an_older_gemini_session() -> None:
    message = {"timestamp": "2026-01-02T03:04:05.000Z"}
    messages = [
        {**message, "id": "a", "type": "user", "content": "go on"},
        {**message, "id": "b", "type": "gemini", "content": "done", "model": "gemini-2.5-pro"},
    ]
    whole = {"sessionId": "s", "projectHash": "p", "messages": messages, "lastUpdated": "2026-01-02T03:04:05.000Z"}
    opened = open_session("session-1.json", data=json.dumps(whole).encode()[:-10])
    assert opened.format.id == "gemini-cli"
    problem = torn(opened.conversation)
    assert (problem.severity, problem.impact) == ("error", "loses")
    assert "Gemini CLI reads none of it" in problem.text


def test_a_long_document_too() -> None:
    many = BLOCKS * 5000
    for number, message in enumerate(many):
        many[number] = json.loads(json.dumps(message).replace("toolu_1", f"toolu_{number // 3}"))
    data = whole(many)[:-30]
    container = read_container(file_bytes(data), "s")
    (source,) = container.conversations
    assert source.document.cut_end is not None
    assert container.to_bytes() == data
    made = container.to_bytes([with_end(source.document)])
    assert json.loads(made)["messages"] == many


@pytest.mark.parametrize(
    "data",
    [
        whole(BLOCKS),
        json.dumps(BLOCKS).encode(),
        json.dumps(BLOCKS).encode() + b"\n\0\0",
    ],
)
def test_a_whole_one_is_not_torn(data: bytes) -> None:
    (source,) = read_container(data, "s").conversations
    assert source.document.cut_end is None
    assert not session(data).conversation.problems
