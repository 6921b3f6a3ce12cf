"""What shows that a file is a session of Gemini CLI: a log of messages, which are written again as they grow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_STATUSES: Final = ("user", "gemini", "info", "error", "warning")


def is_of_log(value: dict[str, Any]) -> bool:
    return "$set" in value or "$rewindTo" in value or ("sessionId" in value and "projectHash" in value)


def sniff(values: Sequence[Any]) -> int:
    records = [value for value in values if isinstance(value, dict)]
    if any(is_header(record) or _is_set(record) for record in records):
        return 40
    said = [record for record in records if record.get("type") in _STATUSES and "content" in record]
    own = any(record["type"] == "gemini" and "message" not in record for record in said)
    return 39 if own and all(_is_message(record) for record in said) else 0


def knows(value: dict[str, Any]) -> bool:
    return is_of_log(value) or _is_message(value)


def is_header(record: dict[str, Any]) -> bool:
    return isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str)


def _is_set(record: dict[str, Any]) -> bool:
    """Whether it replaces the messages by its own, which only this agent's records do."""
    given = record.get("$set")
    messages = given.get("messages") if isinstance(given, dict) else None
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _is_message(record: Any) -> bool:
    known = isinstance(record, dict) and record.get("type") in _STATUSES
    return known and isinstance(record.get("id"), str) and isinstance(record.get("timestamp"), str)
