"""In which characters two ids differ: as pieces to mark, and in words for who sees no marks."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from toolpair.reports.reading.row_words import id_words
from toolpair.text.differ import differ
from toolpair.text.safe import SafeText, visible

_NAMED: Final = 4
"""Differing characters that are named one by one."""
Pieces = tuple[tuple[str, bool], ...]
"""Parts of an id, and whether they differ from the other one."""


def id_text(value: object) -> SafeText:
    """An id as shown; any JSON value may be in its place."""
    return visible(id_words(value))


def compared(left: object, right: object) -> tuple[Pieces, Pieces]:
    one, two = id_text(left), id_text(right)
    difference = differ(one, two)
    return _pieces(one, difference.left), _pieces(two, difference.right)


def _pieces(text: str, places: frozenset[int]) -> Pieces:
    return tuple(
        ("".join(text[index] for index in indexes), marked)
        for marked, indexes in groupby(range(len(text)), places.__contains__)
    )


def difference_text(left: object, right: object) -> str:
    """In what a call's id and its result's differ, one sentence."""
    one, two = id_text(left), id_text(right)
    difference = differ(one, two)
    if difference.none:
        return "The two ids look the same here, but are different values."
    places = sorted(difference.left)
    if len(one) == len(two) and difference.left == difference.right and len(places) <= _NAMED:
        named = [
            f"character {place + 1} is {one[place]} in the call and {two[place]} in the result" for place in places
        ]
        return f"The ids differ: {'; '.join(named)}."
    if not difference.left or not difference.right:
        longer, count = ("call", len(difference.left)) if difference.left else ("result", len(difference.right))
        return f"The {longer}'s id has {count:,} more character{'s' if count > 1 else ''}, marked here."
    return (
        f"The ids differ: {len(difference.left):,} of {len(one):,} characters in the call, "
        f"{len(difference.right):,} of {len(two):,} in the result."
    )
