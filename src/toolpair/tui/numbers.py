"""Numbers and times in words."""

from __future__ import annotations

from toolpair.text.short import seconds_text, size_text

__all__ = ["ago_text", "count_text", "seconds_text", "size_text"]


def all_text(count: int) -> str:
    """`all 3`, `both`."""
    return "both" if count == 2 else f"all {count:,}"


def count_text(count: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith(('s', 'x', 'ch')) else 's'}"


def ago_text(seconds: float) -> str:
    """`12 minutes ago`; a time in the future is now."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "less than a minute ago"
    if minutes < 60:
        return f"{count_text(minutes, 'minute')} ago"
    if minutes < 48 * 60:
        return f"{count_text(minutes // 60, 'hour')} ago"
    return f"{count_text(minutes // (24 * 60), 'day')} ago"
