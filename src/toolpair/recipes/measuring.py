"""Counting the records in which two states of a conversation differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from toolpair.recipes.recipe import RecipeRecord
from toolpair.transcript.ordering import longest_ascending


class Touched(Struct, frozen=True):
    """Numbers of differing records. One that only moved counts as changed."""

    changed: int = 0
    added: int = 0
    removed: int = 0
    replaced: int = 0
    """How many of the added ones replace a removed one: that is one record touched."""

    def __add__(self, other: Touched) -> Touched:
        return Touched(
            self.changed + other.changed,
            self.added + other.added,
            self.removed + other.removed,
            self.replaced + other.replaced,
        )

    @property
    def total(self) -> int:
        return self.changed + self.added + self.removed - self.replaced


def touched(before: Sequence[RecipeRecord], after: Sequence[RecipeRecord]) -> Touched:
    """What was done to the records. Linear, except for ordering those that moved."""
    old = {record.uid: (number, record) for number, record in enumerate(before)}
    stayed = [(*old[record.uid], record) for record in after if record.uid in old]
    in_order = longest_ascending([number for number, _, _ in stayed])
    changed = sum(number not in in_order or _differ(then, now) for number, then, now in stayed)
    there = {now.uid for _, _, now in stayed}
    replaced = _added_after(before, there) & _added_after(after, there)
    return Touched(changed, len(after) - len(stayed), len(before) - len(stayed), replaced.total())


def _added_after(records: Sequence[RecipeRecord], there: set[int]) -> Counter[int | None]:
    """For each record in both states, how many records that only this state has come after it."""

    def behind() -> Iterator[int | None]:
        last: int | None = None
        for record in records:
            if record.uid in there:
                last = record.uid
            else:
                yield last

    return Counter(behind())


def _differ(one: RecipeRecord, other: RecipeRecord) -> bool:
    return one is not other and one.value is not other.value and bool(one.value != other.value)
