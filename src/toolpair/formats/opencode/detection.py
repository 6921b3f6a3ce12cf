"""What shows that rows are opencode's or Kilo's, of their databases or of their older folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import profile_of
from toolpair.source.rows.layout import FACTS

_PROFILES: Final = {
    "anthropic": "anthropic",
    "google-vertex-anthropic": "anthropic",
    "google": "gemini",
    "google-vertex": "gemini",
    "amazon-bedrock": "bedrock-converse",
    "mistral": "mistral",
}
"""`providerID` of a response -> the profile that its session is checked against."""
SESSION: Final = "session"
MESSAGE: Final = "message"
PART: Final = dialect.PART
_COLUMNS: Final = frozenset({"data", "session_id", "project_id"})
"""Columns of which each of its rows has one."""


def sniff(values: Sequence[Any]) -> int:
    first = next((value for value in values if isinstance(value, dict)), {})
    own = row_of(first, SESSION)
    of_folder = row_of(first, FACTS).get("folder") is True and {"id", "project_id", "data"} <= own.keys()
    return 96 if of_folder or {"id", "slug", "directory", "time_updated"} <= own.keys() else 0


def knows(value: dict[str, Any]) -> bool:
    rows = [row for table in (SESSION, MESSAGE, PART) if (row := row_of(value, table))]
    return FACTS in value or any("id" in row and row.keys() & _COLUMNS for row in rows)


def profile_for(values: Sequence[Any]) -> str:
    """That of the provider that was asked last."""
    provider, _ = model_of([dialect.data_of(value, MESSAGE) for value in values])
    return profile_of(provider, _PROFILES)


def model_of(infos: Sequence[Any]) -> tuple[Any, Any]:
    """Provider and name of the model that continues: the one that was asked last, else the one that answered last."""
    known = [info for info in reversed(infos) if isinstance(info, dict)]
    asked = (info.get("model") for info in known if info.get("role") == "user")
    answered = (info for info in known if info.get("role") == "assistant" and "providerID" in info)
    found = next((model for model in asked if isinstance(model, dict)), None) or next(answered, {})
    return found.get("providerID"), found.get("modelID")
