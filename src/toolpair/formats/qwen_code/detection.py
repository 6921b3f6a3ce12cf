"""What shows that a file is a session of Qwen Code: JSONL, a tree of records, each message a content of Gemini's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.reading import first_text
from toolpair.formats.format import profile_of
from toolpair.transcript.draft import value_at

_TYPES: Final = ("user", "assistant", "tool_result", "system")
_PROFILES: Final = {"anthropic": "anthropic", "gemini": "gemini", "vertex-ai": "gemini"}
"""How a session was authenticated -> the profile that it is checked against; all others speak Chat Completions."""


def is_record(value: Any) -> bool:
    """Whether the agent reads the record at all."""
    if not isinstance(value, dict) or not isinstance(value.get("uuid"), str) or not value["uuid"]:
        return False
    parent, session = value.get("parentUuid", 0), value.get("sessionId")
    linked = parent is None or isinstance(parent, str)
    return linked and isinstance(session, str) and bool(session) and value.get("type") in _TYPES


def message_in(value: Any) -> dict[str, Any]:
    found = value.get("message") if isinstance(value, dict) and value.get("type") != "system" else None
    return found if isinstance(found, dict) and value.get("subtype") != "realtime_message" else {}


def sniff(values: Sequence[Any]) -> int:
    own = [value for value in values if is_record(value)]
    spoken = [message for value in own if (message := message_in(value))]
    if spoken:
        return 95 if sum("parts" in message for message in spoken) * 2 >= len(spoken) else 0
    return 95 if any("systemPayload" in value for value in own) else 0


def knows(value: dict[str, Any]) -> bool:
    return is_record(value) and ("parts" in message_in(value) or "message" not in value)


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that the last of these records was written with."""
    events = (value_at(value, ("systemPayload", "uiEvent", "auth_type")) for value in reversed(values))
    return profile_of(first_text(events), _PROFILES)
