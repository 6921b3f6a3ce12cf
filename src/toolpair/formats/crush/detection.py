"""Whether records are rows of a session of Crush."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of
from toolpair.formats.format import profile_of

MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
PARTS: Final = "parts"
_PROFILES: Final = {
    "anthropic": "anthropic", "bedrock": "bedrock-converse", "gemini": "gemini", "google": "gemini",
    "vertexai": "gemini", "openai": "openai-responses", "mistral": "mistral", "deepseek": "deepseek",
}  # fmt: skip
"""Crush's name of a provider -> the profile that its sessions are checked against."""


def row_in(value: Any) -> dict[str, Any]:
    """The columns of a message's row; empty for any other record."""
    return row_of(value, MESSAGES)


def sniff(values: Sequence[Any]) -> int:
    own = most_are(
        values,
        lambda value: (
            {PARTS, "role", "finished_at"} <= row_in(value).keys()
            or {"summary_message_id", "prompt_tokens"} <= row_of(value, SESSIONS).keys()
        ),
    )
    return 97 if own else 0


def knows(value: dict[str, Any]) -> bool:
    """Other agents call their tables so, too."""
    return PARTS in row_in(value) or "summary_message_id" in row_of(value, SESSIONS)


def profile_for(values: Sequence[Any]) -> str:
    named = (row_in(value).get("provider") for value in reversed(values))
    return profile_of(next((one for one in named if isinstance(one, str) and one), None), _PROFILES)
