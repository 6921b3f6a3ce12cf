"""Whether records are the files of a conversation of OpenHands, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of

STATE: Final = "openhands_state"
EVENT: Final = "openhands_event"
DATA: Final = "data"
LEAF: Final = "leaf_event_id"
NAME: Final = re.compile(r"event-(\d{5,})-([0-9a-fA-F-]{8,})\.json")
BESIDE: Final = frozenset({"ConversationStateUpdateEvent", "ConversationErrorEvent"})
"""Events that no other one follows."""


def event_in(value: Any) -> dict[str, Any]:
    """The event in a file; empty for any other record."""
    found = row_of(value, EVENT).get(DATA)
    return found if isinstance(found, dict) else {}


def state_in(value: Any) -> dict[str, Any]:
    """What a conversation's own file holds; empty for any other record."""
    found = row_of(value, STATE).get(DATA)
    return found if isinstance(found, dict) else {}


def knows(value: dict[str, Any]) -> bool:
    return DATA in row_of(value, EVENT) or DATA in row_of(value, STATE)


def sniff(values: Sequence[Any]) -> int:
    return 97 if most_are(values, knows) else 0
