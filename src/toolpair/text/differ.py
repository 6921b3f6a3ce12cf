"""A character-by-character diff of two ids."""

from __future__ import annotations

from difflib import SequenceMatcher

from msgspec import Struct

from toolpair.text.inline_diff import common_ends
from toolpair.text.safe import SafeText

LONG = 400


class Difference(Struct, frozen=True):
    """Positions of the characters that the other side does not have, in each text."""

    left: frozenset[int]
    right: frozenset[int]

    @property
    def none(self) -> bool:
        return not self.left and not self.right


def _trimmed(left: str, right: str) -> Difference:
    """Everything between the common prefix and the common suffix."""
    start, end = common_ends(left, right)
    return Difference(frozenset(range(start, len(left) - end)), frozenset(range(start, len(right) - end)))


def differ(left: SafeText, right: SafeText) -> Difference:
    """The differing characters of two ids.

    Ids of equal length are compared position by position, unless most of them differs; others by their longest common
    substrings.
    """
    if left == right:
        return Difference(frozenset(), frozenset())
    if len(left) == len(right):
        places = frozenset(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)
        if len(places) * 2 <= len(left):
            return Difference(places, places)
    if max(len(left), len(right)) > LONG:
        return _trimmed(left, right)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.ratio() < 0.4:
        return Difference(frozenset(range(len(left))), frozenset(range(len(right))))
    lefts: set[int] = set()
    rights: set[int] = set()
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            lefts.update(range(a, b))
            rights.update(range(c, d))
    return Difference(frozenset(lefts), frozenset(rights))


def caret_line(left: SafeText, right: SafeText) -> SafeText:
    """A line of carets to print below two aligned ids: one in each column where either differs."""
    from rich.cells import cell_len

    columns: set[int] = set()
    difference = differ(left, right)
    for text, places in ((left, difference.left), (right, difference.right)):
        column = 0
        for index, char in enumerate(text):
            size = cell_len(char)
            if index in places:
                columns.update(range(column, column + max(1, size)))
            column += size
    return SafeText("".join("^" if column in columns else " " for column in range(max(columns, default=-1) + 1)))
