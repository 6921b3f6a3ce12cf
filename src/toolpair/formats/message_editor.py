"""Carrying edits out on records that are messages: what is the same whatever API the messages are for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from toolpair.formats.format import Item
from toolpair.formats.linked_blocks import DraftBlock
from toolpair.formats.working_copy import Bench, DraftRecord
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
)
from toolpair.transcript.model import BlockKind, Message, Transcript


class Editor(ABC):
    """One batch of edits. A format says where results stand and how a record's value is put together again."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self.bench = Bench(items, transcript)
        self.transcript = transcript
        self._inserted: dict[int, DraftRecord] = {}
        """id() of a message -> the last one that was inserted behind it."""
        self._ranks: dict[int, tuple[dict[str, int], dict[int, int]]] = {}
        """id() of a message or work -> the places of its calls by their ids, and by id() of the entry."""

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits, in file order; untouched ones are the same Items."""
        for edit in edits:
            self.carry_out(edit)
        return [self._item(work) for work in self.bench]

    def _item(self, work: DraftRecord) -> Item:
        if work.item is not None and not work.dirty:
            return work.item
        return Item(work.uid, with_fields(work, self.value(work)))

    def carry_out(self, edit: Edit) -> None:
        bench = self.bench
        match edit:
            case Rename(block=block, id=id_):
                entry = bench.entry(block)
                self.rename(entry, id_)
                bench.work(entry).dirty = True
            case SetValue(block=block, value=value):
                entry = bench.entry(block)
                if isinstance(value, dict) and value.get("type") == "text":
                    self.change(entry, "text", value, entry.id)
                entry.value = value
                bench.work(entry).dirty = True
            case SetField(message=message, key=key, value=value):
                work = bench.works_of(message)[0]
                work.fields[key] = value
                if key == "role":
                    work.role = value
                work.dirty = True
            case InsertResult(call=call):
                self.answer(bench.entry(call), edit)
            case MoveResult(result=result, call=call):
                self.place(bench.entry(result), bench.entry(call), edit)
            case Reorder():
                self.arrange(edit)
            case Remove(block=block):
                if block.kind == "call":
                    self.calls_changed()
                self.remove(bench.entry(block))
            case ReplaceWithText(block=block, text=text, media=media):
                if block.kind == "call":
                    self.calls_changed()
                self.to_text(bench.entry(block), text, media)
            case MoveToRole(block=block, role=role):
                self.calls_changed()
                self.move_to_role(bench.entry(block), role)
            case InsertMessage(after=after, role=role, text=text):
                anchor = self._inserted.get(id(after)) or (bench.works_of(after)[-1] if after is not None else None)
                made = bench.new_work(role, {"role": role, "content": text})
                home = next(iter(bench), None) if anchor is None else anchor
                if home is not None:
                    self._inherit(made, home)
                bench.insert_after(anchor, made)
                self._inserted[id(after)] = made
            case RemoveMessage(message=message):
                self.calls_changed()
                for work in bench.works_of(message):
                    bench.drop(work)

    def _inherit(self, made: DraftRecord, home: DraftRecord) -> None:
        """Fields of its own that a format gives to a message that is inserted beside `home`: by default none."""
        return

    def rename(self, entry: DraftBlock, id_: str) -> None:
        entry.value = {**entry.value, self.id_key(entry): id_}
        entry.id = id_
        if entry.kind == "call":
            self.calls_changed()
        elif entry.home is not None:
            entry.home.renamed(entry)

    def calls_changed(self) -> None:
        """Note that a call has another id or place now, or is gone."""
        self._ranks.clear()

    def change(self, entry: DraftBlock, kind: BlockKind, value: Any, id_: Any) -> None:
        """Make the block something else, where it stands."""
        if entry.kind == "call":
            self.calls_changed()
        assert entry.home is not None
        entry.home.change(entry, kind, value, id_)

    def call_ranks(self, call: DraftBlock, message: Message | None = None) -> tuple[dict[str, int], int]:
        """(id -> place of the first call with it, the place of `call`) among the calls of a record, or of `message`.

        Kept from one edit to the next, until a call gets another id or goes.
        """
        home = self.bench.work(call)
        key = id(home if message is None else message)
        if key not in self._ranks:
            works = [home] if message is None else filter(self.bench.is_in, self.bench.works_of(message))
            calls = [entry for work in works for entry in work.entries if entry.kind == "call"]
            ranks = {str(entry.id): number for number, entry in reversed(list(enumerate(calls)))}
            self._ranks[key] = (ranks, {id(entry): number for number, entry in enumerate(calls)})
        ranks, places = self._ranks[key]
        return ranks, places.get(id(call), len(places))

    @abstractmethod
    def id_key(self, entry: DraftBlock) -> str:
        """The key that the entry's id stands under."""

    @abstractmethod
    def answer(self, call: DraftBlock, edit: InsertResult) -> None: ...

    @abstractmethod
    def place(self, result: DraftBlock, call: DraftBlock, edit: MoveResult) -> None: ...

    @abstractmethod
    def arrange(self, edit: Reorder) -> None: ...

    @abstractmethod
    def remove(self, entry: DraftBlock) -> None: ...

    @abstractmethod
    def to_text(self, entry: DraftBlock, text: str, media: tuple[Any, ...]) -> None: ...

    @abstractmethod
    def move_to_role(self, entry: DraftBlock, role: str) -> None: ...

    @abstractmethod
    def value(self, work: DraftRecord) -> dict[str, Any]:
        """The record's value with its entries as they are now, built from the old sub-values."""


def with_fields(work: DraftRecord, value: dict[str, Any]) -> dict[str, Any]:
    """The value with the fields that were set on the work itself."""
    for key, field in work.fields.items():
        if field is ABSENT:
            value.pop(key, None)
        else:
            value[key] = field
    return value
