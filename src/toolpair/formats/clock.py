"""The times and counts that records of agents' files have."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

_NEVER: Final = 1e14
"""Milliseconds since the epoch of a time that no agent has seen."""


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


def milliseconds_in(record: Any, name: str) -> float | None:
    """The time of a record that has it as a number of milliseconds."""
    number = record.get(name) if isinstance(record, dict) else None
    if not isinstance(number, (int, float)) or isinstance(number, bool) or not 0 < number < _NEVER:
        return None
    return number / 1000


def count_in(value: Any, *names: str) -> int:
    """The sum of these numbers of an object."""
    if not isinstance(value, dict):
        return 0
    numbers = (value.get(name) for name in names)
    return sum(number for number in numbers if isinstance(number, int) and not isinstance(number, bool) and number > 0)
