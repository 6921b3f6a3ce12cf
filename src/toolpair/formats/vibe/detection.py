"""What shows that records are the messages of a session of Mistral Vibe's, in its older or its newer store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of

ROLES: Final = ("system", "user", "assistant", "tool")
SESSION: Final = "vibe_session"
MESSAGE: Final = "vibe_message"


def is_own(value: Any) -> bool:
    """Whether it is a message as Vibe writes them: each says whether Vibe put it in itself."""
    return isinstance(value, dict) and isinstance(value.get("injected"), bool) and value.get("role") in ROLES


def sniff(values: Sequence[Any]) -> int:
    return 94 if most_are(values, is_own) else 0


def knows_stored(value: dict[str, Any]) -> bool:
    """Whether it is a record of the newer store."""
    return "data" in row_of(value, MESSAGE) or "data" in row_of(value, SESSION)


def sniff_stored(values: Sequence[Any]) -> int:
    return 97 if most_are(values, knows_stored) else 0
