"""A session file as Claude Code 2.1 writes it: a record for each block, linked by uuid, with its notes beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from benchmarks.sessions.contents import Image
from benchmarks.sessions.story import Call, Closing, Exchange, Prompt, Result, Step, Words
from benchmarks.sessions.writer import Json, Writer, anthropic_content

MODEL: Final = "claude-sonnet-4-5"
_USAGE: Final = {
    "input_tokens": 10,
    "cache_creation_input_tokens": 512,
    "cache_read_input_tokens": 48_000,
    "output_tokens": 210,
    "output_tokens_details": {"thinking_tokens": 0},
    "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
    "service_tier": "standard",
    "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 512},
    "inference_geo": "",
    "iterations": [],
    "speed": "standard",
    "fallback_credit": None,
}
_PARAMS: Final = {
    "model": MODEL,
    "betas": ["claude-code-20250219", "interleaved-thinking-2025-05-14", "context-management-2025-06-27"],
    "max_tokens": 32_000,
    "thinking": {"budget_tokens": 31_999, "type": "enabled", "display": "omitted"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
}


class ClaudeCode(Writer):
    OVERHEAD: ClassVar[int] = 5_200
    COPIES: ClassVar[float] = 3.2

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._session = self.uuid()
        self._last: str | None = None
        self._prompt = ""
        self._prompt_id = ""
        self._turn = 0
        self._tokens = 15_000_000
        self._requests = 0

    def begin(self) -> Iterator[Json]:
        yield {"type": "mode", "mode": "normal", "sessionId": self._session}

    def records(self, step: Step) -> Iterator[Json]:
        if isinstance(step, Prompt):
            return self._prompted(step)
        if isinstance(step, Closing):
            return self._closed(step)
        return self._exchanged(step)

    def _prompted(self, step: Prompt) -> Iterator[Json]:
        self._prompt, self._prompt_id = step.text, self.uuid()
        self._turn += 1
        queue = {
            "type": "queue-operation",
            "operation": "enqueue",
            "timestamp": self.time(),
            "sessionId": self._session,
        }
        yield queue | {"content": step.text}
        yield queue | {"operation": "dequeue", "timestamp": self.time(3)}
        yield self._linked(
            "user",
            {"role": "user", "content": step.text},
            promptId=self._prompt_id,
            permissionMode="default",
            promptSource="sdk",
            turnOrigin="sdk",
            turnPosition={"promptIndex": self._turn - 1, "turnIndex": self._turn},
        )
        yield self._reminder()

    def _closed(self, step: Closing) -> Iterator[Json]:
        yield self._said(self._message_id(), {"type": "text", "text": step.text}, "end_turn", 0)
        yield self._last_prompt()
        yield {
            "type": "cost-state",
            "sessionId": self._session,
            "totalCostUSD": round(0.0125 * self._turn, 4),
            "totalAPIDuration": self._clock // 2,
            "totalToolDuration": self._clock // 5,
            "totalDuration": self._clock,
            "startTime": self.epoch - self._clock,
            "modelUsage": {MODEL: {"inputTokens": self._requests * 10, "outputTokens": self._requests * 210}},
            "hasUnknownModelCost": False,
        }

    def _exchanged(self, step: Exchange) -> Iterator[Json]:
        message = self._message_id()
        blocks: list[Json] = []
        if step.thought is not None:
            signature = f"{self._rng.getrandbits(2048):0512x}"
            blocks.append({"type": "thinking", "thinking": step.thought, "signature": signature})
        if step.said is not None:
            blocks.append({"type": "text", "text": step.said})
        homes: dict[int, str] = {}
        for index, block in enumerate(blocks):
            yield self._said(message, block, "tool_use", index)
        for index, call in enumerate(step.calls, len(blocks)):
            block = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}
            yield self._said(message, block, "tool_use", index)
            homes[id(call)] = self._last or ""
        yield self._last_prompt()
        sent: list[Json] = []
        home = self._last
        for answer in step.answers:
            if isinstance(answer, Words):
                yield self._linked("user", {"role": "user", "content": answer.text}, promptId=self._prompt_id)
                continue
            block = {"tool_use_id": answer.id, "type": "tool_result", "content": anthropic_content(answer)}
            if answer.error or (answer.call and answer.call.name == "Bash"):
                block["is_error"] = answer.error
            sent.append(block)
            home = homes.get(id(answer.call), home)
            yield self._linked(
                "user",
                {"role": "user", "content": [block]},
                parent=home,
                promptId=self._prompt_id,
                toolUseResult=_tool_use_result(answer),
                sourceToolAssistantUUID=home,
                permissionDecision={"decision": "accept", "source": "config", "reasonType": "mode"},
            )
        yield self._reminder()
        yield from self._request(sent)
        yield {"type": "tools-used", "tools": ["Bash", "Edit", "Grep", "Read"], "sessionId": self._session}

    def _request(self, sent: list[Json]) -> Iterator[Json]:
        """What the agent notes of the request that takes the results to the model."""
        hash_ = self.hex(64)
        if sent:
            message = {"role": "user", "content": sent}
            yield {"type": "api-request-blob", "sessionId": self._session, "hash": hash_, "message": message}
        yield {
            "type": "api-request",
            "sessionId": self._session,
            "id": self.uuid(),
            "timestamp": self.time(),
            "version": "2.1.329",
            "querySource": "sdk",
            "shapeHash": "4cc0baf564fc3a551734a8df1aa3875bb7afd4dd0e3ce031cbd890100c222d10",
            "params": _PARAMS,
            "base": self.uuid(),
            "keep": 1,
            "tail": [self.hex(64), hash_],
            "cacheControl": [{"path": ["system", 0], "value": {"type": "ephemeral"}}],
            "requestDigest": self.hex(64),
        }

    def _said(self, message: str, block: Json, stop: str, index: int) -> Json:
        content = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": _USAGE,
            "stop_details": None,
        }
        return self._linked(
            "assistant",
            content,
            apiBlockIndex=index,
            requestId=f"req_01{self._requests:022d}",
            requestedModel=MODEL,
            promptCacheRequested="5m",
            perTurnEffort=None,
            madeBy="model",
        )

    def _reminder(self) -> Json:
        self._tokens -= 15
        text = f"<total_tokens>{self._tokens} tokens left</total_tokens>"
        return self._linked(
            "attachment",
            None,
            attachment={"type": "total_tokens_reminder", "text": text},
            rendered=[{"content": f"<system-reminder>\n{text}\n</system-reminder>"}],
            renderedRole="system",
        )

    def _last_prompt(self) -> Json:
        return {"type": "last-prompt", "lastPrompt": self._prompt, "leafUuid": self._last, "sessionId": self._session}

    def _message_id(self) -> str:
        self._requests += 1
        return f"msg_01{self._requests:022d}"

    def _linked(self, type_: str, message: Json | None, parent: str | None = None, **more: Any) -> Json:
        """A record of the chain; it hangs on the last one unless it has a parent of its own."""
        uuid = self.uuid()
        record: Json = {"parentUuid": parent or self._last, "isSidechain": False, "type": type_}
        if message is not None:
            record["message"] = message
        record |= {"uuid": uuid, "timestamp": self.time()} | more
        record |= {
            "userType": "external",
            "entrypoint": "sdk-cli",
            "cwd": "/home/dev/shop",
            "sessionId": self._session,
            "version": "2.1.329",
            "gitBranch": "main",
        }
        self._last = uuid
        return record


def _tool_use_result(answer: Result) -> Any:
    """What the agent keeps of an output for its own screen: the text once more, in the form of the tool."""
    output = answer.content
    name = answer.call.name if answer.call is not None else "Bash"
    if isinstance(output, Image):
        shown = {"base64": output.data, "type": "image/png", "originalSize": output.size}
        return {"type": "image", "file": shown}
    if answer.error:
        return f"Error: {output}"
    if name == "Bash":
        return {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    lines = output.count("\n") + 1
    arguments = answer.call.arguments if isinstance(answer.call, Call) else {}
    if name == "Grep":
        return {"mode": "content", "numFiles": 0, "filenames": [], "content": output, "numLines": lines}
    if name == "Edit":
        return {
            "filePath": arguments["file_path"],
            "oldString": arguments["old_string"],
            "newString": arguments["new_string"],
            "originalFile": output,
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
        }
    file = {"filePath": arguments.get("file_path", ""), "content": output, "numLines": lines}
    return {"type": "text", "file": file | {"startLine": 1, "totalLines": lines}}
