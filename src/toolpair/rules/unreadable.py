"""Calls and results in unreadable records, and the fixes that bring them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from toolpair.rules.problem import Cause, Fix
from toolpair.transcript.edits import InsertResult, MendBytes
from toolpair.transcript.model import Block


class UnreadablePart(Struct, frozen=True, eq=False):
    """The part of a call or result that is in one damaged record."""

    record: int
    line: int | None
    reason: str
    fix: Fix | None
    """The repair that makes the record readable with nothing missing."""
    content: Any = None
    """What can be read of a result's content, if no repair works."""
    is_error: bool = False

    @property
    def where(self) -> str:
        return f"line {self.line:,}" if self.line is not None else "a record"

    @property
    def cause(self) -> Cause:
        return Cause("unreadable", "it is in a line that cannot be read", f"{self.where}: {self.reason}")


class UnreadableParts(Struct, frozen=True, eq=False):
    """The results and calls in damaged records, by id."""

    results: Mapping[str, UnreadablePart] = field(default_factory=dict)
    calls: Mapping[str, UnreadablePart] = field(default_factory=dict)
    outputs: tuple[UnreadablePart, ...] = ()
    """Records that may hold an output, without the id that says whose it is."""

    def of_call(self, call: Block) -> UnreadablePart | None:
        """The damaged record that holds the call's result."""
        return self.results.get(call.id) if isinstance(call.id, str) else None

    def of_result(self, result: Block) -> UnreadablePart | None:
        """The damaged record that holds the result's call."""
        return self.calls.get(result.id) if isinstance(result.id, str) else None


def repair(lost: UnreadablePart, call: Block | None, *, recommended: bool) -> list[Fix]:
    """The fix that makes the line readable, else the one that keeps what can be read of the result."""
    if lost.fix is not None:
        title = f"make {lost.where} readable: {lost.fix.title}"
        return [
            Fix(
                "fix-line",
                title,
                lost.fix.edits,
                recommended,
                loses=lost.fix.loses,
                several="make their lines readable",
            )
        ]
    if call is None or not lost.content:
        return []
    return [
        Fix(
            "keep-readable",
            f"keep what can be read of it in {lost.where}",
            (InsertResult(call, lost.content, lost.is_error), MendBytes(lost.record, "aside")),
            recommended,
            loses="the rest of the output, which was cut off",
            note="the damaged line itself is set aside, byte for byte",
            several="keep what can be read of them",
        )
    ]
