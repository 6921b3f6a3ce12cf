"""Bodies for Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.gemini_content import write_contents, write_system, write_tools
from toolpair.dialects.neutral import Text
from toolpair.reports.export.target import Conversion
from toolpair.reports.export.through_blocks import as_blocks
from toolpair.reports.export.ways import Way


class Gemini:
    id = "gemini"
    title = "Gemini generateContent"
    ways: Mapping[str, Way] = {
        "signature": Way(
            "call",
            "Signed {count} with `skip_thought_signature_validator`: Gemini 3 wants one on the first of a step.",
            "stand-in",
        ),
        "result_media": Way(
            "image or document in a result",
            "Put {count} into the response's parts, which only Gemini 3 reads.",
            "parts (Gemini 3)",
            several="images or documents in results",
        ),
    }
    carries = frozenset[str]()
    lifts_system = True
    alternates = True

    direct = False
    list_key = "contents"

    def draft(self, given: Conversion) -> list[Any]:
        return as_blocks(given)

    def body(self, given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
        body: dict[str, Any] = {}
        said = [part for part in given.system if isinstance(part, Text) and part.text.strip()]
        for part in said:
            if part.marked:
                given.say("cache")
        if said:
            body["systemInstruction"] = write_system(said)
        if given.tools:
            body["tools"] = write_tools(given.tools)
        return {**body, "contents": write_contents(given.turns, given.say)}


TARGET: Final = Gemini()
