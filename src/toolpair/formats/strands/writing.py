"""Edits put back into files, which Strands reads in the order of the numbers in their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.format import Item
from toolpair.formats.forms.writing import FormLinear, FormWriter
from toolpair.formats.strands.detection import AGENT, DATA, MESSAGE, SUMMARY, number_in
from toolpair.formats.strands.format import form
from toolpair.transcript.draft import Slot
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Damaged, Transcript


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """A message that is new, or comes after one with its number or a larger one, gets the next number. The file of the
    agent stays where the summary in it is removed: it keeps more than that.
    """
    made = FormLinear(items, transcript, FormWriter(form().compiled, form().reader)).run(edits)
    about = [item for item in items if row_of(item.value, AGENT)]
    left = {item.uid for item in made}
    made[:0] = [
        Item(one.uid, with_slots(one.value, {(AGENT, DATA, *SUMMARY): None})) for one in about if one.uid not in left
    ]
    last = min((number for number in map(_number_of, items) if number is not None), default=0) - 1
    for place, item in enumerate(made):
        if row_of(item.value, AGENT):
            continue
        if isinstance(item.value, Damaged):
            last += 1  # its number stands in the name of a file that cannot be read
            continue
        number = _number_of(item)
        if number is None or number <= last:
            number = last + 1
            own: dict[Slot, Any] = {(MESSAGE, "id"): f"message_{number}.json", (MESSAGE, DATA, "message_id"): number}
            made[place] = Item(item.uid, with_slots(item.value, own))
        last = number
    return made


def _number_of(item: Item) -> int | None:
    return number_in(as_text(row_of(item.value, MESSAGE).get("id")) or "")
