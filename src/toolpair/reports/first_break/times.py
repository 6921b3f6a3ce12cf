"""Times as logs write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

_UNITS: Final = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""From this number on it counts nanoseconds, microseconds, milliseconds."""


def seconds(value: Any) -> float | None:
    """Seconds since 1970 of a time in ISO 8601, or of a number of seconds or parts of them; None for anything else."""
    if isinstance(value, str):
        text = value.strip()
        try:
            found = datetime.fromisoformat(text)
            # Without a zone it is taken as UTC, so that the outcome does not depend on the machine.
            return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            try:
                value = float(text)
            except ValueError:
                return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    for least, unit in _UNITS:
        if number >= least:
            number /= unit
            break
    return number if 1e8 < number < 1e11 else None


def first_time(holder: Mapping[str, Any], keys: Iterable[str]) -> float | None:
    """The first of the keys that holds a time."""
    return next((found for key in keys if (found := seconds(holder.get(key))) is not None), None)


def shown(time: float, between: str = " ") -> str:
    """A time in UTC, to the second: "2026-11-21 09:12:45Z"."""
    return datetime.fromtimestamp(time, UTC).strftime(f"%Y-%m-%d{between}%H:%M:%SZ")
