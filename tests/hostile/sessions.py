"""Sessions of every format with every field that is read anywhere: input for the fuzzer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests import (
    cline_sessions,
    continue_sessions,
    gemini_sessions,
    kimi_sessions,
    oh_my_pi_sessions,
    openclaw_sessions,
    qwen_sessions,
)
from tests.formats.claude_code_files import Log, call, text
from tests.pi_sessions import sound

Session = list[Any]
THREAD = "0c0ffee0-1234-4abc-8def-001122334455"


def claude_code() -> Session:
    """One record of each kind that the agent writes, with two broken pairs."""
    log = Log()
    log.note("file-history-snapshot", messageId="u0", snapshot={"messageId": "u0", "trackedFileBackups": {}})
    log.user("u0", "<command-name>/go</command-name>", isMeta=False, promptId="p0", origin={"kind": "human"})
    log.record(
        "attachment", "k0", attachment={"type": "environment", "toolUseID": "toolu_1"}, rendered=[{"content": "x"}]
    )
    log.says("a0", "m0", {"type": "thinking", "thinking": "hm", "signature": "s" * 20}, requestId="r0")
    log.says("a1", "m0", call("toolu_1"), requestId="r0")
    log.record(
        "progress", "g1", parentToolUseID="toolu_1", toolUseID="toolu_1",
        data={"type": "bash_progress", "fullOutput": "so far", "output": "so far"},
    )  # fmt: skip
    log.last = "a1"
    log.result(
        "r1", "a1", "toolu_1", "output 1", toolUseResult={"stdout": "output 1", "stderr": "", "interrupted": False}
    )
    log.record(
        "system", "c1", None, subtype="compact_boundary", content="compacted", logicalParentUuid="r1",
        compactMetadata={"trigger": "auto", "preTokens": 9, "preservedMessages": {"uuids": ["a1", "r1"]}},
    )  # fmt: skip
    log.user("s1", "the summary", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    log.note("api-request", params={"tools": [{"name": "Bash"}], "model": "m", "thinking": {"type": "enabled"}})
    sent = [{"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "output 2"}]}]
    log.note("api-request-blob", message={"role": "user", "content": sent})
    log.says("a2", "m2", text("I look."))
    log.says("a3", "m2", call("toolu_2"))
    log.says("a4", "m2", call("toolu_3", "Task"))
    log.result("r3", "a4", "toolu_3", [text("said")], toolUseResult=[{"type": "text", "text": "said"}], agentId="7c3e")
    log.record("system", "l3", subtype="local_command", content="<local-command-stdout>x</local-command-stdout>")
    log.user("u4", "go on", isSidechain=False)
    log.record("user", "z4", "u4", isSidechain=True, agentId="7c3e", message={"role": "user", "content": "aside"})
    log.last = "u4"
    log.says("e5", "m5", text("API Error: 500"), isApiErrorMessage=True, error={"status": 500})
    log.says("a6", "m6", call("toolu_6"), stop_reason="tool_use")
    log.result("r6", "a6", "toolu.6", "output 6")
    log.user("b6", "another way", parent="u4")
    log.note("queue-operation", operation="enqueue", content="later")
    log.note("summary", summary="about it", leafUuid="r6")
    log.note("last-prompt", lastPrompt="go on", leafUuid="r6")
    return log.values


def codex() -> Session:
    """A rollout with each kind of envelope, one call answered only in an event, one not at all."""
    values: Session = []

    def line(kind: str, payload: Any) -> None:
        values.append(
            {
                "timestamp": f"2026-11-21T09:12:{len(values):02}.000Z",
                "ordinal": len(values),
                "type": kind,
                "payload": payload,
            }
        )

    def item(kind: str, **fields: Any) -> None:
        line("response_item", {"type": kind, **fields})

    line(
        "session_meta",
        {"id": THREAD, "timestamp": "2026-11-21T09:12:00.000Z", "cwd": "/home/dev/shop", "originator": "codex_cli_rs",
         "cli_version": "0.169.0", "source": "cli", "history_mode": "paginated", "git": {"branch": "main"},
         "forked_from_id": None, "model_provider": "openai"},
    )  # fmt: skip
    line("event_msg", {"type": "task_started", "turn_id": "t1"})
    line("turn_context", {"turn_id": "t1", "cwd": "/home/dev/shop", "model": "gpt-5.5"})
    item("message", role="user", content=[{"type": "input_text", "text": "go"}])
    line("compacted", {"message": "the summary", "replacement_history": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the summary"}]}]})  # fmt: skip
    item("reasoning", id="rs_1", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="s" * 8)
    item("function_call", name="exec_command", arguments='{"cmd":"ls"}', call_id="call_1", id="fc_1")
    item("function_call", name="exec_command", arguments='{"cmd":"pwd"}', call_id="call_2")
    done = {"type": "CommandExecution", "id": "call_1", "status": "completed", "aggregated_output": "output 1",
            "exit_code": 0, "duration": {"secs": 0, "nanos": 1}}  # fmt: skip
    line("event_msg", {"type": "item_completed", "thread_id": THREAD, "turn_id": "t1", "item": done})
    item("function_call_output", call_id="call_2", output={"content": "output 2", "success": True})
    line("event_msg", {"type": "thread_rolled_back", "num_turns": 0})
    item("custom_tool_call", name="apply_patch", input="*** Begin Patch", status="completed", call_id="call_3")
    item("function_call_output", call_id="call_3", output="done")
    item("local_shell_call", call_id="call_4", status="completed", action={"type": "exec", "command": ["ls"]})
    line("event_msg", {"type": "turn_aborted", "turn_id": "t1", "reason": "interrupted"})
    item("function_call", name="exec_command", arguments="{}", call_id="call_5")
    item("function_call_output", call_id="call_5", output=[{"type": "input_text", "text": "output 5"}])
    item("message", role="assistant", content=[{"type": "output_text", "text": "done"}])
    return values


def roo() -> Session:
    """A Roo Code array with a summary and a truncation."""
    call_1 = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}}
    call_2 = {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {}}
    return [
        {"role": "user", "content": "go", "ts": 1},
        {"role": "assistant", "content": [call_1], "ts": 2, "condenseParent": "c1"},
        {"role": "user", "content": [text("the summary")], "ts": 3, "isSummary": True, "condenseId": "c1"},
        {"role": "user", "content": "cut", "ts": 4, "isTruncationMarker": True, "truncationId": "t1"},
        {"role": "assistant", "content": [text("I look."), call_2], "ts": 5},
        {"role": "user", "ts": 6, "truncationParent": "t1", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "old"},
            {"type": "tool_result", "tool_use_id": "toolu_2", "content": [text("output 2")], "is_error": False}]},
    ]  # fmt: skip


def anthropic() -> Any:
    """A request body."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 1024,
        "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tools": [{"name": "read", "description": "d", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"a": [1, {"b": None}]}},
                {"type": "tool_use", "id": "functions.read:2", "name": "read", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": [text("output 1"), image]},
                {"type": "tool_result", "tool_use_id": "functions_read_2", "content": "output 2", "is_error": True},
                text("and on")]},
        ],
    }  # fmt: skip


