"""What shows that rows are docker-agent's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.stored_rows import most_are, row_of
from toolpair.formats.format import profile_of
from toolpair.source.rows.layout import FACTS

ITEM: Final = "session_items"
SESSION: Final = "sessions"
_PROFILES: Final = {"anthropic": "anthropic", "google": "gemini", "amazon-bedrock": "bedrock-converse"}
"""What a model's name begins with -> the profile that its session is checked against."""


def message_in(value: Any) -> Any:
    row = row_of(value, ITEM)
    return row.get("message_json") if row.get("item_type") == "message" else None


def model_of(value: Any) -> str | None:
    found = message_in(value)
    return as_text(found.get("model")) if isinstance(found, dict) else None


def sniff(values: Sequence[Any]) -> int:
    own = most_are(values, lambda value: bool(row_of(value, ITEM)) or "tools_approved" in row_of(value, SESSION))
    return 97 if own else 0


def knows(value: dict[str, Any]) -> bool:
    return bool(row_of(value, ITEM) or row_of(value, SESSION) or row_of(value, FACTS))


def profile_for(values: Sequence[Any]) -> str:
    model = next((model for value in reversed(values) if (model := model_of(value))), "")
    maker = model.partition("/")[0] if "/" in model else "anthropic" if model.startswith("claude") else ""
    return profile_of(maker, _PROFILES)
