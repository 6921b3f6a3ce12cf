"""A draft: a transcript after edits, before a format has put it back into records.

It is a row of messages, each a row of blocks, which remember where they come from. What is new says so by having no
place of its own: its value is written by the dialect, the record around it by the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from toolpair.transcript.linked import LinkedList
from toolpair.transcript.model import Block, BlockKind, Message, Transcript

Slot = tuple[str | int, ...]


class DraftBlock:
    """One block: its value, kind and id as they are now. `slot` is where it stood, None for a new one."""

    __slots__ = ("after", "before", "call_kind", "home", "id", "kind", "slot", "source", "value", "written")

    def __init__(
        self, kind: BlockKind, value: Any, id_: Any = None, slot: Slot | None = None, call_kind: str = ""
    ) -> None:
        self.kind: BlockKind = kind
        self.value = value
        self.id = id_
        self.slot = slot
        self.call_kind = call_kind
        self.source: Block | None = None
        """The transcript's; None for a new one."""
        self.written: Any = None
        """What the file has for it: not its value, where a dialect reads that as something else."""
        self.home: DraftMessage | None = None
        """The message that it stands in, or stood in last."""
        self.before: DraftBlock | None = None
        self.after: DraftBlock | None = None


class DraftMessage:
    """One message of the draft; also a record that holds none, which only keeps its place in the file."""

    __slots__ = (
        "_blocks",
        "after",
        "before",
        "changed",
        "fields",
        "had_blocks",
        "in_list",
        "record",
        "role",
        "slot",
        "source",
        "uid",
        "value",
        "waiting",
    )

    def __init__(self, uid: int, record: Any, slot: Slot, value: Any, source: Any = None) -> None:
        self.uid = uid
        self.record = record
        """The value of the record that it stands in."""
        self.slot = slot
        """Where in the record it stands."""
        self.value = value
        """The message's object as it was, or as it was made; what blocks say now is put into it when it is written."""
        self.source = source
        """What the format gave it for; None when it is new."""
        self.role: Any = value.get("role") if isinstance(value, dict) else None
        self.fields: dict[str, Any] | None = None
        """Fields of the message's object that edits set."""
        self.in_list: DraftMessage | None = None
        """The record in whose list it stands, beside other messages."""
        self.changed = source is None
        self.had_blocks = False
        self.waiting = 0
        """How many blocks are yet to be put into it."""
        self._blocks: LinkedList[DraftBlock] | None = None
        self.before: DraftMessage | None = None
        self.after: DraftMessage | None = None

    @property
    def blocks(self) -> LinkedList[DraftBlock]:
        """As far as they are made: `Draft.fill` does."""
        if self._blocks is None:
            self._blocks = LinkedList()
        return self._blocks

    def set_field(self, key: str, value: Any) -> None:
        self.fields = {**(self.fields or {}), key: value}
        self.changed = True

    @property
    def is_new(self) -> bool:
        return self.source is None

    @property
    def emptied(self) -> bool:
        """All its blocks were taken out, and none is to come."""
        return self.had_blocks and self.blocks.first is None and not self.waiting

    def all_are(self, kind: BlockKind) -> bool:
        return all(block.kind == kind for block in self.blocks)

    def put(self, anchor: DraftBlock | None, *blocks: DraftBlock) -> None:
        """Put blocks after `anchor`; in front of all when that is None."""
        self.had_blocks = self.changed = True
        for block in blocks:
            block.home = self
            self.blocks.insert_after(anchor, block)
            anchor = block

    def arrange(self, blocks: Iterable[DraftBlock]) -> None:
        """Hold these blocks in this order."""
        ordered = list(blocks)
        self._blocks = LinkedList()
        for block in ordered:
            block.before = block.after = None
            block.home = self
        self.blocks.extend(ordered)
        self.had_blocks = self.changed = True


Complete = Callable[[Any, Sequence[DraftBlock]], Sequence[DraftBlock]]
"""Of a message's object and its blocks that the transcript knows: all of its blocks in order."""