def chat() -> Session:
    """Chat messages, one call in the legacy form, one without a result."""
    function = {"name": "run", "arguments": '{"command": "ls"}'}
    return [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "go"}], "name": "me"},
        {"role": "assistant", "content": None, "refusal": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": function},
            {"id": "call_2", "type": "function", "function": function, "index": 1}]},
        {"role": "tool", "tool_call_id": "call_1", "name": "run", "content": [{"type": "text", "text": "output 1"}]},
        {"role": "assistant", "content": "", "function_call": function},
        {"role": "function", "name": "run", "content": "output 3"},
    ]  # fmt: skip


def responses() -> Any:
    """A request of the Responses API."""
    return {"model": "gpt-5", "tools": [{"type": "function", "name": "run"}], "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "s"},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "run", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "output 1"},
        {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "x"},
        {"type": "function_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "output 2"}]},
    ]}  # fmt: skip


def gemini() -> Session:
    """A log that was resumed, with results twice, a record taken back, and words that the agent leaves out."""
    data = gemini_sessions.corpus()["left_out_by_an_earlier_resume"].data
    made = [json.loads(line) for line in data.splitlines()]
    again = {"id": "again", "timestamp": "2026-11-21T08:05:00.000Z", "type": "user", "content": [{"text": "/srv/two"}]}
    call = gemini_sessions.tool_call("six", answered=False)
    last = {**again, "id": "last", "type": "gemini", "content": "And so.", "thoughts": [], "toolCalls": [call]}
    return [
        *made,
        again,
        {"$rewindTo": "again"},
        {**again, "id": "info", "type": "info"},
        {**again, "id": "more"},
        last,
    ]


def cline() -> Any:
    """Calls with and without results, words that are only shown, a file that was read twice."""
    made = cline_sessions.reads(3)
    made.says("I look.", "one", "two")
    made.result("two", error=True)
    made.add("user", [cline_sessions.words("shown")], metadata={"displayOnly": True})
    made.user("Go on.")
    return cline_sessions.document(made.records)


def continue_dev() -> Any:
    """Calls whose states have an output, none yet, or are those of another call; something attached."""
    history = continue_sessions.sound()
    history[0]["contextItems"] = [{"name": "notes.txt", "description": "a file", "content": "first line"}]
    history[2]["toolCallStates"][1].update(status="calling", output=[])
    history[2]["toolCallStates"][2]["toolCallId"] = "call_other"
    history[3]["conversationSummary"] = "They looked at everything."
    return continue_sessions.document(history)


def log_of_requests() -> Session:
    """One conversation per line."""
    return [anthropic(), {"request": {"body": json.dumps(anthropic())}, "id": 1}, {"messages": chat()}]


_LINES: dict[str, Callable[[], Session]] = {
    "claude-code": claude_code,
    "codex": codex,
    "pi": lambda: sound().records,
    "openclaw": lambda: openclaw_sessions.sound().records,
    "oh-my-pi": lambda: [oh_my_pi_sessions.title(), *oh_my_pi_sessions.sound().records],
    "gemini": gemini,
    "qwen": lambda: qwen_sessions.sound().records,
    "kimi": lambda: kimi_sessions.sound().records,
    "anthropic-lines": lambda: anthropic()["messages"],
    "chat-lines": chat,
    "log": log_of_requests,
}
_DOCUMENTS: dict[str, Callable[[], Any]] = {
    "roo": roo,
    "cline": cline,
    "continue": continue_dev,
    "anthropic": anthropic,
    "chat": chat,
    "responses": responses,
}


def _of_its_own(make: Callable[[], Any]) -> Callable[[], Any]:
    """No value stands in it twice, or in the sessions of other tests: one place is spoilt, and nothing else."""
    return lambda: json.loads(json.dumps(make()))


LINES = {name: _of_its_own(make) for name, make in _LINES.items()}
"""Those with one record per line."""
DOCUMENTS = {name: _of_its_own(make) for name, make in _DOCUMENTS.items()}


def written(name: str, value: Any) -> bytes:
    """The bytes of the session called `name`."""
    if name in LINES and isinstance(value, list):
        return b"".join(json.dumps(record).encode() + b"\n" for record in value)
    return json.dumps(value, indent=1).encode()
