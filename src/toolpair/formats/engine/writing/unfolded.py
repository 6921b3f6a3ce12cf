"""Records that hold a message together with the results of its calls: unfolded for edits, and folded again.

An API of chat messages has these results as messages of their own. So a record is unfolded to its own message and one
for each result; edits change that row as they change any list of chat messages; then each result is folded into the
record of the message that it follows. Records of which nothing changed stay the same objects.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.linear import OF_RECORDS, Linear, with_slots
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import Edit, InsertRecord, MoveRecord, RemoveRecord, said_of
from toolpair.transcript.model import Block, Message, Transcript


class Unfolded(Struct, eq=False):
    """One message of a record: its own, or a result in it."""

    item: Item
    slot: Slot
    value: Any
    """As the API is sent it; None where the record has no message."""
    own: bool
    message: Message | None
    """The transcript's."""
    alone: Message | None
    """The same, of a record that holds nothing else."""


class Folded(Struct, eq=False):
    """A record after edits: its own message, and the results that follow it."""

    own: DraftMessage
    of: Unfolded | None
    """What it was; None for a new record."""
    results: list[tuple[DraftMessage, Unfolded | None]] = field(default_factory=list)
    changes: Mapping[Slot, Any] = {}
    """What edits of the record as such put into it."""


class Folding(Linear):
    """Applies one batch of edits to records that hold several messages each."""

    def __init__(
        self, items: Sequence[Item], transcript: Transcript, parts: Sequence[Unfolded], writer: Writer
    ) -> None:
        """`parts` are all messages of all records, each made with its place among them as `alone`'s record."""
        self._parts = dict(enumerate(parts))
        self._own = {part.item.uid: number for number, part in self._parts.items() if part.own}
        self._of: dict[int, list[int]] = {}
        self._messages_of: dict[int, Message] = {}
        self._blocks_of: dict[int, Block] = {}
        for number, part in self._parts.items():
            self._of.setdefault(part.item.uid, []).append(number)
            if part.message is not None and part.alone is not None:
                self._messages_of[id(part.message)] = part.alone
                both = zip(part.message.blocks, part.alone.blocks, strict=True)
                self._blocks_of.update((id(block), alone) for block, alone in both)
        self._inserted: set[int] = set()
        """id() of each new record that an edit gave as a whole."""
        row = [Item(number, part.value) for number, part in self._parts.items()]
        alone = tuple(part.alone for part in parts if part.alone is not None)
        super().__init__(row, replace(transcript, messages=alone), writer)
        self._next_uid = min((item.uid for item in items), default=0)
        self._next_uid = min(self._next_uid, 0) - 1

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        return super().run(
            said_of(edits, lambda block: self._blocks_of[id(block)], lambda found: self._messages_of[id(found)])
        )

    def take(self, edit: Edit) -> None:
        if isinstance(edit, OF_RECORDS):
            named = {
                key: self._own[uid] for key in ("record", "after", "before") if (uid := _uid(edit, key)) in self._own
            }
            edit = replace(edit, **named)
        super().take(edit)

    def carry_out(self, edit: Edit) -> None:
        uid = getattr(edit, "record", None)
        with_it = self._of[self._parts[uid].item.uid][1:] if uid in self._parts else []
        if isinstance(edit, MoveRecord) and edit.after in self._parts:
            edit = replace(edit, after=self._of[self._parts[edit.after].item.uid][-1])
        known = set(map(id, self.draft)) if isinstance(edit, InsertRecord) else set()
        super().carry_out(edit)
        if isinstance(edit, InsertRecord):
            self._inserted.update(id(message) for message in self.draft if id(message) not in known)
        for last, number in zip((uid, *with_it), with_it, strict=False):
            if isinstance(edit, RemoveRecord):
                super().carry_out(RemoveRecord(number))
            elif isinstance(edit, MoveRecord) and last is not None:
                super().carry_out(MoveRecord(number, last))

    def _records(self) -> list[Item]:
        found: list[Folded] = []
        for message in self.draft:
            part = self._parts.get(message.uid) if not message.is_new else None
            if found and self._is_result(message, part) and self._holds(found[-1]):
                found[-1].results.append((message, part))
            else:
                own = part is not None and part.own
                found.append(Folded(message, part if own else None, changes=self._set.get(message.uid, {})))
        return [self._folded(one) for one in found]

    def _is_result(self, message: DraftMessage, part: Unfolded | None) -> bool:
        if part is not None:
            return not part.own
        role = message.value.get("role") if isinstance(message.value, dict) else None
        return role == "tool" and id(message) not in self._inserted

    def _holds(self, record: Folded) -> bool:
        return isinstance(record.of.item.value, dict) if record.of is not None else id(record.own) not in self._inserted

    def _folded(self, record: Folded) -> Item:
        if record.of is None:
            if id(record.own) in self._inserted:
                return Item(record.own.uid, record.own.record)
            uid = self._fresh_uid() if not record.own.is_new else record.own.uid
            return Item(uid, self.new_record(record))
        item = record.of.item
        changes = {**self.changes_of(record), **record.changes}
        return item if not changes else Item(item.uid, with_slots(item.value, changes))

    @abstractmethod
    def new_record(self, record: Folded) -> Any:
        """A new record."""

    @abstractmethod
    def changes_of(self, record: Folded) -> Mapping[Slot, Any]:
        """What is to be changed in a record of the file; empty if nothing."""


def _uid(edit: Edit, key: str) -> Any:
    found = getattr(edit, key, None)
    return found if isinstance(found, int) else None
