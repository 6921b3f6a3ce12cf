"""Writing Anthropic messages: results are blocks of the next user message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic import block_of
from toolpair.dialects.foreign_parts import foreign_part, left_of
from toolpair.dialects.writer import Writer
from toolpair.transcript.draft import DraftBlock

_CALLS: Final = ("call", "server_call", "mcp_call")


_WHOLE: Final = ((), ("message",))
"""Slots of messages, in lists and in records."""


class AnthropicWriter(Writer):
    def renamed(self, block: DraftBlock, id_: str) -> Any:
        return {**block.value, "id" if block.kind in _CALLS else "tool_use_id": id_}

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        value: dict[str, Any] = {"type": "tool_result", "tool_use_id": id_ or call.id, "content": content}
        if is_error:
            value["is_error"] = True
        return DraftBlock("result", value, value["tool_use_id"])

    def block(self, value: Any) -> DraftBlock:
        read = block_of(value, 0, ())
        return DraftBlock(read.kind, value, read.id)

    def said(self, text: str) -> Any:
        return {"type": "text", "text": text}

    def holder(self, role: str) -> dict[str, Any]:
        return {"role": role, "content": []}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        if any(block.source is not None and block.source.form and block.slot in _WHOLE for block in found):
            value = left_of(value) | self.holder("assistant" if found[0].kind == "call" else "user")
        beside = [block for block in found if _is_beside(block)]
        if isinstance(calls := value.get("tool_calls"), list):
            kept = [call for call in calls if foreign_part(call) is None]
            kept += [block.written for block in beside if is_as_read(block)]
            value = {key: field for key, field in value.items() if key != "tool_calls" or kept}
            value |= {"tool_calls": kept} if kept else {}
        values = [written(block) for block in found if not (_is_beside(block) and is_as_read(block))]
        if isinstance(value.get("content"), str) and len(values) == 1 and isinstance(values[0], str):
            return {**value, "content": values[0]}
        if not values and beside:
            return value
        return {
            **value,
            "content": [{"type": "text", "text": part} if isinstance(part, str) else part for part in values],
        }

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        content = value.get("content") if isinstance(value, dict) else None
        if not isinstance(content, list):
            return known
        placed = {block.slot[-1]: block for block in known if block.slot and block.slot[-2:-1] == ("content",)}
        others = [block for block in known if not block.slot or block.slot[-2:-1] != ("content",)]
        if len(placed) == len(content) or any(not block.slot or len(block.slot) < 2 for block in others):
            return known
        completed: list[DraftBlock] = []
        for number, part in enumerate(content):
            block = placed.get(number)
            if block is None:
                hidden = block_of(part, 0, ("content", number))
                block = DraftBlock(hidden.kind, part, hidden.id, hidden.slot)
            completed.append(block)
        return [*completed, *others]


def is_as_read(block: DraftBlock) -> bool:
    """Whether it is another API's block that no edit has changed."""
    return block.source is not None and bool(block.source.form) and block.value is block.source.value


def written(block: DraftBlock) -> Any:
    """What is written for a block: its value, or what the file has for another API's block that did not change."""
    return block.written if is_as_read(block) else block.value


def _is_beside(block: DraftBlock) -> bool:
    return block.slot is not None and block.slot[-2:-1] == ("tool_calls",)


WRITER: Final = AnthropicWriter()
