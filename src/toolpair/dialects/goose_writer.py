"""Writing goose's messages: what did not change since it was read stays the same object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.goose import part_of
from toolpair.transcript.draft import DraftBlock


class GooseWriter(AnthropicWriter):
    """Blocks are Anthropic's, as they are read. `content` is the key of a message's blocks."""

    def __init__(self, content: str) -> None:
        self._content = content

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        parts = [content] if isinstance(content, str) else content
        return {"role": role, self._content: [part_of(part, None, None) for part in parts]}

    def holder(self, role: str) -> dict[str, Any]:
        return {"role": role, self._content: []}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        return {**value, self._content: [part_of(block.value, block.source, block.written) for block in blocks]}

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        return known
