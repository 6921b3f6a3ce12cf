"""The working copy of records while edits are carried out: in their order, with the items that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.openai_responses import Slot
from toolpair.formats.format import Item
from toolpair.formats.linked_records import LinkedList
from toolpair.transcript.edits import ABSENT

GONE: Final = object()
"""Stands where an item was taken out."""


class DraftItem:
    """One record: its value, what stands at its slots now, and its neighbours in the file."""

    __slots__ = ("after", "before", "changes", "inserted", "item", "uid", "value")

    def __init__(self, uid: int, value: Any, item: Item | None) -> None:
        self.uid = uid
        self.value = value
        self.item = item
        self.changes: dict[Slot, Any] = {}
        self.inserted: dict[Slot, list[dict[str, Any]]] = {}
        """Slot of an item in a list -> items behind it."""
        self.before: DraftItem | None = None
        self.after: DraftItem | None = None

    def at(self, slot: Slot) -> Any:
        """What stands at the slot now; None when it was taken out."""
        if slot in self.changes:
            found = self.changes[slot]
            return None if found is GONE else found
        found = self.value
        for step in slot:
            found = found[step]
        return found

    def put(self, slot: Slot, value: Any) -> None:
        self.changes[slot] = value

    def take(self, slot: Slot) -> None:
        self.changes[slot] = GONE

    def insert_behind(self, slot: Slot, item: dict[str, Any]) -> int:
        """Put an item behind a slot of a list, -1 being in front of all. Gives how many were put there before."""
        made = self.inserted.setdefault(slot, [])
        made.append(item)
        return len(made) - 1

    def result(self) -> Item:
        """The record as it is now; the same Item when nothing changed."""
        if self.item is not None and not self.changes and not self.inserted:
            return self.item
        return Item(self.uid, self._built())

    def _built(self) -> Any:
        value = self.value
        for slot, new in self.changes.items():
            value = with_slot(value, slot, new)
        return value


def with_slot(value: Any, slot: Slot, new: Any, front: tuple[str, ...] = ()) -> Any:
    """A copy of the value with `new` at the slot; all other parts are the same objects.

    A new key of `front` comes first, in the order of that.
    """
    if not slot:
        return new
    key = slot[0]
    if isinstance(value, list):
        return [with_slot(part, slot[1:], new, front) if number == key else part for number, part in enumerate(value)]
    if len(slot) == 1 and new is ABSENT:
        return {name: part for name, part in value.items() if name != key}
    changed = {**value, key: with_slot(value.get(key), slot[1:], new, front)}
    return (
        {**{name: changed[name] for name in front if name in changed}, **changed}
        if key in front and key not in value
        else changed
    )


class Works(LinkedList[DraftItem]):
    """All records in file order."""

    def __init__(self, items: Sequence[Item], make: type[DraftItem] = DraftItem) -> None:
        super().__init__()
        self._make = make
        self.by_uid: dict[int, DraftItem] = {}
        self._next_uid = -1
        for item in items:
            work = make(item.uid, item.value, item)
            self.by_uid[item.uid] = work
            self._next_uid = min(self._next_uid, item.uid - 1)
        self.extend(self.by_uid.values())

    def new(self, value: dict[str, Any]) -> DraftItem:
        work = self._make(self._next_uid, value, None)
        self.by_uid[work.uid] = work
        self._next_uid -= 1
        return work
