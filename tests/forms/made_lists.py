"""One small list in each form: two calls in one response, both answered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec import Struct

A, B = "call_9f2c71aa", "call_9f2c71bb"
ASK, GO_ON, ANSWER = "How warm is it in Oslo and Bergen?", "And tomorrow?", "It is 3 and 9 degrees."
OSLO, BERGEN = "Oslo: 3 degrees", "Bergen: 9 degrees"
TOOL = "get_weather"
TIME = "2026-11-01T10:00:00Z"


def _oslo(as_text: bool = False) -> Any:
    return json.dumps({"city": "Oslo"}) if as_text else {"city": "Oslo"}


def _bergen(as_text: bool = False) -> Any:
    return json.dumps({"city": "Bergen"}) if as_text else {"city": "Bergen"}


class MadeList(Struct):
    form: str
    elements: list[Any]
    around: Callable[[list[Any]], Any] = lambda elements: elements
    lines: bool = False

    def data(self) -> bytes:
        if self.lines:
            return b"".join(json.dumps(element).encode() + b"\n" for element in self.elements)
        return json.dumps(self.around(self.elements), indent=1, ensure_ascii=False).encode()


def _gemini(call: str, response: str, **ids: bool) -> list[Any]:
    def given(id_: str) -> dict[str, Any]:
        return {"id": id_} if ids.get("ids", True) else {}

    return [
        {"role": "user", "parts": [{"text": ASK}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look.", "thought": True},
                {call: {**given(A), "name": TOOL, "args": _oslo()}, "thoughtSignature": "c2ln"},
                {call: {**given(B), "name": TOOL, "args": _bergen()}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {response: {**given(A), "name": TOOL, "response": {"output": OSLO}}},
                {response: {**given(B), "name": TOOL, "response": {"output": BERGEN}}},
            ],
        },
        {"role": "model", "parts": [{"text": ANSWER}]},
        {"role": "user", "parts": [{"text": GO_ON}]},
    ]


def _converse(use: str, result: str, id_: str) -> list[Any]:
    return [
        {"role": "user", "content": [{"text": ASK}]},
        {
            "role": "assistant",
            "content": [
                {"text": "I look."},
                {use: {id_: A, "name": TOOL, "input": _oslo()}},
                {use: {id_: B, "name": TOOL, "input": _bergen()}},
            ],
        },
        {
            "role": "user",
            "content": [
                {result: {id_: A, "content": [{"text": OSLO}], "status": "success"}},
                {result: {id_: B, "content": [{"text": BERGEN}], "status": "success"}},
            ],
        },
        {"role": "assistant", "content": [{"text": ANSWER}]},
        {"role": "user", "content": [{"text": GO_ON}]},
    ]


def _langchain() -> list[dict[str, Any]]:
    """The fields of LangChain's messages."""
    more: dict[str, Any] = {"additional_kwargs": {}, "response_metadata": {}}
    chat_calls = [
        {"id": id_, "type": "function", "function": {"name": TOOL, "arguments": given}}
        for id_, given in ((A, _oslo(True)), (B, _bergen(True)))
    ]
    calls = [
        {"name": TOOL, "args": given, "id": id_, "type": "tool_call"} for id_, given in ((A, _oslo()), (B, _bergen()))
    ]
    called = {
        "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": A, "name": TOOL, "input": _oslo()}],
        "additional_kwargs": {"tool_calls": chat_calls},
        "response_metadata": {},
        "type": "ai",
        "id": "run-1",
        "tool_calls": calls,
        "invalid_tool_calls": [],
    }
    return [
        {"content": ASK, **more, "type": "human", "id": None},
        called,
        {"content": OSLO, **more, "type": "tool", "tool_call_id": A, "name": TOOL, "status": "success"},
        {"content": BERGEN, **more, "type": "tool", "tool_call_id": B, "name": TOOL, "status": "success"},
        {"content": ANSWER, **more, "type": "ai", "id": "run-2", "tool_calls": [], "invalid_tool_calls": []},
        {"content": GO_ON, **more, "type": "human", "id": None},
    ]


_CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def _constructors() -> list[Any]:
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", _CLASSES[fields["type"]]],
            "kwargs": fields,
        }
        for fields in _langchain()
    ]


