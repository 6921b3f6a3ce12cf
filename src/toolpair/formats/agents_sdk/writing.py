"""Edits put back into rows, which the Agents SDK reads in the order of their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.openai_responses_writer import INPUT_WRITER
from toolpair.formats.agents_sdk.detection import MESSAGES, item_in
from toolpair.formats.agents_sdk.format import ITEM
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.writing.linear import Envelope, with_slots
from toolpair.formats.format import Item
from toolpair.formats.lists.writing import ListEdits
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.transcript.draft import DraftMessage, Slot


class _Rows(Envelope, frozen=True):
    def slot_in(self, value: Any) -> Slot:
        return ITEM if isinstance(item_in(value), dict) else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        """The columns of its neighbour's row; its id comes last, when its place is known."""
        return with_slots({}, {(MESSAGES,): {**row_of(beside.record, MESSAGES), "id": None}, ITEM: message})


class _Edits(ListEdits):
    """Of the runs of rows that follow each other, the longest keeps its ids. What is behind it gets ids after the last
    of the table, as far as need be, and what is before it ids before the first: a row that is new near one end does not
    change all those up to the other.
    """

    def _records(self) -> list[Item]:
        found = super()._records()
        places = [place for place, item in enumerate(found) if row_of(item.value, MESSAGES)]
        ids = [id_ if isinstance(id_ := row_of(found[at].value, MESSAGES).get("id"), int) else None for at in places]
        known, own = facts_in(found), [id_ for id_ in ids if id_ is not None]
        start, end = _longest(ids)
        made = list(ids)
        before, last = ids[end - 1] if end else 0, max((*own, known.get("last_id") or 0))
        for at in range(end, len(ids)):
            if (id_ := made[at]) is None or id_ <= (before or 0):
                made[at] = last = last + 1
            before = made[at]
        after, first = ids[start] if end else 1, min((*own, known.get("first_id") or 0, 1))
        for at in reversed(range(start)):
            if (id_ := made[at]) is None or (after is not None and id_ >= after):
                made[at] = first = first - 1
            after = made[at]
        for place, old, new in zip(places, ids, made, strict=True):
            if new != old:
                found[place] = Item(found[place].uid, with_slots(found[place].value, {(MESSAGES, "id"): new}))
        return found


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


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return _Edits(items, transcript, INPUT_WRITER, _ENVELOPE).run(edits)


_ENVELOPE: Final = _Rows(ITEM)
