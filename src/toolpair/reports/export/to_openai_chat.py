"""Bodies for OpenAI's Chat Completions, and the many that take the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.neutral import Text, Turn
from toolpair.dialects.openai_chat_content import write_messages, write_tool
from toolpair.reports.export.target import Conversion
from toolpair.reports.export.ways import Way


class OpenAIChat:
    id = "openai-chat"
    title = "OpenAI Chat Completions"
    ways: Mapping[str, Way] = {
        "failed": Way(
            "failed result", "Began {count} with `Error: `: {api} has no field for a failed result.", "text `Error: …`"
        ),
        "result_media": Way(
            "image or document in a result",
            "Moved {count} to the user message after the tool messages, which may hold only text.",
            "next user message",
            several="images or documents in results",
        ),
        "order": Way(
            "text between calls",
            "Moved {count} before the calls of the same message.",
            "before the calls",
            several="texts between calls",
        ),
    }
    carries = frozenset({"title", "detail", "arguments", "free_text", "mid_system"})
    lifts_system = False
    alternates = False

    direct = True
    list_key = "messages"

    def draft(self, given: Conversion) -> list[Any]:
        said = [part for part in given.system if isinstance(part, Text)]
        for part in said:
            if part.marked:
                given.say("cache")
        system = [Turn("system", (Text("\n\n".join(part.text for part in said)),))] if said else []
        return list(write_messages([*system, *given.turns], given.say))

    def body(self, given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": given.model, "messages": list(messages)}
        return {**body, "tools": list(map(write_tool, given.tools))} if given.tools else body


TARGET: Final = OpenAIChat()
