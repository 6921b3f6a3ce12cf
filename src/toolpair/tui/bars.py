"""A share drawn as a bar."""

from __future__ import annotations

from toolpair.text.safe import SafeText
from toolpair.tui.styled_text import Glyphs

_PARTS = " ▏▎▍▌▋▊▉"


def bar(glyphs: Glyphs, part: int, whole: int, cells: int) -> SafeText:
    """`part` of `whole` in that many cells. Only what is whole fills it, and only nothing leaves it empty."""
    if whole <= 0:
        return SafeText(" " * cells)
    steps = 1 if glyphs.ascii else 8
    done = cells * steps * max(0, min(part, whole)) // whole
    if 0 < part < whole:
        done = max(1, min(done, cells * steps - 1))
    if glyphs.ascii:
        return SafeText(("#" * done).ljust(cells, "."))
    full, rest = divmod(done, steps)
    return SafeText(("█" * full + (_PARTS[rest] if rest else "")).ljust(cells))