def _ui(tool: str) -> list[Any]:
    named = {"type": f"tool-{TOOL}"} if tool == "tool" else {"type": "dynamic-tool", "toolName": TOOL}
    part = {**named, "state": "output-available"}
    return [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": ASK}]},
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "I look.", "state": "done"},
                {**part, "toolCallId": A, "input": _oslo(), "output": OSLO},
                {**part, "toolCallId": B, "input": _bergen(), "output": BERGEN},
                {"type": "step-start"},
                {"type": "text", "text": ANSWER, "state": "done"},
            ],
        },
        {"id": "m3", "role": "user", "parts": [{"type": "text", "text": GO_ON}]},
    ]


def _model() -> list[Any]:
    def result(id_: str, text: str) -> Any:
        return {"type": "tool-result", "toolCallId": id_, "toolName": TOOL, "output": {"type": "text", "value": text}}

    return [
        {"role": "user", "content": ASK},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool-call", "toolCallId": A, "toolName": TOOL, "input": _oslo()},
                {"type": "tool-call", "toolCallId": B, "toolName": TOOL, "input": _bergen()},
            ],
        },
        {"role": "tool", "content": [result(A, OSLO), result(B, BERGEN)]},
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": GO_ON},
    ]


def _pydantic() -> list[Any]:
    def call(id_: str, args: Any) -> Any:
        return {"tool_name": TOOL, "args": args, "tool_call_id": id_, "part_kind": "tool-call"}

    def returned(id_: str, text: str) -> Any:
        kept = {"tool_name": TOOL, "content": text, "tool_call_id": id_, "metadata": None, "timestamp": TIME}
        return {**kept, "part_kind": "tool-return"}

    def words(text: str) -> Any:
        return {"content": text, "timestamp": TIME, "part_kind": "user-prompt"}

    def response(*parts: Any) -> Any:
        return {"parts": list(parts), "model_name": "m", "timestamp": TIME, "kind": "response"}

    return [
        {"parts": [words(ASK)], "instructions": None, "kind": "request"},
        response({"content": "I look.", "part_kind": "text"}, call(A, _oslo(True)), call(B, _bergen())),
        {"parts": [returned(A, OSLO), returned(B, BERGEN)], "instructions": None, "kind": "request"},
        response({"content": ANSWER, "part_kind": "text"}),
        {"parts": [words(GO_ON)], "instructions": None, "kind": "request"},
    ]


def _adk() -> list[Any]:
    made = []
    for number, content in enumerate(_gemini("functionCall", "functionResponse")):
        author = "user" if number in (0, 4) else "agent"
        made.append(
            {
                "content": content,
                "invocationId": "e-1",
                "author": author,
                "actions": {"stateDelta": {}},
                "id": f"event-{number}",
                "timestamp": 1761991200.0 + number,
            }
        )
    made[1]["longRunningToolIds"] = [A]
    made[1]["actions"]["requestedToolConfirmations"] = {A: {"hint": "sure?"}}
    return made


def _items() -> list[Any]:
    def call(id_: str, given: str) -> Any:
        return {"id": f"fc_{id_}", "type": "function_call", "call_id": id_, "name": TOOL, "arguments": given}

    def answered(id_: str, text: str) -> Any:
        kept = {"id": f"fo_{id_}", "type": "function_call_output", "call_id": id_, "name": TOOL}
        return {**kept, "output": text, "is_error": False}

    def words(number: int, role: str, text: str) -> Any:
        return {"id": f"item_{number}", "type": "message", "role": role, "content": [text], "interrupted": False}

    return [
        words(1, "user", ASK),
        call(A, _oslo(True)),
        call(B, _bergen(True)),
        answered(A, OSLO),
        answered(B, BERGEN),
        words(2, "assistant", ANSWER),
        words(3, "user", GO_ON),
    ]


def _responses() -> list[Any]:
    return [
        {"role": "user", "content": ASK},
        {"type": "function_call", "id": "fc_1", "call_id": A, "name": TOOL, "arguments": _oslo(True)},
        {"type": "function_call", "id": "fc_2", "call_id": B, "name": TOOL, "arguments": _bergen(True)},
        {"type": "function_call_output", "call_id": A, "output": OSLO},
        {"type": "function_call_output", "call_id": B, "output": BERGEN},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [{"type": "output_text", "text": ANSWER, "annotations": []}],
        },
        {"role": "user", "content": GO_ON},
    ]


def _strands() -> list[Any]:
    return [
        {"message": message, "message_id": number, "redact_message": None, "created_at": TIME, "updated_at": TIME}
        for number, message in enumerate(_converse("toolUse", "toolResult", "toolUseId"))
    ]


