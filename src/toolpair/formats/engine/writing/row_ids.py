"""Ids for rows that are read in the order of their ids, after some were added, removed or moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.format import Item

_LEAST: Final = -(2**63)
_MOST: Final = 2**63 - 1
"""What SQLite's numbers reach from and to."""


def in_order_of_ids(items: list[Item], table: str) -> list[Item]:
    """The same with ids that grow in the rows of this table.

    Of the runs of rows that follow each other, the longest keeps its ids. What is behind it gets ids after the last
    of the table, as far as need be, and what is before it ids before the first: a row that is new near one end does not
    change all those up to the other.
    """
    places = [place for place, item in enumerate(items) if row_of(item.value, table)]
    ids = [id_ if isinstance(id_ := row_of(items[at].value, table).get("id"), int) else None for at in places]
    known, own = facts_in(items), [id_ for id_ in ids if id_ is not None]
    first, last = min((*own, known.get("first_id") or 0, 1)), max((*own, known.get("last_id") or 0))
    # Where there is no room left on one side, all are numbered anew on the other.
    ways = (_given(ids, kept, first, last) for kept in (_longest(ids), (0, 0), (len(ids), len(ids))))
    for made in ways:
        if all(id_ is None or _LEAST <= id_ <= _MOST for id_ in made):
            break
    for place, old, new in zip(places, ids, made, strict=True):
        if new != old:
            items[place] = Item(items[place].uid, with_slots(items[place].value, {(table, "id"): new}))
    return items


def _given(ids: Sequence[int | None], kept: tuple[int, int], first: int, last: int) -> list[int | None]:
    """The ids of all rows where those of a run are kept; `first` and `last` are the ids of the table that are taken."""
    made, (start, end) = list(ids), kept
    before = ids[end - 1] if start < end else 0
    for at in range(end, len(ids)):
        if (id_ := made[at]) is None or id_ <= (before or 0):
            made[at] = last = last + 1
        before = made[at]
    after = ids[start] if start < end else 1
    for at in reversed(range(start)):
        if (id_ := made[at]) is None or (after is not None and id_ >= after):
            made[at] = first = first - 1
        after = made[at]
    return made


def _longest(ids: Sequence[int | None]) -> tuple[int, int]:
    """Where the longest run of growing ids begins and ends."""
    best = start = end = 0
    begins = 0
    for at, id_ in enumerate(ids):
        if id_ is None:
            begins = at + 1
            continue
        before = ids[at - 1] if at > begins else None
        if before is not None and before >= id_:
            begins = at
        if at + 1 - begins > best:
            best, start, end = at + 1 - begins, begins, at + 1
    return start, end
