"""The working copy that edits are carried out on: one `DraftRecord` a record, its blocks in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolpair.dialects.anthropic import block_of
from toolpair.formats.format import Item
from toolpair.formats.linked_blocks import DraftBlock, Entries
from toolpair.formats.linked_records import LinkedList
from toolpair.transcript.model import Block, Message, Transcript


class DraftRecord:
    """One record while edits are carried out: its message object, and its blocks, made when asked for."""

    __slots__ = (
        "_bench",
        "_entries",
        "after",
        "before",
        "dirty",
        "fields",
        "had_entries",
        "item",
        "role",
        "uid",
        "value",
    )

    def __init__(self, bench: Bench, uid: int, role: Any, value: Any, item: Item | None) -> None:
        self._bench = bench
        self._entries: Entries | None = None if item is not None else Entries(self)
        self.uid = uid
        self.role = role
        self.value = value
        self.item = item
        self.had_entries = False
        self.dirty = item is None
        self.fields: dict[str, Any] = {}
        self.before: DraftRecord | None = None
        self.after: DraftRecord | None = None

    @property
    def entries(self) -> Entries:
        if self._entries is None:
            self._entries = Entries(self)
            self._bench.fill(self)
        return self._entries

    @entries.setter
    def entries(self, entries: Entries) -> None:
        self._entries = entries

    @property
    def emptied(self) -> bool:
        """All its blocks were taken out."""
        return self.had_entries and not self.entries

    def results(self) -> list[DraftBlock]:
        return [entry for entry in self.entries if entry.kind == "result"]


class Bench(LinkedList[DraftRecord]):
    """All works of a transcript, in file order, and where each block is now.

    Only the blocks of messages that an edit looks at are made, so one edit in a long history stays cheap.
    """

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__()
        self._entry_of: dict[int, DraftBlock] = {}
        self._next_uid = -1
        self._by_record: dict[int, DraftRecord] = {}
        for item in items:
            role = item.value.get("role") if isinstance(item.value, dict) else None
            work = DraftRecord(self, item.uid, role, item.value, item)
            self._by_record[item.uid] = work
        self.extend(self._by_record.values())
        self._message_of = {uid: message for message in transcript.messages for uid in message.records}
        self._made: set[int] = set()

    def fill(self, work: DraftRecord) -> None:
        """Make the entries of the work's message, of all the records that it is made of."""
        message = self._message_of.get(work.uid)
        if message is None or id(message) in self._made:
            return
        self._made.add(id(message))
        works = self.works_of(message)
        made: dict[int, list[DraftBlock]] = {work.uid: [] for work in works}
        blocks = sorted(message.blocks, key=lambda block: block.slot) if len(works) == 1 else message.blocks
        for block in blocks:
            entry = DraftBlock(block.kind, block.value, block.id, block.slot)
            made.setdefault(block.record, []).append(entry)
            self._entry_of[id(block)] = entry
        for uid, entries in made.items():
            home = self._by_record[uid]
            home.had_entries = home.had_entries or bool(entries)
            home.entries = Entries(home, self._complete(home, entries))

    def _complete(self, work: DraftRecord, entries: list[DraftBlock]) -> list[DraftBlock]:
        """Blocks of an active record that the transcript leaves out stay where they are."""
        content = work.value.get("content") if isinstance(work.value, dict) and work.had_entries else None
        if not isinstance(content, list):
            return entries
        known = {entry.slot[-1]: entry for entry in entries if entry.slot[:-1] == ("content",)}
        others = [entry for entry in entries if entry.slot[:-1] != ("content",)]
        if len(known) == len(content) or any(len(entry.slot) < 2 for entry in others):
            return entries
        completed: list[DraftBlock] = []
        for number, value in enumerate(content):
            entry = known.get(number)
            if entry is None:
                hidden = block_of(value, work.uid, ("content", number))
                entry = DraftBlock(hidden.kind, value, hidden.id, hidden.slot)
            completed.append(entry)
        return [*completed, *others]

    def message_of(self, block: Block) -> Message:
        return self._message_of[block.record]

    def entry(self, block: Block) -> DraftBlock:
        if id(block) not in self._entry_of:
            self.fill(self._by_record[block.record])
        return self._entry_of[id(block)]

    def work(self, entry: DraftBlock) -> DraftRecord:
        """The work that the entry stands in, or stood in last."""
        assert entry.home is not None
        return entry.home.work

    def work_of(self, uid: int) -> DraftRecord:
        return self._by_record[uid]

    def is_of(self, work: DraftRecord, message: Message) -> bool:
        """Whether the work is a record of the message."""
        return self._message_of.get(work.uid) is message

    def works_of(self, message: Message) -> list[DraftRecord]:
        return [self._by_record[uid] for uid in message.records]

    def new_work(self, role: str, value: dict[str, Any]) -> DraftRecord:
        work = DraftRecord(self, self._next_uid, role, value, None)
        self._next_uid -= 1
        return work

    def add(self, work: DraftRecord, anchor: DraftBlock | None, *entries: DraftBlock) -> None:
        """Put entries into a work, behind `anchor`; in front of all when that is None."""
        work.had_entries = True
        work.dirty = True
        for entry in entries:
            work.entries.insert_after(anchor, entry)
            anchor = entry

    def take(self, entry: DraftBlock) -> DraftRecord:
        """Take the entry out of its work, and the work out when that empties it."""
        work = self.work(entry)
        if not work.entries.is_in(entry):
            return work
        work.entries.drop(entry)
        work.dirty = True
        if work.emptied:
            self.drop(work)
        return work

    def following(self, work: DraftRecord) -> Iterator[DraftRecord]:
        """The active works behind `work`, in order."""
        found = work.after
        while found is not None:
            if self.is_active(found):
                yield found
            found = found.after

    def is_active(self, work: DraftRecord) -> bool:
        """Whether what the record says is sent."""
        return work.item is None or work.uid in self._message_of
