"""A session of Claude Code that records its own requests, as its newer versions do."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

JSON = Any

SYSTEM = [{"type": "text", "text": "the recorded system prompt"}]
TOOLS = [{"name": "Bash", "description": "Runs.", "input_schema": {"type": "object", "properties": {"command": {}}}}]
BETAS = ["claude-code-20250219", "context-management-2025-06-27"]
PARAMS = {
    "model": "claude-sonnet-4-5",
    "betas": BETAS,
    "max_tokens": 32000,
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
}


def hash_of(message: JSON) -> str:
    written = json.dumps(message, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(written.encode()).hexdigest()


class Recording:
    """Writes a session of several turns, and keeps each request as it was sent."""

    def __init__(self) -> None:
        self.records: list[JSON] = []
        self.sent: list[JSON] = []
        self._messages: list[JSON] = []
        self._parent: str | None = None
        self._shape = "5" * 64
        self._add({"type": "api-request-shape", "shapeHash": self._shape, "shape": {"system": SYSTEM, "tools": TOOLS}})

    def user(self, text: str) -> None:
        """What the user types; the agent sends a reminder with it, which the record does not have."""
        self._record("user", {"role": "user", "content": text})
        reminder = {"type": "text", "text": f"<system-reminder>\nsent with {text}\n</system-reminder>"}
        self._messages.append({"role": "user", "content": [reminder, {"type": "text", "text": text}]})

    def answer(self, *blocks: JSON) -> None:
        """A request, and the response to it, a record for each block."""
        number = len(self.sent) + 1
        kept = len(self.sent[-1]["messages"]) if self.sent else 0
        marked = {"path": ["messages", len(self._messages) - 1, "content", 0], "value": {"type": "ephemeral"}}
        for message in self._messages[kept:]:
            if message["role"] == "user":
                self._add({"type": "api-request-blob", "hash": hash_of(message), "message": message})
        base = {"base": f"request-{number - 1}"} if self.sent else {}
        tail = [hash_of(message) for message in self._messages[kept:]]
        request = {"id": f"request-{number}", **base, "keep": kept, "tail": tail, "cacheControl": [marked]}
        self._add({"type": "api-request", **request, "shapeHash": self._shape, "params": PARAMS, "querySource": "sdk"})
        messages = copy.deepcopy(self._messages)
        messages[-1]["content"][0]["cache_control"] = {"type": "ephemeral"}
        self.sent.append({"messages": messages})
        for block in blocks:
            message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
            self._record("assistant", {**message, "content": [block]}, requestRef=f"request-{number}")
        self._messages.append({"role": "assistant", "content": list(blocks)})

    def result(self, id_: str, text: str) -> None:
        block = {"type": "tool_result", "tool_use_id": id_, "content": text}
        self._record("user", {"role": "user", "content": [block]})
        sent = {**block, "content": f"{text}\n\n<system-reminder>\nafter {id_}\n</system-reminder>"}
        self._messages.append({"role": "user", "content": [sent]})

    def to_bytes(self) -> bytes:
        return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in self.records).encode()

    def _record(self, type_: str, message: JSON, **more: JSON) -> None:
        uuid = f"00000000-0000-4000-8000-{len(self.records):012d}"
        time = f"2026-11-21T08:00:{len(self.records):02d}.000Z"
        links = {"parentUuid": self._parent, "uuid": uuid, "isSidechain": False, "timestamp": time}
        self._add({"type": type_, **links, "cwd": "/home/dev/shop", "userType": "external", **more, "message": message})
        self._parent = uuid

    def _add(self, record: JSON) -> None:
        self.records.append({**record, "sessionId": "7c3e1b2a-0000-4000-8000-000000000000", "version": "2.1.329"})


def recording() -> Recording:
    """Three turns with a call, the last one an answer to a second question."""
    made = Recording()
    made.user("count the lines")
    made.answer({"type": "text", "text": "I count."}, call("toolu_1"), call("toolu_2"))
    made.result("toolu_1", "one")
    made.result("toolu_2", "two")
    # The agent sends results in one message.
    second = made._messages.pop()
    made._messages[-1]["content"] += second["content"]
    made.answer({"type": "text", "text": "Done."})
    made.user("and now?")
    made.answer(call("toolu_3"))
    made.result("toolu_3", "three")
    return made


def call(id_: str) -> JSON:
    return {"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": "wc -l"}}
