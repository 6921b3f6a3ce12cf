"""Aligning two sequences of keys: which element of one is which of the other, in about linear time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

Match = tuple[int, int]
_DEEPEST: Final = 40
"""How often what is left between two matches is looked at again."""


def aligned(a: Sequence[Any], b: Sequence[Any], rest: Callable[[], object] = lambda: None) -> list[Match]:
    """The places where both have the same key, ascending in both. The same whichever is given first.

    `rest` is called now and then; it may raise to end it.
    """
    if (len(b), b) < (len(a), a):
        return [(i, j) for j, i in _aligned(b, a, rest)]
    return _aligned(a, b, rest)


def _aligned(a: Sequence[Hashable], b: Sequence[Hashable], rest: Callable[[], object]) -> list[Match]:
    found: list[Match] = []
    waiting = [(0, len(a), 0, len(b), 0)]
    while waiting:
        start, end, first, last, depth = waiting.pop()
        rest()
        while start < end and first < last and a[start] == b[first]:
            found.append((start, first))
            start, first = start + 1, first + 1
        while start < end and first < last and a[end - 1] == b[last - 1]:
            end, last = end - 1, last - 1
            found.append((end, last))
        if start == end or first == last:
            continue
        anchors = _anchors(a, b, start, end, first, last)
        if depth == _DEEPEST:
            found.extend(anchors)
            continue
        for i, j in [*anchors, (end, last)] if anchors else []:
            if i < end:
                found.append((i, j))
            if start < i and first < j:
                waiting.append((start, i, first, j, depth + 1))
            start, first = i + 1, j + 1
    found.sort()
    return found


def _anchors(a: Sequence[Hashable], b: Sequence[Hashable], start: int, end: int, first: int, last: int) -> list[Match]:
    """Keys that each part has once, in the order of both; where there are none, each key by its occurrence."""
    once_a, once_b = Counter(a[start:end]), Counter(b[first:last])
    at = {b[j]: j for j in range(first, last) if once_b[b[j]] == 1}
    pairs = [(i, at[a[i]]) for i in range(start, end) if once_a[a[i]] == 1 and a[i] in at]
    if not pairs:
        occurrences = dict(zip(_numbered(b[first:last]), range(first, last), strict=True))
        keys = zip(_numbered(a[start:end]), range(start, end), strict=True)
        pairs = [(i, occurrences[key]) for key, i in keys if key in occurrences]
    return _rising(pairs)


def _numbered(keys: Sequence[Hashable]) -> list[tuple[Hashable, int]]:
    seen: Counter[Hashable] = Counter()
    numbered: list[tuple[Hashable, int]] = []
    for key in keys:
        numbered.append((key, seen[key]))
        seen[key] += 1
    return numbered


def _rising(pairs: Sequence[Match]) -> list[Match]:
    """The longest part of the pairs, which ascend on the left, that ascends on the right too."""
    tails: list[int] = []
    of_tail: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        place = bisect_left(tails, j)
        before.append(of_tail[place - 1] if place else -1)
        if place == len(tails):
            tails.append(j)
            of_tail.append(number)
        else:
            tails[place] = j
            of_tail[place] = number
    chosen: list[Match] = []
    number = of_tail[-1] if of_tail else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]
