"""Bodies for OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.neutral import Text
from toolpair.dialects.openai_responses_content import write_items, write_tool
from toolpair.reports.export.target import Conversion
from toolpair.reports.export.ways import Way


class OpenAIResponses:
    id = "openai-responses"
    title = "OpenAI Responses"
    ways: Mapping[str, Way] = {
        "thinking": Way(
            "piece of reasoning",
            "Left out {count}: another model's, or without the sealed content that a request needs.",
            "only sealed, of the same API",
            lost=True,
            several="pieces of reasoning",
        ),
        "failed": Way(
            "failed result", "Began {count} with `Error: `: {api} has no field for a failed result.", "text `Error: …`"
        ),
    }
    carries = frozenset({"title", "detail", "arguments", "free_text", "mid_system"})
    lifts_system = False
    alternates = False

    direct = True
    list_key = "input"

    def draft(self, given: Conversion) -> list[Any]:
        return list(write_items(given.turns, given.say))

    def body(self, given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": given.model, "store": False}
        said = [part for part in given.system if isinstance(part, Text)]
        for part in said:
            if part.marked:
                given.say("cache")
        if said:
            body["instructions"] = "\n\n".join(part.text for part in said)
        if given.tools:
            body["tools"] = list(map(write_tool, given.tools))
        return {**body, "input": list(messages)}


TARGET: Final = OpenAIResponses()
