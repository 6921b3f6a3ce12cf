"""Bodies for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import write_messages, write_system, write_tool
from toolpair.reports.export.target import Conversion
from toolpair.reports.export.ways import Note, Way

MAX_TOKENS: Final = 1024


class Anthropic:
    id = "anthropic"
    title = "Anthropic Messages"
    ways: Mapping[str, Way] = {}
    carries = frozenset({"cache", "title", "search", "text_document", "tool_reference"})
    lifts_system = True
    alternates = True

    direct = True
    list_key = "messages"

    def draft(self, given: Conversion) -> list[Any]:
        return list(write_messages(given.turns, given.say))

    def body(self, given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": given.model, "max_tokens": given.max_tokens or MAX_TOKENS}
        if given.max_tokens is None:
            text = f"Made up: max_tokens is {MAX_TOKENS:,}; the session names none."
            given.made_up.append(Note("max_tokens", 1, text))
        if system := write_system(given.system):
            body["system"] = system
        if given.tools:
            body["tools"] = list(map(write_tool, given.tools))
        return {**body, "messages": list(messages)}


TARGET: Final = Anthropic()
