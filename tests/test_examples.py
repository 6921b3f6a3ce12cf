"""The programs in `examples/`, run with their SDKs and a transport that records the request in place of a network."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import toolpair

pytestmark = pytest.mark.usefixtures("sdks")
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Recorder:
    """Answers each request with the next of `answers`, and keeps what was sent. `http` is what the SDK stands on."""

    def __init__(self, sdk: Any, *answers: dict[str, Any]) -> None:
        base = importlib.import_module(f"{sdk.__name__}._base_client")
        self.http = next(module for name in ("httpx", "httpx2") if (module := getattr(base, name, None)) is not None)
        self.answers = list(answers)
        self.sent: list[dict[str, Any]] = []

    def answer(self, request: Any) -> Any:
        self.sent.append(json.loads(request.content))
        return self.http.Response(200, json=self.answers.pop(0))

    def client(self) -> Any:
        return self.http.Client(transport=self.http.MockTransport(self.answer))


def test_anthropic_s_sdk() -> None:
    anthropic = pytest.importorskip("anthropic")
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [{"type": "text", "text": "I look.", "citations": None}, call],
    }
    recorder = Recorder(anthropic, answer, answer)
    client = anthropic.Anthropic(api_key="none", http_client=recorder.client())
    example, messages = load("anthropic_sdk"), [{"role": "user", "content": "list the files"}]
    example.ask(client, messages)
    own = messages[1]["content"][1]
    assert type(own).__module__.startswith("anthropic.")
    messages.append({"role": "user", "content": "and now?"})  # the call stays without a result
    example.ask(client, messages)
    sent = recorder.sent[1]["messages"]
    assert messages[1]["content"][1] is own
    assert sent[1]["content"][1] == call
    result, words = sent[2]["content"]
    assert (result["type"], result["tool_use_id"], result["is_error"]) == ("tool_result", "toolu_1", True)
    assert words == {"type": "text", "text": "and now?"}
    assert toolpair.check(sent, "anthropic").ok


def test_openai_s_sdk() -> None:
    openai = pytest.importorskip("openai")
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "refusal": None, "annotations": [], "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message}
    answer = {"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [choice]}
    recorder = Recorder(openai, answer, answer)
    client = openai.OpenAI(api_key="none", http_client=recorder.client())
    example, messages = load("openai_sdk"), [{"role": "user", "content": "go"}]
    example.ask(client, messages)
    own = messages[1]
    assert type(own).__name__ == "ChatCompletionMessage"
    messages.append({"role": "user", "content": "and?"})
    with pytest.raises(toolpair.InvalidMessages, match="run was called"):
        example.ask(client, messages)
    assert len(recorder.sent) == 1, "what would be refused is not sent"
    messages[:] = toolpair.guard(messages, mode="repair")
    assert messages[1] is own
    example.ask(client, messages)
    sent = recorder.sent[1]["messages"]
    assert sent[1]["tool_calls"] == [call] and sent[2]["tool_call_id"] == "call_1"
    assert toolpair.check(sent, "openai-chat").ok


def test_openai_s_responses() -> None:
    openai = pytest.importorskip("openai")
    items = [
        {"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": None},
        {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "run", "arguments": "{}", "status": "completed"},
    ]  # fmt: skip
    words = {"type": "output_text", "text": "done", "annotations": [], "logprobs": []}
    said = [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [words]}]
    base = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-5", "parallel_tool_calls": True}
    base |= {"tools": [], "tool_choice": "auto", "error": None, "incomplete_details": None, "instructions": None}
    recorder = Recorder(openai, base | {"output": items}, base | {"output": said})
    client = openai.OpenAI(api_key="none", http_client=recorder.client())
    example, history = load("openai_sdk"), [{"role": "user", "content": "go"}]
    example.respond(client, history)
    own = history[2]
    assert type(own).__name__ == "ResponseFunctionToolCall"
    history.append({"role": "user", "content": "and?"})
    assert example.respond(client, history) == "done"
    assert history[2] is own
    sent = recorder.sent[1]["input"]
    assert [one.get("type", one.get("role")) for one in sent] == [
        "user",
        "reasoning",
        "function_call",
        "function_call_output",
        "user",
    ]
    assert sent[3]["call_id"] == "call_1"
    assert toolpair.check(sent).ok and toolpair.check(sent).profile == "openai-responses"


def test_litellm_s_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("litellm", "litellm.integrations", "litellm.integrations.custom_logger"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules["litellm.integrations.custom_logger"].CustomLogger = type("CustomLogger", (), {})  # type: ignore[attr-defined]
    hook = load("litellm_hook").proxy_handler_instance
    call = {"id": "call_1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    broken: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "and?"},
    ]

    def passed(data: dict[str, Any], call_type: str) -> dict[str, Any]:
        given: dict[str, Any] = asyncio.run(hook.async_pre_call_hook(None, None, data, call_type))
        return given

    sent = passed({"model": "m", "messages": broken}, "completion")
    assert sent["model"] == "m" and toolpair.check(sent["messages"]).ok and len(broken) == 3
    assert passed({"model": "m", "input": "embed me"}, "embeddings") == {"model": "m", "input": "embed me"}
    with pytest.warns(RuntimeWarning, match="unchecked"):
        odd: list[Any] = [{"role": "user", "parts": []}]
        assert passed({"messages": odd}, "completion")["messages"] is odd
