"""Calls and results written as another API spells them, in lists of every form: paired, and written in the list's own."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import toolpair
from tests.each import each
from tests.rounds import some
from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.session.session import open_session
from toolpair.transcript.edits import Rename

OUTPUT = "shop.py and till.py, seen nowhere else"
ID = "call_planted1"

Value = dict[str, Any]


def _anthropic(number: int) -> list[Value]:
    id_ = f"toolu_{number}"
    call = {"type": "tool_use", "id": id_, "name": "look", "input": {"n": number}}
    result = {"type": "tool_result", "tool_use_id": id_, "content": f"saw {number}"}
    return [
        {"role": "user", "content": f"Look at {number}."},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": f"Seen {number}."},
    ]


def _chat(number: int) -> list[Value]:
    id_ = f"call_{number}"
    function = {"name": "look", "arguments": json.dumps({"n": number})}
    return [
        {"role": "user", "content": f"Look at {number}."},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [{"id": id_, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": id_, "content": f"saw {number}"},
        {"role": "assistant", "content": f"Seen {number}."},
    ]


def _items(number: int) -> list[Value]:
    id_ = f"call_{number}"
    return [
        {"role": "user", "content": f"Look at {number}."},
        {"type": "function_call", "call_id": id_, "name": "look", "arguments": json.dumps({"n": number})},
        {"type": "function_call_output", "call_id": id_, "output": f"saw {number}"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Seen {number}."}]},
    ]


LISTS = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _items}
NATIVE_CALLS: dict[str, Value] = {
    "anthropic": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": ID, "name": "look", "input": {"path": "."}}],
    },
    "openai-chat": {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": ID, "type": "function", "function": {"name": "look", "arguments": '{"path": "."}'}}],
    },
    "openai-responses": {"type": "function_call", "call_id": ID, "name": "look", "arguments": '{"path": "."}'},
}
NATIVE_RESULTS: dict[str, Value] = {
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": ID, "content": OUTPUT}]},
    "openai-chat": {"role": "tool", "tool_call_id": ID, "content": OUTPUT},
    "openai-responses": {"type": "function_call_output", "call_id": ID, "output": OUTPUT},
}
RESULT_PARTS: dict[str, Value] = {
    "anthropic": {"type": "tool_result", "tool_use_id": ID, "content": [{"type": "text", "text": OUTPUT}]},
    "chat": {"role": "tool", "tool_call_id": ID, "content": OUTPUT},
    "responses": {"type": "function_call_output", "call_id": ID, "output": [{"type": "input_text", "text": OUTPUT}]},
    "gemini": {"functionResponse": {"id": ID, "name": "look", "response": {"output": OUTPUT}}},
    "gemini-object": {"functionResponse": {"id": ID, "name": "look", "response": {"files": [OUTPUT]}}},
    "bedrock": {"toolResult": {"toolUseId": ID, "status": "success", "content": [{"text": OUTPUT}]}},
    "bedrock-json": {"toolResult": {"toolUseId": ID, "content": [{"json": {"said": OUTPUT}}]}},
    "ai-sdk": {
        "type": "tool-result",
        "toolCallId": ID,
        "toolName": "look",
        "output": {"type": "text", "value": OUTPUT},
    },
    "odd-text": {"type": "text", "text": "", "tool_use_id": ID, "content": OUTPUT},
    "odd-thinking": {"type": "thinking", "thinking": "", "tool_use_id": ID, "content": OUTPUT},
    "odd-unknown": {"type": "tool_output_v2", "tool_use_id": ID, "content": OUTPUT},
    "odd-both": {"type": "text", "text": "beside it", "tool_use_id": ID, "content": OUTPUT},
    "more-fields": {"type": "tool_result", "tool_use_id": ID, "content": OUTPUT, "exit_note": "it took long"},
}
CALL_PARTS: dict[str, Value] = {
    "anthropic": {"type": "tool_use", "id": ID, "name": "look", "input": {"path": "."}},
    "chat": {"id": ID, "type": "function", "function": {"name": "look", "arguments": '{"path": "."}'}},
    "responses": {"type": "function_call", "call_id": ID, "name": "look", "arguments": '{"path": "."}'},
    "gemini": {"functionCall": {"id": ID, "name": "look", "args": {"path": "."}}},
    "bedrock": {"toolUse": {"toolUseId": ID, "name": "look", "input": {"path": "."}}},
    "ai-sdk": {"type": "tool-call", "toolCallId": ID, "toolName": "look", "input": {"path": "."}},
}
STRAY_RESULTS: dict[str, list[Value]] = {
    **{f"{name}-alone": [{"role": "user", "content": [part]}] for name, part in RESULT_PARTS.items()},
    **{
        f"{name}-and-text": [{"role": "user", "content": [part, {"type": "text", "text": "And now?"}]}]
        for name, part in RESULT_PARTS.items()
    },
    **{
        f"text-and-{name}": [{"role": "user", "content": [{"type": "text", "text": "And now?"}, part]}]
        for name, part in RESULT_PARTS.items()
    },
    "chat-message": [NATIVE_RESULTS["openai-chat"]],
    "item": [NATIVE_RESULTS["openai-responses"]],
    "message": [NATIVE_RESULTS["anthropic"]],
    "item-and-words": [NATIVE_RESULTS["openai-responses"], {"role": "user", "content": "And now?"}],
    "message-and-words": [NATIVE_RESULTS["openai-chat"], {"role": "user", "content": "And now?"}],
}
STRAY_CALLS: dict[str, list[Value]] = {
    **{f"{name}-alone": [{"role": "assistant", "content": [part]}] for name, part in CALL_PARTS.items()},
    **{
        f"{name}-after-text": [{"role": "assistant", "content": [{"type": "text", "text": "I begin."}, part]}]
        for name, part in CALL_PARTS.items()
    },
    "chat-message": [NATIVE_CALLS["openai-chat"]],
    "chat-message-with-text": [{**NATIVE_CALLS["openai-chat"], "content": "I begin."}],
    "item": [NATIVE_CALLS["openai-responses"]],
    "message": [NATIVE_CALLS["anthropic"]],
}


def _list(form: str, call: list[Value], result: list[Value]) -> list[Value]:
    native = LISTS[form]
    history = [*native(1), *native(2), {"role": "user", "content": "List the files."}, *call, *result]
    return copy.deepcopy([*history, *native(3), *native(4)])


def _texts(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _hold(form: str, messages: list[Value], *words: str) -> list[Value]:
    """What has to be true of a list with a planted pair; returns what it becomes."""
    before = copy.deepcopy(messages)
    report = toolpair.check(messages)
    rules = {problem.rule for problem in report.problems if problem.severity == "error"}
    assert not rules & {"result.missing", "result.orphan", "result.id_mismatch"}, report.problems
    repaired = toolpair.repair(messages)
    assert messages == before
    assert repaired.ok, repaired.left
    for said in (OUTPUT, *words):
        assert _texts(list(repaired.messages)).count(said) == 1, said
    assert "no result was recorded" not in _texts(list(repaired.messages)).lower()
    assert "Earlier tool call" not in _texts(list(repaired.messages))
    again = toolpair.repair(repaired.messages)
    assert again.messages is repaired.messages
    for number, message in enumerate(before):
        if message not in repaired.messages:
            assert ID in _texts(message), number  # nothing but the planted pair has changed
    return list(repaired.messages)


@each("where", STRAY_RESULTS)
@each("form", LISTS)
def test_a_result_in_another_form_is_its_calls(form: str, where: str) -> None:
    messages = _list(form, [NATIVE_CALLS[form]], STRAY_RESULTS[where])
    words = [word for word in ("And now?", "beside it", "it took long") if word in _texts(STRAY_RESULTS[where])]
    made = _hold(form, messages, *words)
    assert NATIVE_CALLS[form] in made


@each("where", STRAY_CALLS)
@each("form", LISTS)
def test_a_call_in_another_form_has_its_result(form: str, where: str) -> None:
    messages = _list(form, STRAY_CALLS[where], [NATIVE_RESULTS[form]])
    words = ["I begin."] if "I begin." in _texts(STRAY_CALLS[where]) else []
    made = _hold(form, messages, *words)
    assert NATIVE_RESULTS[form] in made


@pytest.mark.parametrize(("form", "call"), some([(form, call) for form in LISTS for call in STRAY_CALLS], 23))
def test_both_may_be_in_other_forms(form: str, call: str) -> None:
    for where in [*STRAY_RESULTS][list(STRAY_CALLS).index(call) % 4 :: 4]:
        _hold(form, _list(form, STRAY_CALLS[call], STRAY_RESULTS[where]))


ORPHANS: dict[str, Value] = {
    "anthropic": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "gone", "output": OUTPUT}]},
    "anthropic-beside": {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "gone", "content": "", "stdout": OUTPUT}],
    },
    "chat": {"role": "tool", "tool_call_id": "gone", "result": OUTPUT},
    "item": {"type": "function_call_output", "call_id": "gone", "result": {"files": OUTPUT}},
    "gemini": {"role": "user", "content": [{"functionResponse": {"id": "gone", "name": "look", "result": OUTPUT}}]},
    "bedrock": {"role": "user", "content": [{"toolResult": {"toolUseId": "gone", "output": OUTPUT}}]},
}


@each("orphan", ORPHANS)
@each("form", LISTS)
def test_an_output_under_an_unknown_key_is_kept(form: str, orphan: str) -> None:
    native = LISTS[form]
    messages = copy.deepcopy([*native(1), *native(2), ORPHANS[orphan], *native(3)])
    repaired = toolpair.repair(messages)
    assert repaired.ok, repaired.left
    assert _texts(list(repaired.messages)).count(OUTPUT) == 1


@pytest.mark.parametrize("kind", ["json", "jsonl"])
@pytest.mark.parametrize("form", LISTS)
def test_in_a_file_of_many_windows(form: str, kind: str) -> None:
    native = LISTS[form]
    before = [message for number in range(20, 60) for message in native(number)]
    after = [message for number in range(70, 120) for message in native(number)]
    own = {"anthropic": "odd-text-alone", "openai-chat": "item", "openai-responses": "chat-message"}[form]
    for where in ("gemini-and-text", "text-and-bedrock", own):
        messages = [*before, *_list(form, [NATIVE_CALLS[form]], STRAY_RESULTS[where]), *after]
        lines = (json.dumps(message).encode() + b"\n" for message in messages)
        data = json.dumps(messages).encode() if kind == "json" else b"".join(lines)
        session = open_session(f"s.{kind}", data=data)
        errors = [problem for problem in session.problems if problem.severity == "error"]
        assert {problem.rule for problem in errors} <= {"field.missing", "result.not_first"}
        session.stage_recommended()
        assert not [problem for problem in session.problems if problem.severity == "error"]
        assert not session.staging.losses
        made = session.to_bytes()
        assert made.count(OUTPUT.encode()) == 1 and b"No result was recorded" not in made


@pytest.mark.parametrize("form", LISTS)
def test_an_edit_beside_leaves_the_other_form_as_it_is(form: str) -> None:
    """What no fix names stays, and no text of its message goes."""
    part = RESULT_PARTS["gemini"]
    words = {"type": "text", "text": "And now?"}
    messages = _list(form, [NATIVE_CALLS[form]], [{"role": "user", "content": [part, words]}])
    format_ = get_format(form)
    items = [Item(number, message) for number, message in enumerate(messages)]
    transcript = format_.read(items)
    (result,) = (block for message in transcript.messages for block in message.results if block.id == ID)
    made = _texts([item.value for item in format_.apply(items, transcript, [Rename(result, "call_other")])])
    assert made.count("And now?") == 1 and made.count(OUTPUT) == 1 and made.count("call_other") == 1


def test_the_majority_of_a_mixed_list_decides() -> None:
    mixed = [*_chat(1), *_chat(2), *_anthropic(3)]
    repaired = toolpair.repair(mixed)
    assert repaired.ok
    assert [message["role"] for message in repaired.messages if message["role"] == "tool"] == ["tool"] * 3
    mixed = [*_chat(1), *_anthropic(2), *_anthropic(3)]
    assert all(message["role"] != "tool" for message in toolpair.repair(mixed).messages)


def test_one_answer_of_each_form() -> None:
    """A single Bedrock block does not make a list of Anthropic's a list of Bedrock's."""
    messages = [
        {"role": "user", "content": "go"},
        NATIVE_CALLS["anthropic"],
        {"role": "user", "content": [RESULT_PARTS["bedrock"]]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "and now?"},
    ]
    (problem,) = (one for one in toolpair.check(messages).problems if one.severity == "error")
    assert (problem.rule, problem.recommended and problem.recommended.id) == ("field.missing", "own-form")
    assert "toolResult block of Bedrock" in problem.text


def test_an_error_stays_one() -> None:
    failed = {"type": "tool_result", "tool_use_id": ID, "content": OUTPUT, "is_error": True}
    messages = _list("openai-chat", [NATIVE_CALLS["openai-chat"]], [{"role": "user", "content": [failed]}])
    assert {"role": "tool", "tool_call_id": ID, "content": f"Error: {OUTPUT}"} in toolpair.repair(messages).messages
    refused = {"toolResult": {"toolUseId": ID, "status": "error", "content": [{"text": OUTPUT}]}}
    messages = _list("anthropic", [NATIVE_CALLS["anthropic"]], [{"role": "user", "content": [refused]}])
    (made,) = (part for message in toolpair.repair(messages).messages for part in _parts(message) if _is(part))
    assert made["is_error"] is True


def _parts(message: Value) -> list[Any]:
    return message["content"] if isinstance(message["content"], list) else []


def _is(part: Any) -> bool:
    return isinstance(part, dict) and part.get("tool_use_id") == ID


@pytest.mark.parametrize(
    ("form", "role", "profile"), [("ai-sdk", "tool", "openai-chat"), ("bedrock", "user", "bedrock-converse")]
)
def test_a_list_of_another_api_is_read_as_that(form: str, role: str, profile: str) -> None:
    messages = [
        {"role": "user", "content": "go" if form == "ai-sdk" else [{"text": "go"}]},
        {"role": "assistant", "content": [CALL_PARTS[form]]},
        {"role": role, "content": [RESULT_PARTS[form]]},
    ]
    report = toolpair.check(messages)
    assert (report.profile, report.ok) == (profile, True)
    assert [problem.rule for problem in toolpair.check([*messages[:2], messages[0]]).errors] == ["result.missing"]


NAMELESS: dict[str, Value] = {
    "a tool_result block": {"type": "tool_result", "content": OUTPUT},
    "an id that is a number": {"type": "tool_result", "tool_use_id": 5, "content": OUTPUT},
    "an output item": {"type": "function_call_output", "output": OUTPUT},
}


@pytest.mark.parametrize("name", NAMELESS)
@pytest.mark.parametrize("others", [1, 2])
def test_a_result_without_an_id_is_one_in_a_list_of_chat_messages(name: str, others: int) -> None:
    """Also where nothing else shows what the list is, once its own orphans are kept as text."""
    orphans = [{"role": "tool", "tool_call_id": f"call_{number}", "content": "seen"} for number in range(others)]
    messages = [*orphans, {"role": "user", "content": [NAMELESS[name]]}]
    session = open_session("list.json", data=json.dumps(messages).encode())
    assert session.format.id == "openai-chat"
    assert [problem.rule for problem in session.problems if problem.severity == "error"] == ["result.orphan"] * (
        others + 1
    )
    session.stage_recommended()
    made = session.to_bytes()
    assert made.count(OUTPUT.encode()) == 1 and not session.staging.losses
    again = open_session("list.json", data=made, format="openai-chat")
    assert not [problem for problem in again.problems if problem.severity == "error"]
