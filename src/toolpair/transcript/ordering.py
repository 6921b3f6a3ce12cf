"""Finding which items moved between two orders."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise


def longest_ascending(numbers: Sequence[int]) -> set[int]:
    """A longest increasing subsequence of distinct numbers; the others can be reported as moved."""
    if all(one < other for one, other in pairwise(numbers)):
        return set(numbers)
    tails: list[int] = []
    """The smallest number that ends a run of each length."""
    ends: list[int] = []
    back: list[int] = []
    for index, number in enumerate(numbers):
        at = bisect_left(tails, number)
        back.append(ends[at - 1] if at else -1)
        if at == len(tails):
            tails.append(number)
            ends.append(index)
        else:
            tails[at], ends[at] = number, index
    found: set[int] = set()
    index = ends[-1] if ends else -1
    while index >= 0:
        found.add(numbers[index])
        index = back[index]
    return found
