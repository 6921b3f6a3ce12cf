"""Shortening what stands around a change in a long line, so that the change is seen in one line of the screen."""

from __future__ import annotations

from typing import Final

from toolpair.text.cells import width
from toolpair.text.file_diffs import Mark
from toolpair.text.safe import visible

_LEAST: Final = 10
"""Characters of its surroundings that stay on each side of a change."""
_SPARE: Final = 4
"""Cells by which the numbers of what is left out may grow."""


def fitted(marks: tuple[Mark, ...], room: int) -> tuple[Mark, ...]:
    """The parts of a line, with less of the first and the last one where they take more than `room` cells.

    Only of lines of which something is left out already.
    """
    excess = sum(width(visible(text)) for text, _ in marks) - room
    if excess <= 0 or not any(kind == "left out" for _, kind in marks):
        return marks
    begin, middle, end = _ends(marks)
    spare = [max(0, len(text) - _LEAST) for _, text in (begin, end)]
    excess += _SPARE
    first = min(spare[0], max(excess // 2, excess - spare[1]))
    last = min(spare[1], excess - first)
    out: list[Mark] = list(middle)
    left, text = begin
    if text:
        out.insert(0, (text[first:], "same"))
    if left + first:
        out.insert(0, (f"…{left + first:,} ", "left out"))
    right, text = end
    if text:
        out.append((text[: len(text) - last], "same"))
    if right + last:
        out.append((f" …{right + last:,} ", "left out"))
    return tuple(out)


def _ends(marks: tuple[Mark, ...]) -> tuple[tuple[int, str], tuple[Mark, ...], tuple[int, str]]:
    """How much is left out before the line's first part, and that part if it is the same on both sides; what stands
    between; the same for its end.
    """
    rest = list(marks)
    found: list[tuple[int, str]] = []
    for at in (0, -1):
        count, text = 0, ""
        if rest and rest[at][1] == "left out":
            count = int("".join(char for char in rest.pop(at)[0] if char in "0123456789") or 0)
        if rest and rest[at][1] == "same":
            text = rest.pop(at)[0]
        found.append((count, text))
    return found[0], tuple(rest), found[1]
