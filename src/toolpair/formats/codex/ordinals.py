"""The ordinals of a paginated rollout: 0, 1, 2 … They are kept gapless when records are added or removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from toolpair.formats.codex.rollout_lines import ordinal_of
from toolpair.formats.format import Item
from toolpair.transcript.ordering import longest_ascending


class Ordinals(Struct, frozen=True):
    """What a window of a file with ordinals has to know of the others."""

    after: int
    """How many records come after it."""
    before_gap: int
    """How many of them come before the first gap."""
    gapless: bool
    """There is no gap anywhere in the file."""


def is_numbered(values: Iterable[Any]) -> bool:
    """Whether the records have ordinals."""
    return any(ordinal_of(value) is not None for value in values)


def renumbered(before: Sequence[Item], after: Sequence[Item]) -> list[Item]:
    """The records with consecutive ordinals: `after` is the result of edits to `before`.

    A new or moved record takes the next number. The numbers after it shift up until a gap absorbs the difference, and
    down
    after removed records. All other records stay the same Items.
    """
    kept = _in_place(before, after)
    if not is_numbered(item.value for item in before) or len(kept) == len(before) == len(after):
        return list(after)
    gone = {item.uid for item in before} - kept
    place = {item.uid: number for number, item in enumerate(before)}
    numbered: list[Item] = []
    moved_by = 0
    last = _first_number(before)
    walked = 0
    for item in after:
        if item.uid in kept:
            # Removed records before this one leave numbers free.
            for other in before[walked : place[item.uid]]:
                moved_by -= other.uid in gone and ordinal_of(other.value) is not None
            walked = place[item.uid] + 1
            number = ordinal_of(item.value)
            if number is None:
                numbered.append(item)
                continue
            wanted = max(last + 1, number) if moved_by > 0 else number + moved_by
            moved_by = wanted - number
        else:
            own = ordinal_of(item.value) if item.uid not in place else None
            wanted = last + 1 if own is None else own
            moved_by += 1
        last = wanted
        numbered.append(_with_ordinal(item, wanted))
    return numbered


def _first_number(items: Sequence[Item]) -> int:
    """One less than the first ordinal: a fork continues its parent's numbers."""
    return next((number for item in items if (number := ordinal_of(item.value)) is not None), 0) - 1


def _in_place(before: Sequence[Item], after: Sequence[Item]) -> set[int]:
    """The records whose relative order has not changed; the others were moved."""
    place = {item.uid: number for number, item in enumerate(before)}
    still = longest_ascending([place[item.uid] for item in after if item.uid in place])
    return {before[number].uid for number in still}


def _with_ordinal(item: Item, number: int) -> Item:
    value = item.value
    if not isinstance(value, dict) or ordinal_of(value) == number:
        return item
    if "ordinal" in value:
        return Item(item.uid, {**value, "ordinal": number})
    made: dict[str, Any] = {}
    for key, part in value.items():
        made[key] = part
        if key == "timestamp":
            made["ordinal"] = number
    made.setdefault("ordinal", number)
    return Item(item.uid, made)
