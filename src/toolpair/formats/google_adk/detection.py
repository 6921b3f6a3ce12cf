"""Whether records are rows of a session of ADK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of
from toolpair.source.rows.layout import FACTS

EVENTS: Final = "events"
SESSIONS: Final = "sessions"
DATA: Final = "event_data"
CONTENT: Final = "content"
"""The column of an event's content in the older tables, which have no `DATA`."""
_OWN: Final = {"app_name", "user_id"}


def event_in(value: Any) -> dict[str, Any]:
    """The columns of a row that is an event; empty for any other record."""
    return row_of(value, EVENTS)


def knows(value: dict[str, Any]) -> bool:
    return any(row_of(value, name).keys() >= _OWN for name in (EVENTS, SESSIONS)) or bool(row_of(value, FACTS))


def sniff(values: Sequence[Any]) -> int:
    return 97 if most_are(values, knows) else 0
