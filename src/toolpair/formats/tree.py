"""Edits of a history that is a tree of records: what they make of its messages is written as records and links.

The messages are edited as a list, as those of any other format. Each is then written into the records that it was read
from; a result or a message that is new gets a record of its own, and the links follow the new order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolpair.formats.anthropic_editor import MessageEditor
from toolpair.formats.format import Item
from toolpair.formats.item_records import with_slot
from toolpair.formats.tree_history import Node, fresh_id
from toolpair.formats.turns import Turn
from toolpair.transcript.edits import (
    Edit,
    InsertRecord,
    MoveRecord,
    Reidentify,
    Relink,
    RemoveRecord,
    SetInRecord,
    said_of,
)
from toolpair.transcript.model import Block, Message, Transcript

Slot = tuple[str | int, ...]
OriginOf = Callable[[Any], tuple[Block | None, Any]]
"""The block that a value was read as, or that it was made of, and what stands there in the file."""
_OF_RECORDS: Final = (Relink, Reidentify, MoveRecord, RemoveRecord, SetInRecord, InsertRecord)


Change = tuple[int, Slot, Any]
"""What is to be written at a slot of the record with this uid."""


class Dialect(Protocol):
    """How an API spells what stands in a record."""

    def part_of(self, value: Any, was: Block | None, raw: Any) -> Any:
        """A block as a part of a content; the same object as `raw` when it is still what it was read as."""

    def result_of(self, value: dict[str, Any], was: Block | None, raw: dict[str, Any]) -> dict[str, Any]:
        """A result as a message of its own, made of the one that it was read from."""


class Envelope(ABC):
    """How a format writes a turn into a record: where the message stands, and what is around it."""

    id: str
    parent: str
    """The keys of a record's id and of the one that it links to."""
    also: tuple[str, ...] = ()
    """Further keys that name a record: where that is taken out, they name the next one."""
    linked: bool = True
    """False where records have neither: each follows from the one before it in the file."""
    slot: Slot = ("message",)
    """Where the message stands, with its content in "content"."""
    dialect: Dialect

    @abstractmethod
    def message(self, role: str, values: Sequence[Any], near: Any, name: str | None) -> dict[str, Any]:
        """A new message that says this, like the one of the record `near`; of a result, `name` is the tool's."""

    @abstractmethod
    def record(self, message: dict[str, Any], near: Any, id_: str) -> dict[str, Any]:
        """A new record with this message, like the one `near` it. Its link upwards is written later."""

    def changes(self, turn: Turn, role: str, values: Sequence[Any], origin: OriginOf) -> Iterator[Change]:
        """What makes the turn's record say this."""
        uid, at = turn.node.uid, turn.blocks[0].slot if turn.blocks else (*self.slot, "content")
        content = at if at[-1] == "content" else at[:-1]
        if turn.role != role:
            yield uid, self.slot, self.message(role, values, turn.node.value, None)
        elif role == "result":
            was, raw = origin(values[0])
            known = raw if was is not None else self.message(role, values, turn.node.value, None)
            yield uid, self.slot, self.dialect.result_of(values[0], was, known)
        elif at == content and len(values) == 1 and isinstance(values[0], str):
            yield turn.blocks[0].record, at, values[0]
        elif content[-1:] == ("content",):
            parts = [self.dialect.part_of(value, *origin(value)) for value in values]
            yield turn.blocks[0].record if turn.blocks else uid, content, parts
        # All else is what the agent says in words of its own: these stand nowhere.


