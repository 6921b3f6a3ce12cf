"""What an output says of how its command ended, and how long a call took."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from msgspec import Struct

_EXIT: Final = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:?|exit code:?) (-?\d{1,5})(?=\n|$)")
_WALL: Final = re.compile(r"(?:^|\n)Wall time: (\d{1,9}(?:\.\d+)?) seconds")
_METADATA: Final = re.compile(r'"exit_code": ?(-?\d{1,5})\b(?:, ?"duration_seconds": ?(\d{1,9}(?:\.\d+)?))?')
_HEAD: Final = 600
_TAIL: Final = 300


class Outcome(Struct, frozen=True):
    """How a command ended."""

    exit: int | None = None
    took: str = ""
    failed: bool = False

    @property
    def words(self) -> str:
        """`exit 1`, `ERROR`, `ERROR exit 1`; empty when nothing is said."""
        end = "" if self.exit is None else f"exit {self.exit}"
        return f"ERROR {end}".strip() if self.failed or self.exit else end


def outcome_of(text: str, is_error: bool) -> Outcome:
    """What the output itself says: agents write exit code and time at its start, or beside it as JSON."""
    head = text[:_HEAD]
    wall = _WALL.search(head)
    took = seconds_text(float(wall.group(1))) if wall is not None else ""
    found = _EXIT.search(head)
    if found is not None and (is_error or wall is not None or found.start() == 0):
        return Outcome(int(found.group(1)), took, is_error)
    if head.startswith('{"output"'):
        told = _METADATA.search(text[-_TAIL:])
        if told is not None:
            took = seconds_text(float(told.group(2))) if told.group(2) else ""
            return Outcome(int(told.group(1)), took, is_error)
    return Outcome(None, took, is_error)


def seconds_text(seconds: float) -> str:
    """`0.1 s`, `42 s`, `2 m 40 s`, `3 h 5 m`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60} s" if whole % 60 else f"{whole // 60} m"
    return f"{whole // 3600:,} h {whole % 3600 // 60} m"


def seconds_between(call_record: Any, result_record: Any) -> float | None:
    """The time from a call's record to its result's, where both have one."""
    began, ended = _time_of(call_record), _time_of(result_record)
    if began is None or ended is None or not 0 <= ended - began < 10_000_000:
        return None
    return ended - began


def _time_of(record: Any) -> float | None:
    said = record.get("timestamp") if isinstance(record, dict) else None
    if isinstance(said, (int, float)) and not isinstance(said, bool):
        return said / 1000 if said > 1e11 else float(said)
    if isinstance(said, str):
        try:
            return datetime.fromisoformat(said).timestamp()
        except (ValueError, OverflowError):
            return None
    return None
