"""Start offsets of consecutive things, in any unit."""

from __future__ import annotations

from collections.abc import Iterable


def shift_offsets(starts: list[int], grown: Iterable[tuple[int, int]]) -> list[int]:
    """The starts after some of the things have grown: (number, by how much), ascending.

    `starts` ends with the end of the last thing. Without growth the same list is returned.
    """
    made: list[int] = []
    at = by = 0
    for number, more in grown:
        if more:
            piece = starts[at : number + 1]
            made += [start + by for start in piece] if by else piece
            at, by = number + 1, by + more
    if not at:
        return starts
    return made + [start + by for start in starts[at:]]
