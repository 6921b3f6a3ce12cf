"""Edits put back into rows, which the Agents SDK reads in the order of their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.openai_responses_writer import INPUT_WRITER
from toolpair.formats.agents_sdk.detection import MESSAGES, item_in
from toolpair.formats.agents_sdk.format import ITEM
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.writing.linear import Envelope, with_slots
from toolpair.formats.engine.writing.row_ids import in_order_of_ids
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


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return in_order_of_ids(ListEdits(items, transcript, INPUT_WRITER, _ENVELOPE).run(edits), MESSAGES)


_ENVELOPE: Final = _Rows(ITEM)
