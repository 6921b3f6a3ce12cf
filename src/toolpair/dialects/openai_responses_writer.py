"""Writing items of the Responses API: each is one block, and one message of the draft."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.dialects.item_types import OUTPUT_OF
from toolpair.dialects.writer import Writer
from toolpair.transcript.draft import DraftBlock

_TURN: Final = "internal_chat_message_metadata_passthrough"


class ItemWriter(Writer):
    results_are_messages = True
    answers_first = True
    reasoning_goes_with_calls = True

    def renamed(self, block: DraftBlock, id_: str) -> Any:
        return {**block.value, "call_id": id_}

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        value = _output(call.value, call, content, id_)
        return DraftBlock("result", value, value["call_id"], call_kind=call.call_kind)

    def stands_alone(self, block: DraftBlock) -> bool:
        return True

    def said(self, text: str) -> Any:
        return self.message("assistant", text)

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        kind = "output_text" if role == "assistant" else "input_text"
        if isinstance(content, str):
            parts: list[Any] = [{"type": kind, "text": content}]
        else:
            parts = [{**part, "type": kind} if part.get("type") == "text" else part for part in content]
        return {"type": "message", "role": role, "content": parts}

    def holder(self, role: str) -> dict[str, Any]:
        return self.message(role, [])

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        return next((block.value for block in blocks), value)


class InputWriter(ItemWriter):
    """Items of a request's input, where assistant text is a plain string."""

    def finished(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        if value.keys() != {"type", "role", "content"} or value["role"] != "assistant":
            return value
        parts = value["content"]
        if not isinstance(parts, list) or not parts:
            return value
        if any(part.keys() != {"type", "text"} or part["type"] != "output_text" for part in parts):
            return value
        return {**value, "content": "\n".join(part["text"] for part in parts)}


def _output(item: dict[str, Any], call: DraftBlock, content: Any, id_: str | None) -> dict[str, Any]:
    """An output item of the family that answers the call."""
    made: dict[str, Any] = {
        "type": OUTPUT_OF[call.call_kind or "function"],
        "call_id": id_ or item.get("call_id") or call.id,
    }
    if call.call_kind == "tool_search":
        tools = content if isinstance(content, list) and all(isinstance(part, dict) for part in content) else []
        return {**made, "status": "completed", "execution": item.get("execution") or "client", "tools": tools}
    parts = isinstance(content, list) and all(
        isinstance(part, dict) and str(part.get("type")).startswith("input_") for part in content
    )
    made["output"] = content if isinstance(content, str) or parts else text_of(content)
    turn = item.get(_TURN)
    if isinstance(turn, dict) and isinstance(turn.get("turn_id"), str):
        made[_TURN] = {"turn_id": turn["turn_id"]}
    return made


WRITER: Final = ItemWriter()
INPUT_WRITER: Final = InputWriter()
