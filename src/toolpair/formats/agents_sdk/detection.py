"""Whether records are rows of a session of the Agents SDK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of
from toolpair.source.rows.layout import FACTS

MESSAGES: Final = "agent_messages"
SESSIONS: Final = "agent_sessions"
DATA: Final = "message_data"


def item_in(value: Any) -> Any:
    """The item in a row; None for any other record."""
    return row_of(value, MESSAGES).get(DATA)


def knows(value: dict[str, Any]) -> bool:
    return bool(row_of(value, MESSAGES) or row_of(value, SESSIONS) or row_of(value, FACTS))


def sniff(values: Sequence[Any]) -> int:
    own = most_are(values, lambda value: DATA in row_of(value, MESSAGES) or "session_id" in row_of(value, SESSIONS))
    return 97 if own else 0