def _kernel() -> list[Any]:
    def message(role: str, *items: Any) -> Any:
        return {"metadata": {}, "content_type": "message", "role": role, "items": list(items)}

    def text(said: str) -> Any:
        return {"metadata": {}, "content_type": "text", "text": said}

    def call(id_: str, given: str) -> Any:
        return {"metadata": {}, "content_type": "function_call", "id": id_, "name": TOOL, "arguments": given}

    def result(id_: str, said: str) -> Any:
        return {"metadata": {}, "content_type": "function_result", "id": id_, "result": said, "name": TOOL}

    return [
        message("user", text(ASK)),
        message("assistant", text("I look."), call(A, _oslo(True)), call(B, _bergen(True))),
        message("tool", result(A, OSLO), result(B, BERGEN)),
        message("assistant", text(ANSWER)),
        message("user", text(GO_ON)),
    ]


def _autogen() -> list[Any]:
    def call(id_: str, given: str) -> Any:
        return {"id": id_, "arguments": given, "name": TOOL}

    def result(id_: str, text: str) -> Any:
        return {"content": text, "name": TOOL, "call_id": id_, "is_error": False}

    return [
        {"content": ASK, "source": "user", "type": "UserMessage"},
        {
            "content": [call(A, _oslo(True)), call(B, _bergen(True))],
            "thought": "I look.",
            "source": "agent",
            "type": "AssistantMessage",
        },
        {"content": [result(A, OSLO), result(B, BERGEN)], "type": "FunctionExecutionResultMessage"},
        {"content": ANSWER, "thought": None, "source": "agent", "type": "AssistantMessage"},
        {"content": GO_ON, "source": "user", "type": "UserMessage"},
    ]


def _llamaindex() -> list[Any]:
    def text(said: str) -> Any:
        return {"block_type": "text", "text": said}

    def call(id_: str, given: Any) -> Any:
        return {"block_type": "tool_call", "tool_call_id": id_, "tool_name": TOOL, "tool_kwargs": given}

    def result(id_: str, said: str) -> Any:
        return {"role": "tool", "additional_kwargs": {"tool_call_id": id_}, "blocks": [text(said)]}

    return [
        {"role": "user", "additional_kwargs": {}, "blocks": [text(ASK)]},
        {
            "role": "assistant",
            "additional_kwargs": {},
            "blocks": [text("I look."), call(A, _oslo()), call(B, _bergen())],
        },
        result(A, OSLO),
        result(B, BERGEN),
        {"role": "assistant", "additional_kwargs": {}, "blocks": [text(ANSWER)]},
        {"role": "user", "additional_kwargs": {}, "blocks": [text(GO_ON)]},
    ]


def _letta() -> list[Any]:
    def message(number: int, role: str, text: str, **more: Any) -> Any:
        return {"role": role, "content": [{"type": "text", "text": text}], "id": f"message-{number}", **more}

    def call(id_: str, given: str) -> Any:
        return {"id": id_, "function": {"name": TOOL, "arguments": given}, "type": "function"}

    def returned(number: int, id_: str, text: str) -> Any:
        returns = [{"tool_call_id": id_, "status": "success", "func_response": text}]
        return message(number, "tool", text, tool_call_id=id_, name=TOOL, tool_returns=returns)

    return [
        message(1, "user", ASK),
        message(2, "assistant", "I look.", tool_calls=[call(A, _oslo(True)), call(B, _bergen(True))]),
        returned(3, A, OSLO),
        returned(4, B, BERGEN),
        message(5, "assistant", ANSWER),
        message(6, "user", GO_ON),
    ]


def _openhands() -> list[Any]:
    def event(number: int, source: str, kind: str, **more: Any) -> Any:
        return {"id": f"e{number}", "timestamp": TIME, "source": source, "kind": kind, **more}

    def words(number: int, role: str, text: str) -> Any:
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        return event(number, "agent" if role == "assistant" else role, "MessageEvent", llm_message=message)

    def action(number: int, id_: str, given: str, *thought: Any) -> Any:
        called = {"id": id_, "name": TOOL, "arguments": given}
        more = {"thought": list(thought), "tool_name": TOOL, "tool_call_id": id_, "tool_call": called}
        return event(number, "agent", "ActionEvent", **more, llm_response_id="r1")

    def observed(number: int, id_: str, text: str) -> Any:
        seen = {"content": [{"type": "text", "text": text}], "is_error": False}
        return event(number, "environment", "ObservationEvent", tool_name=TOOL, tool_call_id=id_, observation=seen)

    return [
        words(1, "user", ASK),
        action(2, A, _oslo(True), {"type": "text", "text": "I look."}),
        action(3, B, _bergen(True)),
        observed(4, A, OSLO),
        observed(5, B, BERGEN),
        words(6, "assistant", ANSWER),
        words(7, "user", GO_ON),
    ]


