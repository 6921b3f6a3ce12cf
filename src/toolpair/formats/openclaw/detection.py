"""What shows that records are OpenClaw's: marks in pi's records, or the names of its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.pi_family.detection import has_marks, looks
from toolpair.formats.pi_family.detection import knows as pi_knows

_TABLES: Final = frozenset({"transcript_events", "session_transcript_index_state", "session_windows"})


def sniff(values: Sequence[Any]) -> int:
    if any(row_of(value, "transcript_events") for value in values):
        return 95
    return looks(values) if has_marks(values) else 0


def knows(value: dict[str, Any]) -> bool:
    return pi_knows(value) or bool(value.keys() & _TABLES)
