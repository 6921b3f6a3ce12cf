"""Small sessions of agents that toolpair does not understand, each with a call that has no result, a record a line."""

from __future__ import annotations

from typing import Any, Final

Records = list[dict[str, Any]]
_ID: Final = "5a1f3c8e-7d42-4b6f-9e0a-1c2d3e4f5a6b"
_TIME: Final = "2026-02-14T03:02:25.825Z"


def _text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def _copilot_in_vscode() -> Records:
    started = {"sessionId": _ID, "version": 1, "producer": "copilot-agent", "copilotVersion": "0.37.6"}
    asks = [{"toolCallId": f"call_{n}", "name": "read_file", "arguments": "{}", "type": "function"} for n in (1, 2)]
    events: list[tuple[str, dict[str, Any]]] = [
        ("session.start", {**started, "vscodeVersion": "1.109.3", "startTime": _TIME}),
        ("user.message", {"content": "Read both.", "attachments": []}),
        ("assistant.turn_start", {"turnId": "0.0"}),
        ("assistant.message", {"messageId": f"{_ID[:-1]}0", "content": "", "toolRequests": asks, "reasoningText": ""}),
        ("tool.execution_start", {"toolCallId": "call_1", "toolName": "read_file", "arguments": {}}),
        ("tool.execution_complete", {"toolCallId": "call_1", "success": True}),
        ("tool.execution_start", {"toolCallId": "call_2", "toolName": "read_file", "arguments": {}}),
        ("assistant.turn_end", {"turnId": "0.0"}),
        ("user.message", {"content": "And?", "attachments": []}),
        ("assistant.message", {"messageId": f"{_ID[:-1]}1", "content": "It opens.", "toolRequests": []}),
    ]
    ids = [f"{_ID[:-2]}{number:02}" for number in range(len(events))]
    return [
        {"type": kind, "data": data, "id": id_, "timestamp": _TIME, "parentId": before}
        for (kind, data), id_, before in zip(events, ids, [None, *ids], strict=False)
    ]


def _agentv() -> Records:
    def call(number: int) -> dict[str, Any]:
        return {"tool": "Read", "input": {"path": "a"}, "output": "print('open')", "id": f"call-{number}"}

    said: Records = [
        {"role": "user", "content": "Read the file."},
        {"role": "assistant", "tool_calls": [call(1)]},
        {"role": "assistant", "content": "Again.", "tool_calls": [call(2)]},
        {"role": "user", "content": "And?"},
        {"role": "assistant", "content": "Done."},
    ]
    around = {"schema_version": "agentv.transcript.v1", "test_id": "t1", "target": "codex"}
    return [{**around, "message_index": number, **message} for number, message in enumerate(said)]


def _kimi_wire() -> Records:
    events = [
        ("TurnBegin", {"user_input": "Read a."}),
        ("ContentPart", {"type": "text", "text": "I read."}),
        ("ToolCall", {"type": "function", "id": "a:0", "function": {"name": "Read", "arguments": "{}"}}),
        ("TurnBegin", {"user_input": "And?"}),
        ("TurnEnd", {}),
    ]
    head: Records = [{"type": "metadata", "protocol_version": "1.3"}]
    return head + [{"timestamp": 1.5, "message": {"type": kind, "payload": payload}} for kind, payload in events]


def _said(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(parts)}


def _use(number: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "Read", "input": {"path": "a"}}


def _result(number: int) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": "print('open')"}


_TALK: Final = (
    _said("user", _text("Read both.")),
    _said("assistant", _use(1)),
    _said("user", _result(1)),
    _said("assistant", _use(2)),
    _said("user", _text("And?")),
    _said("assistant", _text("It opens.")),
)


def _droid() -> Records:
    head: Records = [{"type": "session_start", "id": _ID, "title": "A", "owner": "dev", "version": 2, "cwd": "/"}]
    ids = [f"{_ID[:-2]}{number:02}" for number in range(len(_TALK))]
    linked = zip(_TALK, ids, [None, *ids], strict=False)
    return head + [
        {"type": "message", "id": id_, "timestamp": _TIME, "message": message, "parentId": before}
        for message, id_, before in linked
    ]


def _cursor() -> Records:
    return [{"role": message["role"], "message": {"content": message["content"]}} for message in _TALK]


def _iflow() -> Records:
    ids = [f"{_ID[:-2]}{number:02}" for number in range(len(_TALK))]
    around = {"sessionId": f"session-{_ID}", "timestamp": _TIME, "isSidechain": False, "userType": "external"}
    around |= {"cwd": "/", "version": "0.5.1"}
    return [
        {"uuid": id_, "parentUuid": before, **around, "type": message["role"], "message": message}
        for message, id_, before in zip(_TALK, ids, [None, *ids], strict=False)
    ]


def _amp() -> Records:
    messages = [{**message, "messageId": number} for number, message in enumerate(_TALK)]
    return [{"v": 3, "id": f"T-{_ID}", "created": 1784606400000, "messages": messages}]


def _deepseek() -> Records:
    called = {"type": "tool_call", "id": "call_1", "name": "bash", "arguments": "{}"}
    events = [
        ("turn/start", {"turn": 1, "trigger": {"kind": "message"}}),
        ("user/message", {"content": [_text("Which day is it?")], "role": "user", "id": _ID}),
        ("assistant/message", {"content": [called], "role": "assistant", "id": "m2"}),
        ("turn/end", {"turn": 1}),
    ]
    head: Records = [{"type": "session", "version": 0, "id": "main", "createdAt": 1784606400000, "cwd": "/work"}]
    return head + [
        {"type": kind, "seq": number, "time": 1784606400000, "data": data} for number, (kind, data) in enumerate(events)
    ]


FOREIGN: Final[dict[str, Records]] = {
    "what Kimi CLI showed of a session": _kimi_wire(),
    "an Amp thread": _amp(),
    "a session of Factory's Droid": _droid(),
    "a transcript of Cursor's agent": _cursor(),
    "a transcript of Copilot in VS Code": _copilot_in_vscode(),
    "a session of iFlow's command line": _iflow(),
    "a transcript of AgentV": _agentv(),
    "a session of DeepSeek's agent": _deepseek(),
}