def _kiro() -> list[Any]:
    def entry(kind: str, number: int, *content: Any, **more: Any) -> Any:
        return {"version": "v1", "kind": kind, "data": {"message_id": f"m{number}", "content": list(content), **more}}

    def text(said: str) -> Any:
        return {"kind": "text", "data": said}

    def call(id_: str, given: Any) -> Any:
        return {"kind": "toolUse", "data": {"toolUseId": id_, "name": TOOL, "input": given}}

    def result(id_: str, said: str) -> Any:
        return {"kind": "toolResult", "data": {"toolUseId": id_, "content": [text(said)], "status": "success"}}

    return [
        entry("Prompt", 1, text(ASK)),
        entry("AssistantMessage", 2, text("I look."), call(A, _oslo()), call(B, _bergen())),
        entry("ToolResults", 3, result(A, OSLO), result(B, BERGEN), results={A: {"tool": 1}, B: {"tool": 2}}),
        entry("AssistantMessage", 4, text(ANSWER)),
        entry("Prompt", 5, text(GO_ON)),
    ]


def _opencode() -> list[Any]:
    def info(number: int, role: str) -> Any:
        return {"id": f"msg_{number}", "role": role, "sessionID": "ses_1", "time": {"created": 1761991200000}}

    def part(number: int, message: int, **more: Any) -> Any:
        return {"id": f"prt_{number}", "sessionID": "ses_1", "messageID": f"msg_{message}", **more}

    def tool(number: int, id_: str, given: Any, output: str) -> Any:
        state = {"status": "completed", "input": given, "output": output, "title": "t", "metadata": {}}
        return part(number, 2, type="tool", callID=id_, tool=TOOL, state=state)

    return [
        {"info": info(1, "user"), "parts": [part(1, 1, type="text", text=ASK)]},
        {
            "info": info(2, "assistant"),
            "parts": [
                part(2, 2, type="step-start"),
                tool(3, A, _oslo(), OSLO),
                tool(4, B, _bergen(), BERGEN),
                part(5, 2, type="step-finish", reason="tool-calls"),
                part(6, 2, type="step-start"),
                part(7, 2, type="text", text=ANSWER),
            ],
        },
        {"info": info(3, "user"), "parts": [part(8, 3, type="text", text=GO_ON)]},
    ]


def _swe() -> list[Any]:
    def step(role: str, text: str, kind: str, **more: Any) -> Any:
        return {"role": role, "content": text, "agent": "main", "message_type": kind, **more}

    calls = [
        {"id": id_, "type": "function", "function": {"name": TOOL, "arguments": given}}
        for id_, given in ((A, _oslo(True)), (B, _bergen(True)))
    ]
    return [
        step("user", ASK, "observation"),
        step("assistant", "I look.", "action", tool_calls=calls),
        step("tool", OSLO, "observation", tool_call_ids=[A]),
        step("tool", BERGEN, "observation", tool_call_ids=[B]),
        step("assistant", ANSWER, "action"),
        step("user", GO_ON, "observation"),
    ]


def _framework() -> list[Any]:
    def message(role: str, *contents: Any) -> Any:
        return {"type": "message", "role": role, "contents": list(contents), "additional_properties": {}}

    def text(said: str) -> Any:
        return {"type": "text", "text": said, "additional_properties": {}}

    def call(id_: str, given: Any) -> Any:
        return {"type": "function_call", "call_id": id_, "name": TOOL, "arguments": given, "hosted": False}

    def result(id_: str, said: str) -> Any:
        return {"type": "function_result", "call_id": id_, "result": said, "items": [text(said)]}

    return [
        message("user", text(ASK)),
        message("assistant", text("I look."), call(A, _oslo(True)), call(B, _bergen())),
        message("tool", result(A, OSLO), result(B, BERGEN)),
        message("assistant", text(ANSWER)),
        message("user", text(GO_ON)),
    ]


