"""Numbers and times in words."""

from __future__ import annotations

from toolpair.text.short import size_text

__all__ = ["count_text", "size_text"]


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
