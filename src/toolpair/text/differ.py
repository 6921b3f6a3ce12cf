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
