"""How much is tried: in every run some of many cases, always the same ones; every night, and on demand, all of them.

TOOLPAIR_TEST_ROUNDS=1 tries every case, 2 and more as many times new ones, 4 and more also what takes very long.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import product
from typing import Final, TypeVar

ROUNDS: Final = int(os.environ.get("TOOLPAIR_TEST_ROUNDS", "0"))
EVERY: Final = ROUNDS >= 4
"""Whether nothing is left out, however long it takes."""

Case = TypeVar("Case")
Other = TypeVar("Other")


def tries(full: int, few: int = 0) -> int:
    """How many cases are made up where a whole round has this many."""
    return full * ROUNDS or few or min(full, max(3, full // 10))


def some(cases: Iterable[Case], few: int) -> list[Case]:
    """This many cases from all over the list; all of them where they are asked for."""
    found = list(cases)
    if ROUNDS or len(found) <= few:
        return found
    return [found[number * len(found) // few] for number in range(few)]


def dealt(cases: Iterable[Case], turn: int, hands: int = 3) -> list[Case]:
    """Of the cases each third, or each of another number, another third in each turn; all where they are asked for."""
    return list(cases) if ROUNDS else list(cases)[turn % hands :: hands]


def mixed(ones: Iterable[Case], others: Iterable[Other]) -> list[tuple[Case, Other]]:
    """Each of both in some pair; all pairs where they are asked for."""
    firsts, seconds = list(ones), list(others)
    if ROUNDS:
        return list(product(firsts, seconds))
    longer = max(len(firsts), len(seconds))
    return [(firsts[number % len(firsts)], seconds[number % len(seconds)]) for number in range(longer)]


def of_each_kind(kinds: Iterable[str], few: int, turn: int | None = None) -> list[int]:
    """The places of this many of each kind, from its first to its last; every place where nothing is left out.

    `turn`: of these only one, another in each turn.
    """
    places: dict[str, list[int]] = {}
    for place, kind in enumerate(kinds):
        places.setdefault(kind, []).append(place)
    steps = range(few) if turn is None else [turn % few]
    wanted = {
        place
        for found in places.values()
        for place in (found if EVERY else [found[step * (len(found) - 1) // max(1, few - 1)] for step in steps])
    }
    return sorted(wanted)
