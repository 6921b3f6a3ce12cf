"""Counts written out for sentences."""

from __future__ import annotations


def plural(count: int, noun: str, several: str | None = None) -> str:
    """ "1 line", "2,000 lines". Pass `several` when the plural is not just an added s."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def lines_in(text: str) -> int:
    """How many lines are shown of a text: a line end at its end begins no other."""
    return text.removesuffix("\n").count("\n") + 1 if text else 0