def _mastra() -> list[Any]:
    def message(number: int, role: str, *parts: Any, **more: Any) -> Any:
        content = {"format": 2, "parts": list(parts), **more}
        return {"id": f"m{number}", "role": role, "createdAt": TIME, "content": content, "threadId": "t1"}

    def text(said: str) -> Any:
        return {"type": "text", "text": said}

    def called(id_: str, given: Any, said: str) -> Any:
        return {"state": "result", "toolCallId": id_, "toolName": TOOL, "args": given, "result": said}

    calls = [called(A, _oslo(), OSLO), called(B, _bergen(), BERGEN)]
    parts = [{"type": "tool-invocation", "toolInvocation": call} for call in calls]
    return [
        message(1, "user", text(ASK), content=ASK),
        message(2, "assistant", text("I look."), *parts, {"type": "step-start"}, text(ANSWER), content=ANSWER),
        message(3, "user", text(GO_ON), content=GO_ON),
    ]


def _inspect() -> list[Any]:
    def message(number: int, role: str, said: str, **more: Any) -> Any:
        return {"id": f"m{number}", "content": said, "role": role, **more}

    calls = [
        {"id": id_, "function": TOOL, "arguments": given, "type": "function"}
        for id_, given in ((A, _oslo()), (B, _bergen()))
    ]
    return [
        message(1, "user", ASK, source="input"),
        message(2, "assistant", "I look.", source="generate", tool_calls=calls, model="openai/gpt-5"),
        message(3, "tool", OSLO, tool_call_id=A, function=TOOL),
        message(4, "tool", BERGEN, tool_call_id=B, function=TOOL),
        message(5, "assistant", ANSWER, source="generate"),
        message(6, "user", GO_ON),
    ]


def _tau() -> list[Any]:
    calls = [
        {"id": id_, "name": TOOL, "arguments": given, "requestor": "assistant"}
        for id_, given in ((A, _oslo()), (B, _bergen()))
    ]

    def result(id_: str, said: str) -> Any:
        return {"id": id_, "role": "tool", "content": said, "requestor": "assistant", "error": False}

    return [
        {"role": "user", "content": ASK, "tool_calls": None},
        {"role": "assistant", "content": "I look.", "tool_calls": calls},
        result(A, OSLO),
        result(B, BERGEN),
        {"role": "assistant", "content": ANSWER, "tool_calls": None},
        {"role": "user", "content": GO_ON, "tool_calls": None},
    ]


def _ollama() -> list[Any]:
    calls = [{"function": {"name": TOOL, "arguments": given}} for given in (_oslo(), _bergen())]
    return [
        {"role": "user", "content": ASK},
        {"role": "assistant", "content": "I look.", "tool_calls": calls},
        *({"role": "tool", "tool_name": TOOL, "content": said} for said in (OSLO, BERGEN)),
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": GO_ON},
    ]


def _mini() -> list[Any]:
    def call(id_: str, given: str) -> Any:
        return {"type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": TOOL, "arguments": given}

    def response(*output: Any) -> Any:
        return {"id": "resp_1", "object": "response", "model": "gpt-5", "output": list(output), "extra": {}}

    def said(text: str) -> Any:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    def answered(id_: str, text: str) -> Any:
        return {"type": "function_call_output", "call_id": id_, "output": text, "extra": {"returncode": 0}}

    return [
        {"role": "user", "content": ASK},
        response(said("I look."), call(A, _oslo(True)), call(B, _bergen(True))),
        answered(A, OSLO),
        answered(B, BERGEN),
        response(said(ANSWER)),
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": GO_ON}]},
    ]


def _stream() -> list[Any]:
    def line(type_: str, **more: Any) -> Any:
        return {"type": type_, **more, "session_id": "6f1f9a52", "uuid": "0f1d7c1b"}

    def message(role: str, content: Any, parent: Any = None, **more: Any) -> Any:
        return line(role, message={"role": role, "content": content, **more}, parent_tool_use_id=parent)

    def block(number: int, **block: Any) -> Any:
        return message("assistant", [block], id=f"msg_{number}", type="message", model="claude-opus-5-5")

    def result(id_: str, text: str) -> Any:
        return message("user", [{"tool_use_id": id_, "type": "tool_result", "content": text, "is_error": False}])

    return [
        line("system", subtype="init", tools=[TOOL], model="claude-opus-5-5"),
        message("user", ASK),
        block(1, type="text", text="I look."),
        block(1, type="tool_use", id=A, name=TOOL, input=_oslo()),
        block(1, type="tool_use", id=B, name=TOOL, input=_bergen()),
        message("user", [{"type": "text", "text": "of a sub-agent"}], parent=A),
        result(A, OSLO),
        result(B, BERGEN),
        block(2, type="text", text=ANSWER),
        message("user", GO_ON),
        line("result", subtype="success", result=ANSWER, num_turns=2),
    ]


