"""Bodies for Bedrock's Converse API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.bedrock_converse_content import ConverseWriter, write_system, write_tools
from toolpair.reports.export.target import Conversion, Target
from toolpair.reports.export.ways import Way


def _body(given: Conversion, _: Sequence[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if system := write_system(given.system):
        body["system"] = system
    if given.tools:
        body["toolConfig"] = write_tools(given.tools)
    return {**body, "messages": ConverseWriter(given.say, given.keeps_thinking).messages(given.turns)}


TARGET: Final = Target(
    id="bedrock-converse",
    title="Bedrock Converse",
    list_key="messages",
    alternates=True,
    carries=frozenset({"cache", "search", "text_document"}),
    body=_body,
    ways={
        "thinking": Way(
            "thinking block",
            "Left out {count}: reasoning is signed for its model; name that one with --model to keep it.",
            "kept for the same model",
            lost=True,
        ),
        "title": Way("document title", "Changed {count}: only some characters are allowed in names.", "changed"),
        "document_name": Way("document", "Gave a name to {count}.", "made up"),
        "document_text": Way("message", "Added a text to {count} that held only a document.", "text added"),
    },
)
