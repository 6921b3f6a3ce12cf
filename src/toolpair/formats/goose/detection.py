"""What shows that records are goose's, and where a message is: in a database's row, or by itself in its older JSONL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import goose as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.format import profile_of

_PROFILES: Final = {
    "anthropic": "anthropic",
    "aws_bedrock": "bedrock-converse",
    "google": "gemini",
    "gemini_cli": "gemini",
    "gemini_oauth": "gemini",
    "mistral": "mistral",
    "groq": "groq",
    "custom_deepseek": "deepseek",
    "custom_mistral": "mistral",
    "custom_groq": "groq",
}
"""`provider_name` of a session -> the profile that it is checked against; the others speak chat."""
MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
ROLES: Final = ("user", "assistant")
"""The roles that goose knows: it leaves a row with another one out."""
VISIBLE: Final = {"userVisible": True, "agentVisible": True}
"""The metadata of a message that everybody sees."""
_NOTHING: Final[dict[str, Any]] = {}


def sniff(values: Sequence[Any]) -> int:
    known = [value for value in values if isinstance(value, dict)]
    rows = sum(is_message(value) or _is_session(value) for value in known)
    old = bool(known) and "working_dir" in known[0] and "role" not in known[0]
    marked = old or any(MESSAGES in value or _is_session(value) or _has_pair(value) for value in known)
    return 94 if marked and rows + old >= len(known) / 2 else 0


def knows(value: dict[str, Any]) -> bool:
    if MESSAGES in value or SESSIONS in value:  # as other agents call their tables, too
        return is_message(value) or _is_session(value)
    return "working_dir" in value or (is_message(value) and "created" in value)


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that the session's row names."""
    sessions = (value[SESSIONS] for value in values if isinstance(value, dict) and SESSIONS in value)
    provider = next((row.get("provider_name") for row in sessions if isinstance(row, dict)), None)
    return profile_of(provider, _PROFILES)


def _is_session(value: Any) -> bool:
    row = value.get(SESSIONS)
    return isinstance(row, dict) and "working_dir" in row and "schedule_id" in row


def _has_pair(value: Any) -> bool:
    """Whether it has a block that only goose writes."""
    content = value.get("content")
    return isinstance(content, list) and any(type_name(part) in (dialect.CALL, dialect.RESULT) for part in content)


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