class TreeWriter:
    """One batch of edits. `path` is the history from root to leaf, `turns` what of it is sent, in that order."""

    def __init__(
        self,
        items: Sequence[Item],
        transcript: Transcript,
        nodes: Sequence[Node],
        path: Sequence[Node],
        turns: Sequence[Turn],
        envelope: Envelope,
    ) -> None:
        self._items = {item.uid: item for item in items}
        self._transcript = transcript
        self._nodes = {node.uid: node for node in nodes}
        self._path = path
        self._turns = turns
        self._envelope = envelope
        self._values: dict[int, Any] = {item.uid: item.value for item in items}
        self._order = [item.uid for item in items]
        self._ids: dict[int, Any] = {node.uid: node.id for node in nodes}
        blocks = (block for message in transcript.messages for block in message.calls)
        self._names = {block.id: block.name for block in blocks if isinstance(block.id, str)}
        self._taken: set[Any] = set(self._ids.values())
        self._next_uid = min([0, *self._items]) - 1

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        of_messages = [edit for edit in edits if not isinstance(edit, _OF_RECORDS)]
        if of_messages:
            self._relink(self._said(of_messages))
        for edit in edits:
            if isinstance(edit, _OF_RECORDS):
                self._carry_out(edit)
        return [self._item(uid) for uid in self._order if uid in self._values]

    def _item(self, uid: int) -> Item:
        old, value = self._items.get(uid), self._values[uid]
        return old if old is not None and old.value is value else Item(uid, value)

    # --- what is said ------------------------------------------------------------------------------------

    def _said(self, edits: Sequence[Edit]) -> list[int]:
        """Carry edits of messages out. Gives the uids of the records that are said now, in order."""
        drafts = _Drafts(self._items, self._transcript, edits)
        turn_of = {id(block): turn for turn in self._turns for block in turn.blocks}
        by_uid = {turn.node.uid: turn for turn in self._turns}
        groups: list[_Group] = []
        for message, role, values in drafts.messages():
            own = [by_uid[uid] for uid in message.records if uid in by_uid] if message is not None else []
            if values is None:
                groups += [_Group(turn.role, (), own, turn, kept=True) for turn in own]
            else:
                groups += [_Group(kind, group, own) for kind, group in _groups(role, values)]
        used = {id(group.home) for group in groups}
        for group in groups:
            for value in group.values if group.home is None else ():
                turn = turn_of.get(id(drafts.origin(value)[0]))
                if turn is not None and turn.role == group.role and id(turn) not in used:
                    group.home = turn
                    used.add(id(turn))
                    break
        for group in groups:
            # Where what a record said is gone, what stands in its place is written into it.
            group.home = group.home or next((turn for turn in group.own if id(turn) not in used), None)
            used.add(id(group.home))
        said: list[int] = []
        beside: Turn | None = None
        for group in groups:
            said.append(self._write(group, beside, drafts.origin))
            beside = group.home or beside
        return said

    def _write(self, group: _Group, beside: Turn | None, origin: OriginOf) -> int:
        """The uid of the record that says it."""
        if group.home is not None:
            if not group.kept:
                for uid, slot, value in self._envelope.changes(group.home, group.role, group.values, origin):
                    self._values[uid] = with_slot(self._values[uid], slot, value)
            return group.home.node.uid
        turn = beside or next(iter(self._turns), None)
        near = turn.node.value if turn is not None else None
        seed = [turn.node.id if turn is not None else "", group.role, *(_named(value) for value in group.values)]
        id_ = fresh_id(":".join(map(str, seed)), self._taken)
        name = self._names.get(_named(group.values[0])) if group.role == "result" else None
        message = self._envelope.message(group.role, group.values, near, name)
        return self._add(self._envelope.record(message, near, id_), id_)

    def _add(self, value: Any, id_: Any = None) -> int:
        uid, self._next_uid = self._next_uid, self._next_uid - 1
        self._values[uid] = value
        self._ids[uid] = id_
        return uid

    # --- links and places --------------------------------------------------------------------------------

    def _relink(self, said: Sequence[int]) -> None:
        """Make the history say these records in this order: what is not among them goes."""
        before = [turn.node.uid for turn in self._turns]
        if list(said) == before:
            return
        known, path = set(before), [node.uid for node in self._path]
        staying = _in_order(said, before)
        behind, ahead = _places(said, staying, {uid: number for number, uid in enumerate(path)})
        now = list(_woven([uid for uid in path if uid not in known or uid in staying], behind, ahead))
        if not now:
            self._take_out(known)
            return
        above: dict[int, int] = dict(zip(path[1:], path, strict=False))
        for uid, parent in zip(now[1:], now, strict=False):
            if above.get(uid) != parent:
                self._set_parent(uid, self._ids.get(parent))
        if path and now[0] != path[0]:
            self._set_parent(now[0], self._nodes[path[0]].parent)
        for uid, first in ahead.items():
            self._names_now(self._ids.get(uid), first)
        self._take_out(known - set(said))
        ended = bool(path) and next(reversed(self._nodes)) == path[-1]
        moved = known - staying
        self._put_behind({uid: other for uid, other in zip(now, [None, *now], strict=False) if uid < 0 or uid in moved})
        last = next((uid for uid in reversed(self._order) if uid in self._ids), None)
        if ended and last is not None and last != now[-1]:
            # The agent goes on from the last record of the file.
            self._put_behind({now[-1]: last})

    def _names_now(self, old: Any, first: Sequence[int]) -> None:
        """What named the first of the records that are said names the new first one."""
        for uid in self._order if first and old is not None else ():
            value = self._values[uid]
            for key in self._envelope.also if isinstance(value, dict) else ():
                if value.get(key) == old:
                    self._values[uid] = {**self._values[uid], key: self._ids[first[0]]}

    def _take_out(self, gone: set[int]) -> None:
        """What hangs on these records hangs on those above them."""
        if not gone:
            return
        for uid in gone:
            self._values.pop(uid, None)
        now: dict[Any, Any] = {}
        follows: dict[Any, Any] = {}
        for node in self._nodes.values():
            if node.uid in gone and node.id is not None:
                now[node.id] = now.get(node.parent, node.parent)
        after: Any = None
        for node in reversed(self._path):
            if node.uid not in gone:
                after = node.id
            else:
                follows[node.id] = after
        self._order = [uid for uid in self._order if uid in self._values]
        for uid in self._order:
            value = self._values[uid]
            if not isinstance(value, dict):
                continue
            parent = value.get(self._envelope.parent)
            if isinstance(parent, str) and parent in now:
                self._set_parent(uid, now[parent])
            for key in self._envelope.also:
                if isinstance(value.get(key), str) and follows.get(value[key]) is not None:
                    self._values[uid] = {**self._values[uid], key: follows[value[key]]}

    def _set_parent(self, uid: int, parent: Any) -> None:
        value = self._values.get(uid)
        if self._envelope.linked and isinstance(value, dict) and value.get(self._envelope.parent) != parent:
            self._values[uid] = {**value, self._envelope.parent: parent}

    def _put_behind(self, places: Mapping[int, int | None]) -> None:
        """Put each record behind another one in the file; where there is none, in front of the history."""
        if not places:
            return
        behind: dict[int | None, list[int]] = defaultdict(list)
        for uid, other in places.items():
            behind[other].append(uid)
        made: list[int] = []
        for uid in self._order:
            if uid in places:
                continue
            if uid in self._ids and None in behind:
                todo = [uid, *reversed(behind.pop(None))]
            else:
                todo = [uid]
            while todo:
                made.append(todo.pop())
                todo += reversed(behind.pop(made[-1], ()))
        for rest in behind.values():
            made += rest
        self._order = made

    def _carry_out(self, edit: Edit) -> None:
        """Carry out an edit of a record as such; one that is gone by now is passed by."""
        match edit:
            case Relink(record=record, parent=parent) if record in self._values:
                self._set_parent(record, parent)
            case Reidentify(record=record, id=id_, children=children) if record in self._values:
                old = self._ids.get(record)
                self._values[record] = {**self._values[record], self._envelope.id: id_}
                for child in children:
                    if child in self._values and self._values[child].get(self._envelope.parent) == old:
                        self._set_parent(child, id_)
            case MoveRecord(record=record, behind=other) if record in self._values and other in self._values:
                self._put_behind({record: other})
            case RemoveRecord(record=record) if record in self._values:
                self._take_out({record})
            case SetInRecord(record=record, slot=slot, value=value) if record in self._values:
                self._values[record] = with_slot(self._values[record], slot, value)
            case InsertRecord(value=value, before=before) if before in self._values:
                self._order.insert(self._order.index(before), self._add(value))


