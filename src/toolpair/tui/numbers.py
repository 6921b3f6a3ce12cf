"""Numbers in words."""

from __future__ import annotations

from toolpair.text.short import size_text

__all__ = ["count_text", "size_text"]


def count_text(count: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith(('s', 'x')) else 's'}"
