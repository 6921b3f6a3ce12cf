"""Putting a draft into records that form a tree: each names its parent, and one path is sent.

The draft has the order in which records are sent. A record that follows another one than before links to that one now;
the children of a removed record link to its parent. What is sent is not quite the path: a summary is sent before
records that it follows in the path, and records beside the path are sent, too.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.linear import OF_RECORDS, with_slots
from toolpair.formats.engine.writing.linked_records import LinkedRecords, LinkEnvelope
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import (
    Edit,
    MoveResult,
    RemoveMessage,
    SetField,
)
from toolpair.transcript.model import Block, Message, Transcript


class TreeEnvelope(LinkEnvelope, frozen=True):
    """`new_record` leaves room for both keys where the agent writes them."""

    first_of: tuple[str, ...] = ()
    """Fields that name the record which a part of the path begins with: the next one when that is gone."""

    def is_node(self, value: Any) -> bool:
        """Whether a record is one of the tree. The agent continues from the last one."""
        return self.id_key in (self.fields_of(value) or {})

    def goes_with(self, value: Any) -> bool:
        """Whether a record goes with the one before it: what follows that one follows both."""
        return False


class Tree(LinkedRecords):
    """One batch of edits of one transcript.

    `path`: uids of the records that the agent reads, from the root on; by default what the links of the last record
    lead through. `instead`: uid of a record -> uid of the one in whose place its content is sent.
    """

    envelope: TreeEnvelope

    def __init__(
        self,
        items: Sequence[Item],
        transcript: Transcript,
        writer: Writer,
        envelope: TreeEnvelope,
        path: Sequence[int] | None = None,
        instead: Mapping[int, int] | None = None,
    ) -> None:
        self._instead = instead or {}
        replaced = set(self._instead.values())
        uids = (uid for message in transcript.messages for uid in message.records)
        self._sent = {uid: None for uid in uids if uid not in replaced}
        """uids of the records that are sent, in order. A replaced record has the uid of the one with its content."""
        super().__init__(items, transcript, writer, envelope)
        for uid, other in self._instead.items():
            self.draft.also_for(other, self.lines[uid])
        self._order = [item.uid for item in items]
        self._path = list(path) if path is not None else self._path_up()
        self._nameless = any(self._id(uid) is None for uid in self._order)
        last = next((uid for uid in reversed(self._order) if self._is_node(uid)), None)
        self._ends_file = bool(self._path) and self._path[-1] == last
        self._gone: set[int] = set()
        """uids of the removed records."""
        self._going: set[int] = set()
        """uids of those that edits of records remove, all at once at the end."""
        self._edits: list[Edit] = []
        """Edits of records as such, which come last."""
        self._moved: set[int] = set()
        """uids of the moved results: their parent may be a record that is not sent."""
        self._kept: set[int] = set()
        """id() of each draft message that holds content set by an edit."""
        self._blocks_by_value: dict[int, Block] = {}
        self._in_blocks = transcript.layout == "blocks" and writer.results_are_messages
        """A message of several blocks is in several records, one for each result."""

    def _messages(self) -> Sequence[DraftMessage]:
        """First the sent ones, in order, then all others."""
        made = super()._messages()
        sent = [found for uid in self._sent if (found := self.lines.get(uid)) is not None]
        roles = {uid: message.role for message in self.transcript.messages for uid in message.records}
        for message in sent:
            message.role = roles[message.uid]
        elsewhere = self._sent.keys() | self._instead.values()
        return [*sent, *(message for message in made if message.uid not in elsewhere)]

    def take(self, edit: Edit) -> None:
        match edit:
            case _ if isinstance(edit, OF_RECORDS):
                self._edits.append(edit)
            case MoveResult(result=result):
                self._moved.add(result.record)
                super().take(edit)
            case SetField(message=message, key="content", value=str() | list() as content) if self._in_blocks:
                self.drafter.settle()
                self._set_content(message, [content] if isinstance(content, str) else content)
            case RemoveMessage(message=message) if self._kept:
                self.drafter.settle()
                for part in self.draft.parts_of(message):
                    if id(part) not in self._kept:
                        self.draft.drop(part)
            case _:
                super().take(edit)

    def new(self, value: Any, beside: DraftMessage) -> DraftMessage:
        made = super().new(value, beside)
        if self.envelope.linked:
            name = self.fresh_id(self.id_of(beside), len(self.by_id) + self._nameless)
            within = self.envelope.within
            ids = {self.envelope.id_key: name, self.envelope.parent_key: None}
            made.record = with_slots(made.record, {(*within, key): value for key, value in ids.items()})
        self.index(made)
        return made

    def finish(self) -> None:
        """Link records to those that they follow now, then carry out the edits of records as such."""
        said = [
            self._instead.get(message.uid, message.uid)
            for message in self.draft
            if message.uid in self._sent or message.source is None
        ]
        before = [self._instead.get(uid, uid) for uid in self._sent]
        if said != before or not self._moved.isdisjoint(said):
            self._relink(said, before)
        for edit in self._edits:
            self.carry_out(edit)
        self._take_out(self._going)

    def _records(self) -> list[Item]:
        return [self._item(self.lines[uid], ()) for uid in self._order]

    def _item(self, message: DraftMessage, listed: Sequence[DraftMessage]) -> Item:
        if message.changed and message.uid in self._sent and not self.draft.is_in(message):
            message.changed = False  # its content is removed, other fields of the record stay
        return super()._item(message, listed)

    # --- what messages say -------------------------------------------------------------------------------

    def _set_content(self, message: Message, content: Sequence[Any]) -> None:
        """Give the message this content: one record for each result, and one for what is between results."""
        parts = self.draft.parts_of(message)
        blocks = [self._block_with(value) for value in content]
        if len(blocks) == 1 and blocks[0].source is None and isinstance(content[0], str):
            said = self.draft.blocks_of(parts[0]).first
            if said is not None:  # text replaces text in the same slot
                said.value, blocks = content[0], [said]
                parts[0].changed = True
        groups: list[list[DraftBlock]] = []
        for block in blocks:
            if not groups or "result" in (block.kind, groups[-1][-1].kind):
                groups.append([])
            groups[-1].append(block)
        homes = [next(filter(None, map(self._free_home, group)), None) for group in groups]
        spare = (part for part in parts if id(part) not in self._kept)
        previous, front = parts[0].before, parts[0]
        for group, home in zip(groups, homes, strict=True):
            home = home or next(spare, None) or self.new(self.writer.holder(str(message.role)), previous or front)
            self._kept.add(id(home))
            if list(home.blocks) != group:
                home.arrange(group)
            self.draft.drop(home)
            self.draft.insert_after(previous, home)
            previous = home
        for part in spare:
            self.draft.drop(part)

    def _block_with(self, value: Any) -> DraftBlock:
        if not self._blocks_by_value:
            blocks = (block for message in self.transcript.messages for block in message.blocks)
            self._blocks_by_value = {id(block.value): block for block in blocks}
        found = self._blocks_by_value.get(id(value))
        return self.draft.block(found) if found is not None else self.writer.block(value)

    def _free_home(self, block: DraftBlock) -> DraftMessage | None:
        """The message that holds the block, unless it has its new content already."""
        home = block.home
        if home is None or id(home) in self._kept or not self.draft.is_in(home):
            return None
        self._kept.add(id(home))
        return home

    # --- links and places --------------------------------------------------------------------------------

    def _relink(self, said: Sequence[int], before: Sequence[int]) -> None:
        """Link the records so that these are sent in this order, and remove those that are not among them."""
        path = self._path
        known, place = set(before), {uid: number for number, uid in enumerate(path)}
        staying = _in_order([uid for uid in said if uid in place], [uid for uid in before if uid in place])
        beside = known - place.keys()
        staying -= self._moved
        after, ahead = _places([uid for uid in said if uid not in beside], staying, place)
        after = {self._end_of(uid, place): others for uid, others in after.items()}
        now = list(_woven([uid for uid in path if uid not in known or uid in staying], after, ahead))
        if now:
            above = dict(zip(path[1:], path, strict=False))
            root = self._parent(path[0]) if path else None
            for child, parent in zip(now[1:], now, strict=False):
                if above.get(child) != parent:
                    self.link(self.lines[child], self._name(parent))
            if path and now[0] != path[0]:
                self.link(self.lines[now[0]], root)
            for following, first in ahead.items():
                self._now_begins_with(self._id(following) if following is not None else None, first)
        self._take_out(known - set(said))
        moved = known - staying - beside
        self._put_all_after(
            {uid: other for uid, other in zip(now, [None, *now], strict=False) if uid < 0 or uid in moved}
        )
        last = next((uid for uid in reversed(self._order) if self._is_node(uid)), None)
        if now and self._ends_file and last is not None and last != now[-1]:
            # The agent continues from the last record of the file.
            self._put_all_after({now[-1]: last})

    def _end_of(self, uid: int | None, place: Mapping[int, int]) -> int | None:
        """The last of the records that go with this one."""
        at = place.get(uid, len(self._path)) + 1 if uid is not None else len(self._path)
        while at < len(self._path) and self.envelope.goes_with(self.lines[self._path[at]].record):
            uid, at = self._path[at], at + 1
        return uid

    def _now_begins_with(self, old: Any, first: Sequence[int]) -> None:
        """Let fields that name the former first record name the new one."""
        for uid in self._order if first and old is not None else ():
            for key in self.envelope.first_of:
                if self._field(uid, key) == old:
                    self.set(self.lines[uid], key, self._name(first[0]))

    def _take_out(self, gone: Collection[int]) -> None:
        """Remove these records; their children link to their parents."""
        if not gone:
            return
        self._gone.update(gone)
        left = {self._id(uid) for uid in self._order if uid not in gone}
        parents = {self._id(uid): self._parent(uid) for uid in self._order if uid in gone}
        following: dict[Any, Any] = {}
        after: Any = None
        for uid in reversed(self._path):
            if uid in gone:
                following[self._id(uid)] = after
            else:
                after = self._id(uid)
        self._order = [uid for uid in self._order if uid not in gone]
        for uid in self._order:
            parent, passed = self._parent(uid), set[Any]()
            while parent is not None and parent in parents and parent not in left and parent not in passed:
                passed.add(parent)
                parent = parents[parent]
            if passed:
                self.link(self.lines[uid], parent if parent not in passed else None)
            for key in self.envelope.first_of:
                if (named := self._field(uid, key)) is not None and named in following and named not in left:
                    self.set(self.lines[uid], key, following[named])

    def _put_all_after(self, places: Mapping[int, int | None]) -> None:
        """Put each record after another one in the file; with None, before the first node."""
        if not places:
            return
        after: dict[int | None, list[int]] = defaultdict(list)
        for uid, other in places.items():
            after[other].append(uid)
        made: list[int] = []
        for uid in self._order:
            if uid in places:
                continue
            todo = [uid]
            if None in after and self._is_node(uid):
                todo += reversed(after.pop(None))
            while todo:
                made.append(todo.pop())
                todo += reversed(after.pop(made[-1], ()))
        for rest in after.values():
            made += rest
        self._order = made

    def is_there(self, line: DraftMessage) -> bool:
        return line.uid not in self._gone

    def put_after(self, line: DraftMessage, other: DraftMessage) -> None:
        self._put_all_after({line.uid: other.uid})

    def put_before(self, line: DraftMessage, other: DraftMessage) -> None:
        self.index(line)
        self._order.insert(self._order.index(other.uid), line.uid)

    def remove_record(self, line: DraftMessage) -> None:
        self._going.add(line.uid)

    # --- ids ---------------------------------------------------------------------------------------------

    def _path_up(self) -> list[int]:
        """What the links of the last record lead through, from the root on."""
        line = next((line for line in reversed(self.lines.values()) if self.id_of(line) is not None), None)
        path: dict[int, None] = {}
        while line is not None and line.uid not in path:
            path[line.uid] = None
            line = self.named(self.parent_of(line))
        return list(path)[::-1]

    def _is_node(self, uid: int) -> bool:
        return self.envelope.is_node(self.lines[uid].record)

    def _id(self, uid: int) -> Any:
        return self.id_of(self.lines[uid])

    def _parent(self, uid: int) -> Any:
        return self.parent_of(self.lines[uid])

    def _field(self, uid: int, key: str) -> Any:
        return self.envelope.as_id(self.get(self.lines[uid], key))

    def _name(self, uid: int) -> Any:
        """The id of a record that others link to: a new one where it has none."""
        name = self._id(uid)
        if name is None and self.envelope.linked:
            name = self.fresh_id(uid)
            self.rename(self.lines[uid], name)
        return name


def _in_order(said: Sequence[int], before: Sequence[int]) -> set[int]:
    """The longest selection of these records that keeps its old order."""
    place = {uid: number for number, uid in enumerate(before)}
    ends: list[int] = []
    last: list[int] = []
    above: dict[int, int | None] = {}
    for uid in said:
        if uid not in place:
            continue
        at = bisect_left(ends, place[uid])
        above[uid] = last[at - 1] if at else None
        ends[at : at + 1], last[at : at + 1] = [place[uid]], [uid]
    found: set[int] = set()
    walked: int | None = last[-1] if last else None
    while walked is not None:
        found.add(walked)
        walked = above[walked]
    return found


_Placed = dict[int | None, list[int]]


def _places(said: Iterable[int], staying: Collection[int], place: Mapping[int, int]) -> tuple[_Placed, _Placed]:
    """(uid of a staying record -> those that go after it, the same for those that go before it; None: at the end).

    They go before it where none precedes them, or only a summary, which follows in the file what it precedes when sent.
    """
    after: _Placed = defaultdict(list)
    ahead: _Placed = defaultdict(list)
    waiting: list[int] = []
    anchor: int | None = None
    for uid in said:
        if uid not in staying:
            waiting.append(uid)
            continue
        if anchor is None or place[uid] < place[anchor]:
            ahead[uid] += waiting
        else:
            after[anchor] += waiting
        anchor, waiting = uid, []
    (after if anchor is not None else ahead)[anchor] += waiting
    return after, ahead


def _woven(kept: Iterable[int], after: _Placed, ahead: _Placed) -> Iterator[int]:
    """The staying records, with those that go before and after each."""
    for uid in kept:
        yield from ahead.get(uid, ())
        yield uid
        yield from after.get(uid, ())
    yield from ahead.get(None, ())
