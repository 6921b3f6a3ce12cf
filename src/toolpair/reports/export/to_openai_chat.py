"""Bodies for OpenAI's Chat Completions, and the many that take the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.neutral import Text, Turn
from toolpair.dialects.openai_chat_content import write_messages, write_tool
from toolpair.reports.export.target import Conversion, Target, system_texts
from toolpair.reports.export.ways import FAILED, Way


def _draft(given: Conversion) -> list[Any]:
    said = "\n\n".join(part.text for part in system_texts(given))
    system = [Turn("system", (Text(said),))] if said else []
    return list(write_messages([*system, *given.turns], given.say))


def _body(given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": given.model, "messages": list(messages)}
    return {**body, "tools": list(map(write_tool, given.tools))} if given.tools else body


TARGET: Final = Target(
    id="openai-chat",
    title="OpenAI Chat Completions",
    list_key="messages",
    alternates=False,
    carries=frozenset({"title", "detail", "arguments", "free_text", "mid_system"}),
    body=_body,
    draft=_draft,
    ways={
        "failed": FAILED,
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
    },
)