class _Group(Struct, eq=False):
    """What one record is to say: a result, or what stands between results."""

    role: str
    values: Sequence[Any]
    own: Sequence[Turn]
    """The turns of its message."""
    home: Turn | None = None
    kept: bool = False
    """Nothing of it was changed."""


def _groups(role: Any, values: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
    rest: list[Any] = []
    for value in values:
        if isinstance(value, dict) and value.get("type") == "tool_result":
            if rest:
                yield role, rest
            rest = []
            yield "result", [value]
        else:
            rest.append(value)
    if rest:
        yield role, rest


def _named(value: Any) -> str:
    fields = value if isinstance(value, dict) else {}
    return str(fields.get("tool_use_id") or fields.get("id") or fields.get("text") or "")


def _in_order(said: Sequence[int], before: Sequence[int]) -> set[int]:
    """The most of these records that stand in their old order."""
    place = {uid: number for number, uid in enumerate(before)}
    known = [uid for uid in said if uid in place]
    ends: list[int] = []
    last: list[int] = []
    above: dict[int, int | None] = {}
    for uid in known:
        at = bisect_left(ends, place[uid])
        above[uid] = last[at - 1] if at else None
        ends[at : at + 1], last[at : at + 1] = [place[uid]], [uid]
    found: set[int] = set()
    uid_: int | None = last[-1] if last else None
    while uid_ is not None:
        found.add(uid_)
        uid_ = above[uid_]
    return found


_Placed = dict[int, list[int]]


def _places(said: Sequence[int], staying: set[int], at: Mapping[int, int]) -> tuple[_Placed, _Placed]:
    """Behind which record that stays each other one goes, or in front of which.

    In front where there is none before it, or where that is a summary, which stands behind what it is said before.
    """
    behind: _Placed = defaultdict(list)
    ahead: _Placed = defaultdict(list)
    waiting: list[int] = []
    anchor: int | None = None
    for uid in said:
        if uid not in staying:
            waiting.append(uid)
            continue
        if anchor is None or at[uid] < at[anchor]:
            ahead[uid] += waiting
        else:
            behind[anchor] += waiting
        anchor, waiting = uid, []
    if anchor is not None:
        behind[anchor] += waiting
    else:
        ahead[-1] += waiting
    return behind, ahead


def _woven(kept: Sequence[int], behind: _Placed, ahead: _Placed) -> Iterator[int]:
    """The records that stay, with those that go in front of them and behind them."""
    for uid in kept:
        yield from ahead.get(uid, ())
        yield uid
        yield from behind.get(uid, ())
    yield from ahead.get(-1, ())


class _Drafts:
    """The messages of a transcript after edits."""

    def __init__(self, items: Mapping[int, Item], transcript: Transcript, edits: Sequence[Edit]) -> None:
        self._items = items
        self._messages = transcript.messages
        shadows: dict[int, Any] = {}
        made: list[Message] = []
        listed: list[Item] = []
        for number, message in enumerate(transcript.messages):
            blocks = tuple(
                replace(block, record=number, slot=("content", place)) for place, block in enumerate(message.blocks)
            )
            for block, shadow in zip(message.blocks, blocks, strict=True):
                shadows[id(block)] = shadow
            shadows[id(message)] = replace(message, blocks=blocks, records=(number,))
            made.append(shadows[id(message)])
            listed.append(Item(number, {"role": message.role, "content": [block.value for block in blocks]}))
        self._shadows = shadows
        self._editor = MessageEditor(listed, replace(transcript, messages=tuple(made)))
        for edit in said_of(edits, lambda block: shadows[id(block)], lambda message: shadows[id(message)]):
            self._editor.carry_out(edit)
        self._origins: dict[int, Block] = {}

    def messages(self) -> Iterator[tuple[Message | None, Any, list[Any] | None]]:
        """Each message with its role and what it says now; None for one in which nothing changed."""
        bench = self._editor.bench
        for message in self._messages:
            for block in message.blocks:
                entry = bench._entry_of.get(id(self._shadows[id(block)]))
                if entry is not None:
                    self._origins[id(entry.value)] = block
        for work in bench:
            home = self._messages[work.uid] if work.uid >= 0 else None
            if not work.dirty:
                yield home, work.role, None
                continue
            content = work.fields.get("content")
            if content is None:
                content = [entry.value for entry in work.entries] if work.had_entries else work.value["content"]
            yield home, work.role, content if isinstance(content, list) else [content]

    def origin(self, value: Any) -> tuple[Block | None, Any]:
        block = self._origins.get(id(value))
        if block is None:
            return None, None
        raw = self._items[block.record].value
        for step in block.slot:
            raw = raw[step]
        return block, raw
