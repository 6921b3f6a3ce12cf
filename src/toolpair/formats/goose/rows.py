"""Where in a record of goose's the message stands: in a row of its database, or by itself in its older JSONL."""

from __future__ import annotations

from typing import Any, Final

MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
ROLES: Final = ("user", "assistant")
"""The roles that goose knows: it leaves a row with another one out."""
VISIBLE: Final = {"userVisible": True, "agentVisible": True}
"""The metadata of a message that everybody sees."""
_NOTHING: Final[dict[str, Any]] = {}


def row_slot(value: Any) -> tuple[str, ...]:
    """Where the message is in a record."""
    return (MESSAGES,) if isinstance(value, dict) and MESSAGES in value else ()


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a message: the columns of its row."""
    found = value.get(MESSAGES, value) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else _NOTHING


def content_key(value: Any) -> str:
    """The field that has a message's blocks."""
    return "content_json" if row_slot(value) else "content"


def is_message(value: Any) -> bool:
    fields = fields_of(value)
    return bool(fields) and "role" in fields and content_key(value) in fields
