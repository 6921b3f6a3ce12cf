"""Numbers in words."""

from __future__ import annotations


def size_text(count: int) -> str:
    """A file size as people say it."""
    if count < 1000:
        return f"{count} B"
    value = float(count)
    for unit in ("KB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.5:
            return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"
    return f"{value:,.0f} TB"


def count_text(count: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith(('s', 'x')) else 's'}"
