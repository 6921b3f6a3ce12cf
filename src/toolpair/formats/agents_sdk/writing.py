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
    """A row that is new, or comes after one with a larger id, gets an id after the last of the table, and so do the
    rows after it.
    """

    def _records(self) -> list[Item]:
        found = super()._records()
        ids = [row_of(item.value, MESSAGES).get("id") for item in found]
        known = facts_in(found).get("last_id")
        last = max(id_ for id_ in (*ids, known, 0) if isinstance(id_, int))
        before = 0
        for number, id_ in enumerate(ids):
            if not row_of(found[number].value, MESSAGES):
                continue
            if not isinstance(id_, int) or (before and id_ <= before):
                last += 1
                id_ = last
                found[number] = Item(found[number].uid, with_slots(found[number].value, {(MESSAGES, "id"): id_}))
            before = id_
        return found


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return _Edits(items, transcript, INPUT_WRITER, _ENVELOPE).run(edits)


_ENVELOPE: Final = _Rows(ITEM)
