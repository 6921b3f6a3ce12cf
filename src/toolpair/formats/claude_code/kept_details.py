"""What Claude Code keeps of a call in its result's record: how long it took, and an edit's patch."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.claude_code.record_kinds import parts_of_type
from toolpair.formats.engine.reading.clock import count_in, usage_of
from toolpair.formats.format import Patch, Usage

_TIMES: Final = ("durationMs", "totalDurationMs")
_MOST: Final = 1e10
_SIGNS: Final = ("+", "-", " ", "\\")


def seconds_of(value: Any) -> float | None:
    """How long the call took, in seconds."""
    details = _details(value)
    for key in _TIMES:
        time = details.get(key)
        if isinstance(time, (int, float)) and not isinstance(time, bool) and 0 <= time < _MOST:
            return time / 1000
    return None


def patch_of(value: Any) -> Patch:
    """The hunks of an edit, which have line numbers; empty if anything in them is odd."""
    hunks = _details(value).get("structuredPatch")
    found = [_hunk(hunk) for hunk in hunks] if isinstance(hunks, list) else []
    return [] if None in found else [hunk for hunk in found if hunk is not None]


def _hunk(hunk: Any) -> tuple[int, int, list[str]] | None:
    if not isinstance(hunk, dict):
        return None
    old, new, lines = hunk.get("oldStart"), hunk.get("newStart"), hunk.get("lines")
    if not isinstance(old, int) or not isinstance(new, int) or not isinstance(lines, list):
        return None
    if not all(isinstance(line, str) and line.startswith(_SIGNS) for line in lines):
        return None
    return old, new, [line for line in lines if not line.startswith("\\")]


def _details(value: Any) -> dict[str, Any]:
    """What stands beside a result, which is about no particular one of several."""
    details = value.get("toolUseResult") if isinstance(value, dict) else None
    return details if isinstance(details, dict) and len(parts_of_type(value, "tool_result")) == 1 else {}


def usage(value: Any) -> Usage | None:
    message = value.get("message") if isinstance(value, dict) and value.get("type") == "assistant" else None
    usage = message.get("usage") if isinstance(message, dict) else None
    written = count_in(usage, "output_tokens")
    read = count_in(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return usage_of(read, written)
