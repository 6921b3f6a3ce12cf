"""What an output says of how its command ended, and how long it took."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_EXIT: Final = re.compile(r"(?:^|\n)(?:Process exited with code|Exit code:?|exit code:?) (-?\d{1,5})(?=\n|$)")
_WALL: Final = re.compile(r"(?:^|\n)Wall time: (\d{1,9}(?:\.\d+)?) seconds")
_METADATA: Final = re.compile(r'"exit_code": ?(-?\d{1,5})\b(?:, ?"duration_seconds": ?(\d{1,9}(?:\.\d+)?))?')
_HEAD: Final = 600
_TAIL: Final = 300


class Outcome(Struct, frozen=True):
    """How a command ended."""

    exit: int | None = None
    seconds: float | None = None
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
    seconds = float(wall.group(1)) if wall is not None else None
    found = _EXIT.search(head)
    if found is not None and (is_error or wall is not None or found.start() == 0):
        return Outcome(int(found.group(1)), seconds, is_error)
    if head.startswith('{"output"'):
        told = _METADATA.search(text[-_TAIL:])
        if told is not None:
            seconds = float(told.group(2)) if told.group(2) else None
            return Outcome(int(told.group(1)), seconds, is_error)
    return Outcome(None, seconds, is_error)
