"""Whether records are rows of a session of the Agents SDK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import row_of
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
    records = [value for value in values if isinstance(value, dict)]
    own = sum(DATA in row_of(value, MESSAGES) or "session_id" in row_of(value, SESSIONS) for value in records)
    return 97 if own and own * 2 >= len(records) else 0