def made_lists() -> dict[str, MadeList]:
    """What it is called -> a list, new at each call."""
    use, snake = ("toolUse", "toolResult", "toolUseId"), ("tool_use", "tool_result", "tool_use_id")
    dicts = [{"type": fields["type"], "data": fields} for fields in _langchain()]
    call, response = "functionCall", "functionResponse"
    made = {
        "gemini list": MadeList("gemini-contents", _gemini(call, response)),
        "gemini without ids": MadeList("gemini-contents", _gemini(call, response, ids=False)),
        "gemini body": MadeList("gemini-contents", _gemini(call, response), lambda e: {"contents": e, "tools": []}),
        "gemini snake": MadeList("gemini-contents", _gemini("function_call", "function_response"), lines=True),
        "converse body": MadeList("bedrock-converse", _converse(*use), lambda e: {"modelId": "m", "messages": e}),
        "converse snake": MadeList("bedrock-converse", _converse(*snake), lines=True),
        "langchain dict": MadeList("langchain-dict", dicts),
        "langchain state": MadeList("langchain-state", _langchain(), lambda e: {"values": {"messages": e}, "next": []}),
        "langchain constructors": MadeList("langchain-constructor", _constructors()),
        "n8n": MadeList("langchain-constructor", _constructors(), lambda e: [{"action": "load", "chatHistory": e}]),
        "ui": MadeList("ai-sdk-ui", _ui("tool")),
        "ui dynamic": MadeList("ai-sdk-ui", _ui("dynamic"), lambda e: {"id": "c", "messages": e}),
        "model": MadeList("ai-sdk-model", _model()),
        "pydantic-ai": MadeList("pydantic-ai", _pydantic()),
        "adk": MadeList("google-adk", _adk(), lambda e: {"id": "s", "appName": "a", "events": e, "state": {}}),
        "livekit": MadeList("livekit", _items(), lambda e: {"items": e}),
        "agents sdk": MadeList("openai-agents", _responses(), lambda e: {"items": e}),
        "strands": MadeList("strands", _strands()),
        "semantic kernel": MadeList("semantic-kernel", _kernel(), lambda e: {"messages": e, "system_message": None}),
        "autogen": MadeList(
            "autogen-state",
            _autogen(),
            lambda e: {"agent_states": {"main": {"agent_state": {"llm_context": {"messages": e}}}}},
        ),
        "llamaindex": MadeList("llamaindex", _llamaindex(), lambda e: {"store": {"chat": e}}),
        "letta": MadeList("letta-af", _letta(), lambda e: {"agents": [{"id": "agent-0", "messages": e}], "blocks": []}),
        "openhands": MadeList("openhands-events", _openhands(), lines=True),
        "kiro": MadeList("kiro-cli", _kiro(), lines=True),
        "opencode": MadeList("opencode-export", _opencode(), lambda e: {"info": {"id": "ses_1"}, "messages": e}),
        "agent framework": MadeList(
            "agent-framework",
            _framework(),
            lambda e: {"type": "session", "session_id": "s", "state": {"in_memory": {"messages": e}}},
        ),
        "mastra": MadeList("mastra", _mastra()),
        "inspect": MadeList(
            "inspect-log", _inspect(), lambda e: {"version": 2, "eval": {}, "samples": [{"id": 1, "messages": e}]}
        ),
        "tau2": MadeList("tau2-bench", _tau(), lambda e: {"info": {}, "tasks": [], "simulations": [{"messages": e}]}),
        "ollama": MadeList("ollama-chat", _ollama(), lambda e: {"model": "m", "messages": e, "stream": False}),
        "mini-swe-agent": MadeList(
            "mini-swe-agent-responses", _mini(), lambda e: {"messages": e, "trajectory_format": "mini-swe-agent-1.1"}
        ),
        "stream-json": MadeList("claude-stream", _stream(), lines=True),
        "swe-agent": MadeList("swe-agent", _swe(), lambda e: {"trajectory": [], "history": e}),
    }
    return made


def responses() -> list[Any]:
    """Items of the Agents SDK, as its database has them."""
    return _responses()
