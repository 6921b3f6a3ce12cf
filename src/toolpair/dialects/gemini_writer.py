"""Writing Gemini's parts: blocks are Anthropic's, as they are read, and each is spelled as a part again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.gemini import part_of
from toolpair.transcript.draft import DraftBlock


class GeminiWriter(AnthropicWriter):
    """Results are parts of the next user message. `key`: the field of a message that has its parts."""

    model = "model"
    """The role of what the model says."""

    def __init__(self, key: str = "parts") -> None:
        self.key = key

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        made = super().result(call, content, is_error, id_)
        made.value["name"] = _name_of(call)
        return made

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        parts = [content] if isinstance(content, str) else content
        return {**self.holder(role), self.key: [part_of(part, None, None) for part in parts]}

    def holder(self, role: str) -> dict[str, Any]:
        return {"role": self.model if role == "assistant" else role, self.key: []}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        content = value.get(self.key)
        if isinstance(content, str) and len(found) == 1 and isinstance(found[0].value, str):
            return {**value, self.key: found[0].value}
        return {**value, self.key: [part_of(block.value, block.source, block.written) for block in found]}

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        return known


class GeminiResultWriter(GeminiWriter):
    """The same where results are messages of their own."""

    results_are_messages = True

    def result(self, call: DraftBlock, content: Any, is_error: bool, id_: str | None) -> DraftBlock:
        made = super().result(call, content, is_error, id_)
        made.value = {**self.holder("user"), self.key: [part_of(made.value, None, None)]}
        return made

    def words(self, result: Any, content: str | list[Any]) -> dict[str, Any]:
        return {**result, **self.message("user", content)}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        if len(found) == 1 and found[0].kind == "result" and found[0].source is None:
            return found[0].value
        return super().with_blocks(value, found)


def _name_of(call: DraftBlock) -> str:
    named = call.source.name if call.source is not None else None
    value = call.value.get("name") if isinstance(call.value, dict) else None
    return named or (value if isinstance(value, str) and value else "unknown")
