"""Bodies for OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.openai_responses_content import write_items, write_tool
from toolpair.reports.export.target import Conversion, Target, system_texts
from toolpair.reports.export.ways import FAILED, Way


def _draft(given: Conversion) -> list[Any]:
    return list(write_items(given.turns, given.say))


def _body(given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": given.model, "store": False}
    if said := system_texts(given):
        body["instructions"] = "\n\n".join(part.text for part in said)
    if given.tools:
        body["tools"] = list(map(write_tool, given.tools))
    return {**body, "input": list(messages)}


TARGET: Final = Target(
    id="openai-responses",
    title="OpenAI Responses",
    list_key="input",
    alternates=False,
    carries=frozenset({"title", "detail", "arguments", "free_text", "mid_system"}),
    body=_body,
    draft=_draft,
    ways={
        "thinking": Way(
            "piece of reasoning",
            "Left out {count}: another model's, or without the sealed content that a request needs.",
            "only sealed, of the same API",
            lost=True,
            several="pieces of reasoning",
        ),
        "failed": FAILED,
    },
)
