"""Ages, times and sizes as people say them."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ((60, 1, "s"), (3600, 60, "min"), (86400, 3600, "h"), (1209600, 86400, "d"), (31536000, 604800, "wk"))
"""For ages up to so many seconds: the unit in seconds, and its name."""
_YEAR: Final = 31536000


def age_text(seconds: float) -> str:
    """How long ago: `12 s`, `3 min`, `5 h`, `2 d`, `7 wk`, `1 yr`. Anything in the future is `now`."""
    if seconds < 1:
        return "now"
    for limit, size, name in _UNITS:
        if seconds < limit:
            return f"{int(seconds // size)} {name}"
    return f"{int(seconds // _YEAR)} yr"


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
