"""The working copy that edits are carried out on: one `Work` a record, its blocks in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolpair.formats.base import Item
from toolpair.formats.blocks import block_of
from toolpair.transcript.model import Block, BlockKind, Transcript


class Entry:
    """One block while edits are carried out: its value, kind and id as they are now."""

    __slots__ = ("id", "kind", "slot", "value")

    def __init__(self, kind: BlockKind, value: Any, id_: Any = None, slot: tuple[str | int, ...] = ()) -> None:
        self.kind: BlockKind = kind
        self.value = value
        self.id = id_
        self.slot = slot


class Work:
    """One record while edits are carried out. `value` is the message object; `entries` its blocks."""

    __slots__ = ("dirty", "entries", "fields", "had_entries", "item", "role", "uid", "value")

    def __init__(self, uid: int, role: Any, value: Any, item: Item | None) -> None:
        self.uid = uid
        self.role = role
        self.value = value
        self.item = item
        self.entries: list[Entry] = []
        self.had_entries = False
        self.dirty = item is None
        self.fields: dict[str, Any] = {}

    @property
    def emptied(self) -> bool:
        """All its blocks were taken out."""
        return self.had_entries and not self.entries

    def results(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind == "result"]


class Bench:
    """All works of a transcript in file order, and where each block is now."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self.works: list[Work] = []
        self._entry_of: dict[int, Entry] = {}
        self._work_of: dict[int, Work] = {}
        self._message_works: dict[int, list[Work]] = {}
        self._next_uid = -1
        by_record: dict[int, Work] = {}
        for item in items:
            role = item.value.get("role") if isinstance(item.value, dict) else None
            work = Work(item.uid, role, item.value, item)
            by_record[item.uid] = work
            self.works.append(work)
        self.active = {uid for message in transcript.messages for uid in message.records}
        for message in transcript.messages:
            works = [by_record[uid] for uid in message.records]
            self._message_works[id(message)] = works
            for block in sorted(message.blocks, key=lambda found: found.slot if len(message.records) == 1 else ()):
                entry = Entry(block.kind, block.value, block.id, block.slot)
                work = by_record[block.record]
                work.entries.append(entry)
                work.had_entries = True
                self._entry_of[id(block)] = entry
                self._work_of[id(entry)] = work
        for work in self.works:
            self._complete(work)

    def _complete(self, work: Work) -> None:
        """Blocks of an active record that the transcript leaves out stay where they are."""
        content = work.value.get("content") if isinstance(work.value, dict) and work.had_entries else None
        if not isinstance(content, list):
            return
        known = {entry.slot[-1]: entry for entry in work.entries if len(entry.slot) > 1}
        if len(known) == len(content) or len(known) != len(work.entries):
            return
        work.entries = []
        for number, value in enumerate(content):
            entry = known.get(number)
            if entry is None:
                hidden = block_of(value, work.uid, ("content", number))
                entry = Entry(hidden.kind, value, hidden.id, hidden.slot)
                self._work_of[id(entry)] = work
            work.entries.append(entry)

    def entry(self, block: Block) -> Entry:
        return self._entry_of[id(block)]

    def work(self, entry: Entry) -> Work:
        return self._work_of[id(entry)]

    def works_of(self, message: Any) -> list[Work]:
        return self._message_works[id(message)]

    def new_work(self, role: str, value: dict[str, Any]) -> Work:
        work = Work(self._next_uid, role, value, None)
        self._next_uid -= 1
        self.active.add(work.uid)
        return work

    def add(self, work: Work, position: int, entry: Entry) -> None:
        work.entries.insert(position, entry)
        work.had_entries = True
        work.dirty = True
        self._work_of[id(entry)] = work

    def moved(self, entry: Entry, work: Work) -> None:
        """Note that the entry now stands in `work`."""
        self._work_of[id(entry)] = work
        work.dirty = True

    def take(self, entry: Entry) -> Work:
        """Take the entry out of its work, and the work out when that empties it."""
        work = self.work(entry)
        if not any(found is entry for found in work.entries):
            return work
        work.entries = [found for found in work.entries if found is not entry]
        work.dirty = True
        if work.emptied:
            self.drop(work)
        return work

    def drop(self, work: Work) -> None:
        self.works = [found for found in self.works if found is not work]

    def position(self, work: Work) -> int:
        return next((number for number, found in enumerate(self.works) if found is work), -1)

    def insert_after(self, anchor: Work | None, work: Work) -> None:
        self.works.insert(self.position(anchor) + 1 if anchor is not None else 0, work)

    def following(self, work: Work) -> Iterator[Work]:
        """The active works behind `work`, in order."""
        for found in self.works[self.position(work) + 1 :]:
            if found.uid in self.active:
                yield found
