"""A result that says that it is something else is found by what only a result has, and kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.each import each
from tests.formats.claude_code_files import Log, call
from tests.formats.codex_files import Rollout
from toolpair.session.session import Session, open_session

Message = dict[str, Any]
ASKS: Message = {"role": "user", "content": "go"}
SAYS: Message = {"role": "assistant", "content": "done"}
CALL: Message = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
CHAT_CALL: Message = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}
ITEM: Message = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}


def opened(messages: list[Message]) -> Session:
    return open_session("s.json", data=json.dumps(messages).encode())


def mended(session: Session, rule: str, fix: str) -> Any:
    """The session after its one error is fixed, which is told with the pair that it belongs to."""
    (problem,) = (problem for problem in session.problems if problem.severity == "error")
    assert (problem.rule, problem.recommended and problem.recommended.id) == (rule, fix)
    assert problem.pair is not None and problem.result is not None
    assert session.conversation.verdict.outputs_total == 1
    session.stage_recommended()
    assert not [problem for problem in session.problems if problem.severity == "error"]
    assert not session.staging.losses and session.to_bytes().count(b"REAL") == 1
    assert b"No result was recorded" not in session.to_bytes()
    return json.loads(session.to_bytes())


@each(
    "type_",
    ["tool_use", "text", "image", "toolResult", "function_call_output", "server_tool_use", None, ["tool_result"]],
)
def test_a_block_of_another_type(type_: Any) -> None:
    block = {"type": type_, "tool_use_id": "t1", "content": "REAL"}
    messages = [ASKS, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [block]}, SAYS, ASKS]
    made = mended(opened(messages), "field.missing", "right-type")
    assert made[2]["content"] == [{"type": "tool_result", "tool_use_id": "t1", "content": "REAL"}]


def test_a_type_that_stands_twice() -> None:
    """Readers take the last."""
    block = {"type": "tool_result", "tool_use_id": "t1", "content": "REAL"}
    messages = [ASKS, {"role": "assistant", "content": [CALL]}, {"role": "user", "content": [block]}, SAYS, ASKS]
    data = json.dumps(messages).replace('"content": "REAL"', '"content": "REAL", "type": "tool_use"')
    made = mended(open_session("s.json", data=data.encode()), "field.missing", "right-type")
    assert made[2]["content"][0]["type"] == "tool_result"


def test_in_a_message_of_the_assistant() -> None:
    block = {"type": "tool_use", "tool_use_id": "t1", "content": "REAL"}
    session = opened([ASKS, {"role": "assistant", "content": [CALL, block]}, ASKS])
    session.stage_recommended()
    assert not [problem for problem in session.problems if problem.severity == "error"]
    assert (
        session.conversation.pairs[0].result is not None
        and b"REAL" in session.to_bytes()
        and not session.staging.losses
    )


def test_a_call_with_a_field_too_many_is_a_call() -> None:
    odd = {**CALL, "tool_use_id": "t0", "content": "x"}
    session = opened([ASKS, {"role": "assistant", "content": [odd]}, ASKS])
    assert [pair.call is not None for pair in session.conversation.pairs] == [True]


@each("role", ["user", "assistant", "function", "Tool", "tool_result", None, ["tool"]])
def test_a_message_of_chat_with_another_role(role: Any) -> None:
    result = {"role": role, "tool_call_id": "c1", "content": "REAL"}
    if role is None:
        del result["role"]
    made = mended(opened([ASKS, CHAT_CALL, result, SAYS]), "role.unknown", "role-tool")
    assert made[2] == {"role": "tool", "tool_call_id": "c1", "content": "REAL"}


@each("id_", ["c1", "c9", 5, None])
def test_words_of_the_user_beside_a_stray_id_stay_words(id_: Any) -> None:
    """Where the call has its result, or is none of the list's."""
    answered = {"role": "tool", "tool_call_id": "c1", "content": "seen"}
    words = {"role": "user", "tool_call_id": id_, "content": "thanks"}
    messages = [ASKS, CHAT_CALL, answered, words, SAYS]
    session = opened(messages)
    assert not [problem for problem in session.problems if problem.severity == "error"]
    assert json.loads(session.to_bytes()) == messages


@each(
    "more",
    [
        {"type": "function_call"},
        {"type": "tool_output"},
        {"type": "message", "role": "tool"},
        {"type": "message", "role": "user", "content": None},
        {},
    ],
)
@each("call", [ITEM, {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "x"}])
def test_an_item_of_another_type(call: Message, more: Message) -> None:
    output = {**more, "call_id": "c1", "output": "REAL"}
    made = mended(opened([ASKS, call, output, ASKS]), "field.missing", "right-type")
    type_ = "function_call_output" if call is ITEM else "custom_tool_call_output"
    assert made[2] == {"type": type_, "call_id": "c1", "output": "REAL"}


@pytest.mark.parametrize("type_", ["tool_use", "text", "mystery", None])
def test_in_a_session_of_claude_code(type_: Any) -> None:
    log = Log()
    log.record("user", "u1", message={"role": "user", "content": "go"})
    log.says("a1", "m1", call("toolu_1"))
    made = log.result("r1", "a1", "toolu_1", "REAL")
    made["message"]["content"][0]["type"] = type_
    log.says("a2", "m2", {"type": "text", "text": "done"})
    data = b"".join(json.dumps(value).encode() + b"\n" for value in log.values)
    session = open_session("s.jsonl", data=data)
    (problem,) = (problem for problem in session.problems if problem.severity == "error")
    assert problem.rule == "field.missing"
    session.stage_recommended()
    assert not [problem for problem in session.problems if problem.severity == "error"]
    assert (session.conversation.verdict.outputs_seen, session.conversation.verdict.outputs_total) == (1, 1)


def test_in_a_rollout() -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.item("function_call", call_id="c1", output="REAL")
    made.says("Done.")
    session = made.session()
    assert session.conversation.verdict.outputs_seen == 0
    session.stage_recommended()
    assert not session.problems and session.conversation.verdict.outputs_seen == 1
    assert b'"type":"function_call_output","call_id":"c1","output":"REAL"' in session.to_bytes()


@pytest.mark.parametrize("record", ["response_item", "tool_result"])
def test_in_a_record_of_a_rollout_that_codex_does_not_know(record: str) -> None:
    made = Rollout()
    made.begins("t1", "Go.")
    made.call("c1")
    made.record(record, {"type": "tool_output", "call_id": "c1", "output": "REAL"})
    at = len(made.values)
    made.begins("t2", "And now?")
    made.says("Done.")
    session = made.session()
    (problem,) = session.problems
    assert problem.rule == "result.missing" and problem.recommended is not None
    assert problem.recommended.id == "use-copy" and f"line {at:,}" in problem.recommended.title
    session.stage_recommended()
    assert session.conversation.verdict.outputs_seen == 1 and session.to_bytes().count(b"REAL") == 2


@each("role", ["tool", "function", "user"])
@each("content", ["absent", None, ""])
def test_calls_in_a_message_that_says_it_is_a_tools(role: str, content: Any) -> None:
    asks = {**CHAT_CALL, "role": role, "content": content}
    if content == "absent":
        del asks["content"]
    result = {"role": "tool", "tool_call_id": "c1", "content": "REAL"}
    session = open_session("s.json", data=json.dumps([ASKS, asks, result, ASKS]).encode(), format="openai-chat")
    made = mended(session, "role.call_in_user", "move-to-assistant")
    assert made[1]["role"] == "assistant" and made[1]["tool_calls"] == CHAT_CALL["tool_calls"]
    assert made[2] == result
