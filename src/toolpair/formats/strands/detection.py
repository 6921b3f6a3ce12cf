"""Whether records are the files of a session of Strands, and what they are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import most_are, row_of

MESSAGE: Final = "strands_message"
AGENT: Final = "strands_agent"
SUMMARY: Final = ("conversation_manager_state", "summary_message")
DATA: Final = "data"
NAME: Final = re.compile(r"message_(.*)\.json", re.DOTALL)


def stored_in(value: Any) -> Any:
    """What a message's file holds; None for any other record."""
    return row_of(value, MESSAGE).get(DATA)


def message_in(value: Any) -> Any:
    """What Strands sends of a file: the message, or what stands in its place since it was redacted."""
    stored = stored_in(value)
    if not isinstance(stored, dict):
        return None
    redacted = stored.get("redact_message")
    return stored.get("message") if redacted is None else redacted


def number_in(name: str) -> int | None:
    """The number that Strands reads in a file's name."""
    found = NAME.fullmatch(name)
    try:
        return int(found[1]) if found is not None else None
    except ValueError:
        return None


def knows(value: dict[str, Any]) -> bool:
    return DATA in row_of(value, MESSAGE) or DATA in row_of(value, AGENT)


def sniff(values: Sequence[Any]) -> int:
    return 97 if most_are(values, knows) else 0
