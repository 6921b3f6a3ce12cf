"""Bodies for Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.gemini_content import write_contents, write_system, write_tools
from toolpair.reports.export.target import Conversion, Target, system_texts
from toolpair.reports.export.ways import Way


def _body(given: Conversion, _: Sequence[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if system := write_system(system_texts(given)):
        body["systemInstruction"] = {"parts": system}
    if given.tools:
        body["tools"] = write_tools(given.tools)
    return {**body, "contents": write_contents(given.turns, given.say)}


TARGET: Final = Target(
    id="gemini",
    title="Gemini generateContent",
    list_key="contents",
    alternates=True,
    carries=frozenset(),
    body=_body,
    ways={
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
    },
)
