"""What shows that rows are Hermes Agent's, and the chat message in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import json_in, most_are, row_of

MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
GOES_ON: Final = "goes_on_in"
"""The fact which session Hermes resumes in place of this one."""
LISTED: Final = "\0json:"
"""What a content that is no text begins with; the rest is JSON."""
ALWAYS: Final = ("role", "content")
_OTHERS: Final = ("tool_calls", "tool_call_id", "reasoning", "reasoning_content")
_ITEMS: Final = ("codex_message_items", "codex_reasoning_items")
OWN: Final = (*ALWAYS, *_OTHERS)
"""The columns that make the message."""
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
"""Those that are sent; `session_meta` is a note of Hermes' own."""


def row_in(value: Any) -> dict[str, Any]:
    """The columns of a message's row; empty for any other record."""
    return row_of(value, MESSAGES)


def is_message(value: Any) -> bool:
    row = row_in(value)
    return bool(row) and row.get("role") != "session_meta"


def is_active(value: Any) -> bool:
    """Whether Hermes reads a row when it resumes: not one that was compacted or taken back."""
    return bool(row_in(value).get("active", 1) == 1)


def message_in(value: Any) -> dict[str, Any]:
    """The chat message of a row."""
    row = row_in(value)
    content = row.get("content")
    if isinstance(content, str) and content.startswith(LISTED):
        content = json_in(content.removeprefix(LISTED).encode("utf-8", "surrogatepass")) or content
    others = {key: row[key] for key in _OTHERS if row.get(key)}
    return {"role": row.get("role"), "content": content, **others}


def profile_for(values: Sequence[Any]) -> str:
    """By who was paid, and by what only a response of the Responses API has left."""
    named = next((row for value in values if (row := row_of(value, SESSIONS))), {})
    provider = named.get("billing_provider")
    if provider == "anthropic":
        return "anthropic"
    items = provider == "openai-codex" or any(row_in(value).get(key) for value in values for key in _ITEMS)
    return "openai-responses" if items else "openai-chat"


def call_id(call: Any) -> Any:
    """The id by which Hermes pairs a call."""
    return (call.get("call_id") or call.get("id")) if isinstance(call, dict) else None


def sniff(values: Sequence[Any]) -> int:
    own = most_are(
        values,
        lambda value: (
            {"role", "tool_call_id", "tool_calls", "tool_name"} <= row_in(value).keys()
            or {"source", "started_at"} <= row_of(value, SESSIONS).keys()
        ),
    )
    return 97 if own else 0


def knows(value: dict[str, Any]) -> bool:
    """Other agents call their tables so, too."""
    return "tool_call_id" in row_in(value) or "started_at" in row_of(value, SESSIONS)