class Draft(LinkedList[DraftMessage]):
    """All messages, and the records between them. Blocks are made of the messages that an edit looks at."""

    def __init__(self, messages: Iterable[DraftMessage], transcript: Transcript, complete: Complete) -> None:
        super().__init__()
        self._complete = complete
        self._in_lists: dict[tuple[int, Slot], DraftMessage] = {}
        self._sent_in_lists: dict[int, Message] = {}
        """id() of a message in a list -> the message of the transcript that it is a part of."""
        self._block_of: dict[int, DraftBlock] = {}
        self._filled: set[int] = set()
        made = list(messages)
        self.extend(made)
        self._of_record = {message.uid: message for message in made if message.in_list is None}
        self._sent = {uid: message for message in transcript.messages for uid in message.records}
        """uid of a record -> the message of the transcript that it is a part of."""
        if len(self._of_record) < len(made):
            self._note_lists(made, transcript)

    def _note_lists(self, made: Iterable[DraftMessage], transcript: Transcript) -> None:
        for part in made:
            if part.in_list is not None:
                self._in_lists[part.uid, part.slot] = part
                self._sent.pop(part.uid, None)
        for message in transcript.messages:
            for block in message.blocks:
                found = self._in_lists.get((block.record, block.slot))
                if found is not None:
                    self._sent_in_lists[id(found)] = message

    def of_record(self, uid: int) -> DraftMessage:
        """What stands for the record."""
        return self._of_record[uid]

    def stand_for(self, uid: int, message: DraftMessage) -> None:
        """Let the message stand for that record, too: what is sent in its place is in the other one."""
        self._of_record[uid] = message

    def parts_of(self, message: Message) -> list[DraftMessage]:
        """What the message is made of: of each of its records one, or of each of its blocks where they are many."""
        if not self._in_lists or not message.blocks:
            of = self._of_record
            return list({id(of[uid]): of[uid] for uid in message.records if uid in of}.values())
        parts = (self._at(block) for block in message.blocks)
        return list({id(part): part for part in parts}.values())

    def message_of(self, part: DraftMessage) -> Message | None:
        """The message of the transcript that it is of; None for what is new or not sent."""
        if part.in_list is not None:
            return self._sent_in_lists.get(id(part))
        return self._sent.get(part.uid)

    def is_sent(self, message: DraftMessage) -> bool:
        return message.source is None or self.message_of(message) is not None

    def _at(self, block: Block) -> DraftMessage:
        return self._in_lists.get((block.record, block.slot)) or self._of_record[block.record]

    def block(self, block: Block) -> DraftBlock:
        if id(block) not in self._block_of:
            self.fill(self._at(block))
        return self._block_of[id(block)]

    def blocks_of(self, message: DraftMessage) -> LinkedList[DraftBlock]:
        self.fill(message)
        return message.blocks

    def fill(self, part: DraftMessage) -> None:
        """Make the blocks of the message that this is of, if they are not made yet."""
        message = self.message_of(part)
        if message is None or id(message) in self._filled:
            return
        self._filled.add(id(message))
        parts = self.parts_of(message)
        made: dict[int, list[DraftBlock]] = {id(found): [] for found in parts}
        homes = {id(found): found for found in parts}
        for block in message.blocks:
            home = self._at(block)
            if id(home) not in made:
                homes[id(home)] = home
                made[id(home)] = []
            found = DraftBlock(block.kind, block.value, block.id, block.slot, block.call_kind)
            found.source, found.written = block, value_at(home.record, block.slot)
            self._block_of[id(block)] = found
            made[id(home)].append(found)
        for key, known in made.items():
            home = homes[key]
            if known:
                home.had_blocks = True
                known.sort(key=lambda block: block.slot or ())
                ordered = self._complete(home.value, known)
                for block_ in ordered:
                    block_.home = home
                home.blocks.extend(ordered)

    def take(self, block: DraftBlock) -> None:
        """Take the block out of its message, and the message out when that empties it."""
        home = block.home
        assert home is not None
        if not home.blocks.is_in(block):
            return
        home.blocks.drop(block)
        home.changed = True
        if home.emptied:
            self.drop(home)

    def stands(self, block: DraftBlock) -> bool:
        """Whether the block is in a message that is in the draft."""
        return block.home is not None and block.home.blocks.is_in(block) and self.is_in(block.home)

    def following(self, message: DraftMessage) -> Iterator[DraftMessage]:
        """What is sent after the message, in order."""
        found = message.after
        while found is not None:
            if self.is_sent(found):
                yield found
            found = found.after


def value_at(value: Any, slot: Slot) -> Any:
    """What stands at the slot; None where nothing does."""
    for step in slot:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
