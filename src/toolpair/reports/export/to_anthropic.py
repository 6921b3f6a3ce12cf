"""Bodies for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.anthropic_content import write_messages, write_system, write_tool
from toolpair.reports.export.target import Conversion, Target
from toolpair.reports.export.ways import Note

MAX_TOKENS: Final = 1024


def _draft(given: Conversion) -> list[Any]:
    return list(write_messages(given.turns, given.say))


def _body(given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": given.model, "max_tokens": given.max_tokens or MAX_TOKENS}
    if given.max_tokens is None:
        text = f"Made up: max_tokens is {MAX_TOKENS:,}; the session names none."
        given.made_up.append(Note("max_tokens", 1, text))
    if system := write_system(given.system):
        body["system"] = system
    if given.tools:
        body["tools"] = list(map(write_tool, given.tools))
    return {**body, "messages": list(messages)}


TARGET: Final = Target(
    id="anthropic",
    title="Anthropic Messages",
    list_key="messages",
    alternates=True,
    carries=frozenset({"cache", "title", "search", "text_document", "tool_reference"}),
    body=_body,
    draft=_draft,
)
