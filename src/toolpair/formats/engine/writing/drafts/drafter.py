"""Applying edits to a draft: the part that is the same wherever an API puts results.

Edits of the same message share work (the order of its calls, where its results end). So they wait until an edit needs
the final order, or until there are no more, and are then applied together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby
from typing import Any

from toolpair.dialects.writer import Writer
from toolpair.transcript.draft import Draft, DraftBlock, DraftMessage
from toolpair.transcript.edits import (
    ABSENT,
    Edit,
    InsertMessage,
    InsertResult,
    MoveResult,
    MoveToRole,
    Remove,
    RemoveMessage,
    Rename,
    Reorder,
    ReplaceWithText,
    SetField,
    SetValue,
    Spot,
)
from toolpair.transcript.model import Block, Message

NewMessage = Callable[[Any, DraftMessage], DraftMessage]
"""(message object, neighbour) -> a new message, not yet in the draft."""
_WAITING: tuple[type, ...] = (Rename, SetValue, SetField, InsertResult, MoveResult, Remove, ReplaceWithText)
"""Edits that can be applied before those that wait."""


class Drafter(ABC):
    """Applies one batch of edits to one transcript."""

    def __init__(self, draft: Draft, writer: Writer, new: NewMessage) -> None:
        self.draft = draft
        self.writer = writer
        self.new = new
        self.parted: Collection[int] = ()
        """uids of results that are no part of the run after their call: a record before them ended the agent's turn."""
        self._inserted: dict[int, DraftMessage] = {}
        """id() of a message -> the last message inserted after it."""
        self._said: dict[int, list[DraftBlock]] = {}
        """id() of a draft message -> its calls that became texts."""
        self._moving: dict[int, dict[int, str]] = {}
        """id() of a draft message -> id() of a block in it -> the role it moves to."""
        self._homes: dict[int, DraftMessage] = {}
        """id() -> draft message, for the keys of the two above."""
        self._called: dict[int, tuple[Message, set[int]]] = {}
        """id() of a message -> the message, and id() of each call removed from it."""
        self._placing: set[int] = set()
        """id() of each block that a waiting edit moves."""
        self._gone: set[int] = set()
        """id() of each block that was removed or replaced: no other edit finds it."""

    def take(self, edit: Edit) -> None:
        """Apply one edit, or keep it for `settle`."""
        draft = self.draft
        block = edit.result if isinstance(edit, MoveResult) else getattr(edit, "block", None)
        if id(block) in self._gone:
            return
        if not isinstance(edit, (*_WAITING, MoveToRole)) or id(block) in self._placing:
            self.settle()
        if isinstance(edit, (Remove, ReplaceWithText)):
            self._gone.add(id(block))
        elif isinstance(edit, (MoveResult, MoveToRole)):
            self._placing.add(id(block))
        match edit:
            case Rename(block=block, id=id_):
                self.rename(block, id_)
            case SetValue(block=block, value=value):
                self.set_value(draft.block(block), value)
            case SetField(message=message, key=key, value=value):
                self.set_field(message, key, value)
            case InsertResult(spot=Spot() as spot):
                self.settle()
                self.put_at(spot, edit)
            case InsertResult():
                self.answer(edit)
            case MoveResult(result=result, call=call):
                self.move(draft.block(result), draft.block(call))
            case Reorder():
                self.reorder(edit)
            case Remove(block=block):
                self.remove(draft.block(block))
            case ReplaceWithText(block=block, text=text, media=media):
                self.replace(draft.block(block), text, media)
            case MoveToRole(block=block, role=role):
                self.move_to_role(draft.block(block), role)
            case InsertMessage(after=after, role=role, text=text):
                self.insert_message(after, role, text)
            case RemoveMessage(message=message):
                for part in draft.parts_of(message):
                    self.drop(part)

    def settle(self) -> None:
        """Apply the edits that wait."""
        self.place_answers()
        self.place_kept()
        for message, calls in self._called.values():
            self._take_stranded(message, calls)
        self._called.clear()
        for key, said in self._said.items():
            self.texts_before_calls(self._homes[key], said)
        for key, roles in self._moving.items():
            self.split(self._homes[key], roles)
        self._said.clear()
        self._moving.clear()
        self._placing.clear()

    # --- values ------------------------------------------------------------------------------------------

    def rename(self, block: Block, id_: str) -> None:
        found = self.draft.block(block)
        if found.id == id_:
            return
        found.value = self.writer.renamed(found, id_)
        found.id = id_
        home_of(found).changed = True

    def set_value(self, block: DraftBlock, value: Any) -> None:
        if value is block.value:
            return
        if isinstance(value, dict) and value.get("type") == "text":
            block.kind = "text"
        block.value = value
        home_of(block).changed = True

    def set_field(self, message: Message, key: str, value: Any) -> None:
        part = self.draft.parts_of(message)[0]
        part.set_field(key, value)
        if key == "role":
            part.role = value

    # --- messages ----------------------------------------------------------------------------------------

    def drop(self, message: DraftMessage) -> None:
        self.draft.drop(message)

    def insert_message(self, after: Message | None, role: str, text: str | list[Any]) -> None:
        last = self._inserted.get(id(after)) or (self.end_of(after) if after is not None else None)
        beside = last or self.front()
        if beside is not None:
            made = self.insert(self.writer.message(role, text), beside, in_front=last is None)
            self._inserted[id(after)] = made

    def insert(self, value: Any, beside: DraftMessage, in_front: bool) -> DraftMessage:
        """Insert a new message in front of another, or after it."""
        made = self.new(value, beside)
        self.draft.insert_after(beside.before if in_front else beside, made)
        return made

    def end_of(self, message: Message) -> DraftMessage:
        """The part of a message that one inserted after it follows."""
        return self.draft.parts_of(message)[-1]

    def front(self) -> DraftMessage | None:
        """The message that one inserted at the start goes before."""
        return next((message for message in self.draft if self.draft.message_of(message) is not None), None)

    # --- calls -------------------------------------------------------------------------------------------

    def remove(self, block: DraftBlock) -> None:
        message = self.draft.message_of(home_of(block))
        if block.kind == "call" and message is not None and self.writer.reasoning_goes_with_calls:
            self._called.setdefault(id(message), (message, set()))[1].add(id(block))
        self.draft.take(block)

    def _take_stranded(self, message: Message, calls: set[int]) -> None:
        """Remove reasoning directly before a removed call unless something else of the model follows it."""
        following: DraftBlock | None = None
        stranded = False
        for block in map(self.draft.block, reversed(message.blocks)):
            if id(block) in calls:
                stranded = following is None or following.kind == "thinking"
            elif stranded and block.kind == "thinking":
                self.draft.take(block)
            elif self.draft.has_block(block):
                following, stranded = block, False

    def say(self, call: DraftBlock, text: str) -> None:
        """Turn a call into assistant text, placed before the remaining calls."""
        home = home_of(call)
        call.kind, call.value, call.id, call.slot = "text", self.writer.said(text), None, None
        home.changed = True
        self._homes[id(home)] = home
        self._said.setdefault(id(home), []).append(call)

    def texts_before_calls(self, home: DraftMessage, said: Sequence[DraftBlock]) -> None:
        """Put the texts that calls became in front of the calls that are left."""
        rank = {id(block): number for number, block in enumerate(said)}
        home.arrange(sorted(home.blocks, key=lambda block: (block.kind == "call", rank.get(id(block), 0))))

    def ranks(self, parts: Iterable[DraftMessage]) -> tuple[dict[str, int], dict[int, int]]:
        """(position of the first call with each id, position of each call by id()) among the calls of a message."""
        calls = [block for part in parts for block in self.draft.blocks_of(part) if block.kind == "call"]
        by_id = {str(block.id): number for number, block in reversed(list(enumerate(calls)))}
        return by_id, {id(block): number for number, block in enumerate(calls)}

    # --- roles -------------------------------------------------------------------------------------------

    def move_to_role(self, block: DraftBlock, role: str) -> None:
        home = home_of(block)
        self._homes[id(home)] = home
        self._moving.setdefault(id(home), {})[id(block)] = role

    def split(self, home: DraftMessage, roles: dict[int, str]) -> None:
        """Move blocks into messages of their roles, splitting the message that held them."""
        draft = self.draft
        kind, only = next((block.kind, roles[id(block)]) for block in home.blocks if id(block) in roles)
        if home.all_are(kind):
            self._set_role(home, only)
            return
        runs = [(role, list(run)) for role, run in groupby(home.blocks, lambda block: roles.get(id(block)))]
        own = next((run for role, run in runs if role is None), runs[0][1])
        if runs[0][0] is not None and own is runs[0][1]:
            self._set_role(home, runs[0][0])
        previous = rest = home
        for role, run in runs:
            if run is own:
                continue
            at_front = previous is home and run[0] is home.blocks.first
            before = home.before
            if at_front and before is not None and before.is_new and before.role == role:
                before.put(before.blocks.last, *self._taken(home, run))
                continue
            made = self.new(self.writer.holder(role or home.role), rest)
            draft.insert_after(home.before if at_front else previous, made)
            made.put(None, *self._taken(home, run))
            if not at_front:
                previous = made
            if role is None:
                rest = made

    def _set_role(self, home: DraftMessage, role: str) -> None:
        home.role = role
        home.set_field("role", role)

    def _taken(self, home: DraftMessage, blocks: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        home.changed = True
        for block in blocks:
            home.blocks.drop(block)
        return blocks

    # --- results -----------------------------------------------------------------------------------------

    @abstractmethod
    def answer(self, edit: InsertResult) -> None:
        """Insert a new result where the API requires it."""

    @abstractmethod
    def put_at(self, spot: Spot, edit: InsertResult) -> None:
        """Insert a new result at a given place."""

    @abstractmethod
    def move(self, result: DraftBlock, call: DraftBlock) -> None:
        """Move a result to where the API requires the result of the call."""

    @abstractmethod
    def reorder(self, edit: Reorder) -> None: ...

    @abstractmethod
    def replace(self, block: DraftBlock, text: str, media: tuple[Any, ...]) -> None:
        """Keep the content of a call or a result as text."""

    @abstractmethod
    def place_answers(self) -> None:
        """Place the waiting results in call order."""

    @abstractmethod
    def place_kept(self) -> None:
        """Place the texts kept of results after the results that remain."""


def home_of(block: DraftBlock) -> DraftMessage:
    """The message that holds the block, or held it last."""
    assert block.home is not None
    return block.home


def with_fields(value: Any, fields: dict[str, Any] | None) -> Any:
    """The value with the edited fields; ABSENT removes one."""
    if not fields:
        return value
    made = {**value, **fields}
    return {key: part for key, part in made.items() if part is not ABSENT}
