"""Small rollouts in Codex's format, built record by record, with checks shared by tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.dialects.block_texts import result_text
from toolpair.formats.codex import FORMAT
from toolpair.formats.format import Item, SentRequest
from toolpair.session.session import Session, open_session
from toolpair.transcript.model import Block, Transcript

THREAD = "01a1fd17-7a6c-7c11-9e18-deaa896459f4"
NAME = f"rollout-2026-11-21T07-52-16-{THREAD}.jsonl"
FOLDER = "/home/dev/my project"
OUTPUT = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": "tool_search_output",
}


class Rollout:
    """A file that grows. With `paginated`, records are numbered."""

    def __init__(self, paginated: bool = True, first: int = 0, **meta: Any) -> None:
        self.values: list[dict[str, Any]] = []
        self.paginated = paginated
        self.first = first
        self.turn = "t0"
        payload = {
            "id": THREAD,
            "timestamp": "2026-11-21T07:52:16.000Z",
            "cwd": FOLDER,
            "originator": "codex_exec",
            "cli_version": "0.169.0",
            "source": "exec",
            **({"history_mode": "paginated"} if paginated else {}),
            **meta,
        }
        self.record("session_meta", payload)

    def record(self, type_: str, payload: dict[str, Any]) -> dict[str, Any]:
        number = len(self.values)
        value: dict[str, Any] = {"timestamp": f"2026-11-21T07:{number // 60:02d}:{number % 60:02d}.000Z"}
        if self.paginated:
            value["ordinal"] = self.first + number
        value |= {"type": type_, "payload": payload}
        self.values.append(value)
        return value

    def item(self, type_: str, **fields: Any) -> dict[str, Any]:
        return self.record("response_item", {"type": type_, **fields})

    def event(self, type_: str, **fields: Any) -> dict[str, Any]:
        return self.record("event_msg", {"type": type_, **fields})

    def begins(self, turn: str, words: str) -> None:
        """A turn, and the user's text in it."""
        self.turn = turn
        self.event("task_started", turn_id=turn)
        self.record("turn_context", {"turn_id": turn, "cwd": FOLDER, "model": "gpt-5.5"})
        self.user(words)

    def ends(self) -> None:
        self.event("task_complete", turn_id=self.turn)

    def user(self, words: str, role: str = "user") -> dict[str, Any]:
        return self.item("message", role=role, content=[{"type": "input_text", "text": words}])

    def says(self, words: str) -> dict[str, Any]:
        return self.item("message", role="assistant", content=[{"type": "output_text", "text": words}])

    def thinks(self, id_: str = "rs_1") -> dict[str, Any]:
        return self.item("reasoning", id=id_, summary=[], encrypted_content="abc")

    def uses(self) -> None:
        """The record after each model response."""
        self.record("token_usage_record", {"usage": {}})

    def call(self, id_: str, type_: str = "function_call", name: str = "exec_command", **more: Any) -> dict[str, Any]:
        kinds: dict[str, dict[str, Any]] = {
            "function_call": {"name": name, "arguments": '{"cmd": "ls"}'},
            "custom_tool_call": {"name": name, "input": "*** Begin Patch"},
            "local_shell_call": {"status": "completed", "action": {"type": "exec", "command": ["ls"]}},
            "tool_search_call": {"execution": "client", "arguments": {"query": "x"}},
        }
        return self.item(type_, **kinds[type_], call_id=id_, **more)

    def output(self, id_: str, text: str = "done", type_: str = "function_call", **more: Any) -> dict[str, Any]:
        if type_ == "tool_search_call":
            return self.item("tool_search_output", call_id=id_, status="completed", execution="client", tools=[])
        return self.item(OUTPUT[type_], call_id=id_, output=text, **more)

    def ran(self, id_: str, text: str, code: int = 0) -> dict[str, Any]:
        """The event of a finished command."""
        item = {
            "type": "CommandExecution",
            "id": id_,
            "status": "completed",
            "aggregated_output": text,
            "exit_code": code,
            "duration": {"secs": 1, "nanos": 250_000_000},
        }
        return self.event("item_completed", item=item, turn_id=self.turn)

    def compacted(self, history: Sequence[dict[str, Any]] | None, message: str = "SUMMARY", **more: Any) -> None:
        payload: dict[str, Any] = {"message": message, **more}
        if history is not None:
            payload["replacement_history"] = list(history)
        self.record("compacted", payload)

    def remove(self, *values: dict[str, Any]) -> None:
        """Remove records and renumber the others as if they had never existed."""
        self.values = [value for value in self.values if not any(value is found for found in values)]
        if self.paginated:
            for number, value in enumerate(self.values, self.first):
                value["ordinal"] = number

    @property
    def items(self) -> list[Item]:
        return [Item(uid, value) for uid, value in enumerate(self.values)]

    @property
    def data(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    @property
    def lines(self) -> list[bytes]:
        return [json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() for value in self.values]

    def session(self) -> Session:
        return open_session(NAME, data=self.data)


def read(made: Rollout) -> Transcript:
    return FORMAT.read(made.items)


def blocks(transcript: Transcript, kind: str) -> list[Block]:
    return [block for message in transcript.messages for block in message.blocks if block.kind == kind]


def shape(transcript: Transcript) -> list[str]:
    """One word for each block, for comparisons."""
    return [_word(block) for message in transcript.messages for block in message.blocks]


def _word(block: Block) -> str:
    if block.kind == "call":
        return f"call {block.id}"
    if block.kind == "result":
        return f"out {block.id} {result_text(block)}"
    if block.kind == "text":
        return f"{block.value['role']}: {' '.join(part['text'] for part in block.value['content'])}"
    return str(block.value["type"])


def values_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def ordinals(data: bytes) -> list[int]:
    return [value["ordinal"] for value in values_of(data)]


def items_of(values: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The payloads of the response items."""
    return [value["payload"] for value in values if value["type"] == "response_item"]


def items_sent(seen: SentRequest) -> list[Any]:
    """The items of the request."""
    return [part.value for message in seen.messages for part in message.parts]


def line_changes(before: bytes, after: bytes) -> tuple[list[bytes], list[bytes]]:
    """(removed lines, added lines), ignoring ordinals."""
    old, new = list(map(_bare, before.splitlines())), list(map(_bare, after.splitlines()))
    return [line for line in old if line not in new], [line for line in new if line not in old]


def _bare(line: bytes) -> bytes:
    start = line.find(b'"ordinal":')
    return line if start < 0 else line[:start] + line[line.index(b",", start) + 1 :]
