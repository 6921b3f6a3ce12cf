"""The times and counts that records of agents' files have."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def seconds_of(timestamp: Any) -> float | None:
    """A time as agents write it, in seconds since the epoch."""
    if not isinstance(timestamp, str):
        return None
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def time_in(record: Any) -> float | None:
    """The time of a record that has it as `timestamp`."""
    return seconds_of(record.get("timestamp")) if isinstance(record, dict) else None


def count_in(value: Any, *names: str) -> int:
    """The sum of these numbers of an object."""
    if not isinstance(value, dict):
        return 0
    numbers = (value.get(name) for name in names)
    return sum(number for number in numbers if isinstance(number, int) and not isinstance(number, bool) and number > 0)
