"""The working copy of a rollout while edits are carried out: its records in order, and the items that they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.openai_responses import Slot
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.format import Item
from toolpair.formats.linked_records import LinkedList
from toolpair.transcript.edits import ABSENT

_GONE: Final = object()
_FRONT: Final = ("timestamp", "ordinal")


class Work:
    """One record: its value, what stands at its slots now, and its neighbours in the file."""

    __slots__ = ("after", "before", "changes", "inserted", "item", "uid", "value")

    def __init__(self, uid: int, value: Any, item: Item | None) -> None:
        self.uid = uid
        self.value = value
        self.item = item
        self.changes: dict[Slot, Any] = {}
        self.inserted: dict[Slot, list[dict[str, Any]]] = {}
        """Slot of an item in a list -> items behind it."""
        self.before: Work | None = None
        self.after: Work | None = None

    def at(self, slot: Slot) -> Any:
        """What stands at the slot now; None when it was taken out."""
        if slot in self.changes:
            found = self.changes[slot]
            return None if found is _GONE else found
        found = self.value
        for step in slot:
            found = found[step]
        return found

    def put(self, slot: Slot, value: Any) -> None:
        self.changes[slot] = value

    def take(self, slot: Slot) -> None:
        self.changes[slot] = _GONE

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
        in_lists = {slot for slot in (*self.changes, *self.inserted) if HISTORY in slot}
        for slot, new in self.changes.items():
            if slot not in in_lists:
                value = _replaced(value, slot, new)
        for home in {slot[: slot.index(HISTORY)] for slot in in_lists}:
            value = _replaced(value, home, self._with_history(_at(value, home), home, in_lists))
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
            if new is not _GONE:
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


def _replaced(value: Any, slot: Slot, new: Any) -> Any:
    """A copy of the value with `new` at the slot; all other parts are the same objects."""
    if not slot:
        return new
    key = slot[0]
    if isinstance(value, list):
        return [_replaced(part, slot[1:], new) if number == key else part for number, part in enumerate(value)]
    if len(slot) == 1 and new is ABSENT:
        return {name: part for name, part in value.items() if name != key}
    changed = {**value, key: _replaced(value.get(key), slot[1:], new)}
    return _in_front(changed) if key in _FRONT and key not in value else changed


def _in_front(value: dict[str, Any]) -> dict[str, Any]:
    """The record with its time and its ordinal where Codex writes them."""
    front: dict[str, Any] = {key: value[key] for key in _FRONT if key in value}
    return {**front, **value}


class Works(LinkedList[Work]):
    """All records in file order."""

    def __init__(self, items: Sequence[Item]) -> None:
        super().__init__()
        self.by_uid: dict[int, Work] = {}
        self._next_uid = -1
        for item in items:
            work = Work(item.uid, item.value, item)
            self.by_uid[item.uid] = work
            self._next_uid = min(self._next_uid, item.uid - 1)
        self.extend(self.by_uid.values())

    def new(self, value: dict[str, Any]) -> Work:
        work = Work(self._next_uid, value, None)
        self.by_uid[work.uid] = work
        self._next_uid -= 1
        return work
