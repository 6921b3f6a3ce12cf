"""How long something took, as people say it."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s"))


def duration_text(seconds: float) -> str:
    """`0.1 s`, `12 s`, `2 m 40 s`, `1 h 5 m`, `3 d 2 h`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for size, name, part, part_name in _UNITS:
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size:,} {name}" + (f" {rest} {part_name}" if rest else "")
    return f"{whole} s"
