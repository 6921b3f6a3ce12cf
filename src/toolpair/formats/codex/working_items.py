"""The working copy of a rollout's records, where a compaction holds a list of items."""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects.openai_responses import Slot
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.item_records import GONE, DraftItem, with_slot

_FRONT: Final = ("timestamp", "ordinal")
"""What Codex writes in front."""


class RolloutRecord(DraftItem):
    """One record of a rollout."""

    __slots__ = ()

    def _built(self) -> Any:
        value = self.value
        in_lists = {slot for slot in (*self.changes, *self.inserted) if HISTORY in slot}
        for slot, new in self.changes.items():
            if slot not in in_lists:
                value = with_slot(value, slot, new, _FRONT)
        for home in {slot[: slot.index(HISTORY)] for slot in in_lists}:
            value = with_slot(value, home, self._with_history(_at(value, home), home, in_lists), _FRONT)
        return value

    def _with_history(self, payload: dict[str, Any], home: Slot, slots: set[Slot]) -> dict[str, Any]:
        """The compaction with its items as they are now, and the list beside them just as long."""
        old = payload[HISTORY]
        notes = payload.get("replacement_history_metadata")
        notes = notes if isinstance(notes, list) and len(notes) == len(old) else None
        first = self.inserted.get((*home, HISTORY, -1), [])
        items: list[Any] = [*first]
        kept: list[Any] = [notes[0] if notes else None] * len(first)
        for number, item in enumerate(old):
            slot = (*home, HISTORY, number)
            new = self.changes.get(slot, item)
            if new is not GONE:
                items.append(new)
                kept.append(notes[number] if notes is not None else None)
            for made in self.inserted.get(slot, ()):
                items.append(made)
                kept.append(notes[number] if notes is not None else None)
        changed = {**payload, HISTORY: items}
        if notes is not None:
            changed["replacement_history_metadata"] = kept
        return changed


def _at(value: Any, slot: Slot) -> Any:
    for step in slot:
        value = value[step]
    return value
