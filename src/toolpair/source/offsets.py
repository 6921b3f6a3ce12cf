"""Where each of many things in a row begins, counted in something that each has so much of."""

from __future__ import annotations

from collections.abc import Iterable


def shifted(starts: list[int], grown: Iterable[tuple[int, int]]) -> list[int]:
    """The same after some of the things have grown: (number, by how much), in order of their numbers.

    `starts` ends with where the last thing ends. Where nothing has grown it is given back as it is.
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
