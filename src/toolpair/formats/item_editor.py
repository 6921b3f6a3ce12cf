"""Carrying edits out on items of the Responses API: each a record of its own, or one of a list in a record."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from toolpair.dialects.block_texts import text_of
from toolpair.dialects.item_types import OUTPUT_OF
from toolpair.dialects.openai_responses import Slot, is_output, type_of
from toolpair.formats.format import Item
from toolpair.formats.item_records import DraftItem, Works
from toolpair.formats.record_runs import Ends
from toolpair.transcript.edits import (
    ABSENT,
    Edit,
    InsertMessage,
    InsertRecord,
    InsertResult,
    MoveRecord,
    MoveResult,
    MoveToRole,
    Remove,
    RemoveMessage,
    RemoveRecord,
    Rename,
    Reorder,
    ReplaceWithText,
    SetField,
    SetInRecord,
    SetValue,
    Spot,
)
from toolpair.transcript.model import Block, Message, Transcript

_KEEP_OUTPUTS = (ReplaceWithText, Rename)
"""Edits that leave the outputs where they stand, or say which they take away."""


class _Place:
    """Where an item stands now: a record of its own, or a slot of a list."""

    __slots__ = ("inserted", "left", "moved", "slot", "work")

    def __init__(self, work: DraftItem, slot: Slot, moved: bool = False, inserted: int | None = None) -> None:
        self.work = work
        self.slot = slot
        self.inserted = inserted
        """Which of the items that were put behind the slot of a list it is; None for the slot's own."""
        self.left = False
        """The item stands here no more."""
        self.moved = moved

    @property
    def in_list(self) -> bool:
        return bool(self.slot) and isinstance(self.slot[-1], int)

    @property
    def item(self) -> Any:
        return self.work.at(self.slot) if self.inserted is None else self.work.inserted[self.slot][self.inserted]

    @item.setter
    def item(self, item: Any) -> None:
        if self.inserted is None:
            self.work.put(self.slot, item)
        else:
            self.work.inserted[self.slot][self.inserted] = item

    @property
    def rank(self) -> tuple[Any, int]:
        """Of an item in a list: what orders it among the others."""
        return (self.slot[-1], -1 if self.inserted is None else self.inserted)


class ItemEditor:
    """One batch of edits of one transcript. Here each record is an item; a format overrides what its records add."""

    record: type[DraftItem] = DraftItem

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self.works = Works(items, self.record)
        self.transcript = transcript
        self._places: dict[int, _Place] = {}
        self._message_of: dict[int, Message] = {}
        self._number: dict[int, int] = {}
        self._rank: dict[int, int] = {}
        for number, message in enumerate(transcript.messages):
            self._number[id(message)] = number
            for rank, block in enumerate(message.blocks):
                self._message_of[id(block)] = message
                self._rank[id(block)] = rank
        self._runs: dict[int, tuple[list[int], list[_Place]]] = {}
        self._made: dict[int, _Place] = {}
        """id() of an `InsertResult` with a spot -> the output that it inserted."""
        self._inserted: dict[int, _Place] = {}
        """id() of a message -> the last one that was inserted behind it."""
        self._put_behind: dict[tuple[int, Slot], _Place] = {}
        """Where an item stood -> the last output that was put behind it."""
        self._outputs: Ends[DraftItem] = Ends(self._has_item, self._has_output)
        self._in_front: dict[int, dict[int, int]] = {}
        """id() of a message's blocks -> number of one that was taken out -> of one in front of it that may stand."""

    def anchor_of(self, call: Block) -> int | None:
        """uid of the record that an output of the call would stand behind; None inside of a list."""
        anchor = self._anchor(call)
        return None if anchor.in_list else anchor.work.uid

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        """The records after the edits, in file order."""
        for edit in edits:
            self.carry_out(edit)
        return self.records()

    def records(self) -> list[Item]:
        return [work.result() for work in self.works]

    def carry_out(self, edit: Edit) -> None:
        if not isinstance(edit, _KEEP_OUTPUTS):
            self._outputs.forget()
        match edit:
            case Rename(block=block, id=id_):
                self.rename(block, id_)
            case SetValue(block=block, value=value):
                self._put(self._place(block), value)
            case SetField(message=message, key=key, value=value):
                self._set_field(message, key, value)
            case InsertResult(spot=Spot() as spot):
                self._put_at(spot, edit)
            case InsertResult(call=call, content=content, id=id_):
                self._answer(call, content, id_)
            case MoveResult(result=result, call=call):
                self._move(result, call)
            case Reorder(how="call_order", order=order):
                self._arrange(order)
            case Remove(block=block):
                self._remove(block)
            case ReplaceWithText(block=block, text=text, media=media):
                self._to_text(block, text, media)
            case MoveToRole(block=block, role=role) if type_of(self._place(block).item) == "message":
                place = self._place(block)
                self._put(place, {**place.item, "role": role})
            case InsertMessage(after=after, role=role, text=text):
                self._insert_message(after, role, text)
            case SetInRecord(record=uid, slot=slot, value=value):
                self.works.by_uid[uid].put(slot, value)
            case InsertRecord(value=value, before=uid):
                self.works.insert_after(self.works.by_uid[uid].before, self.works.new(value))
            case RemoveRecord(record=uid):
                self.works.drop(self.works.by_uid[uid])
            case MoveRecord(record=uid, behind=behind):
                work = self.works.by_uid[uid]
                self.works.drop(work)
                self.works.insert_after(self.works.by_uid[behind], work)
            case RemoveMessage(message=message):
                for block in message.blocks:
                    self._take(self._place(block))

    # --- where things are --------------------------------------------------------------------------------

    def _place(self, block: Block) -> _Place:
        if id(block) not in self._places:
            self._places[id(block)] = _Place(self.works.by_uid[block.record], block.slot)
        return self._places[id(block)]

    def _is_gone(self, place: _Place) -> bool:
        return place.left or not self.works.is_in(place.work) or place.item is None

    def _put(self, place: _Place, item: Any) -> None:
        if not self._is_gone(place):
            place.work.put(place.slot, item)

    def _take(self, place: _Place) -> None:
        place.left = True
        if place.in_list:
            place.work.take(place.slot)
        else:
            self.works.drop(place.work)

    def new_record(self, item: dict[str, Any], beside: DraftItem) -> DraftItem:
        """A record for a new item, written as the one that it comes to stand beside."""
        return self.works.new(item)

    def slot_in(self, record: DraftItem) -> Slot:
        """Where in a new record its item stands."""
        return ()

    def active_item(self, work: DraftItem) -> Any:
        """The item that the record holds, None where it is not sent or holds none."""
        value = work.value
        if not isinstance(value, dict) or self.transcript.scopes.get(work.uid) in ("inactive", "malformed"):
            return None
        return work.at(()) if type_of(value) is not None else None

    def _insert(self, anchor: _Place, item: dict[str, Any]) -> _Place:
        """Put a new item behind the one at `anchor`."""
        if anchor.in_list:
            anchor.work.insert_behind(anchor.slot, item)
            return anchor
        work = self.new_record(item, anchor.work)
        self.works.insert_after(anchor.work, work)
        return _Place(work, self.slot_in(work))

    # --- the edits ---------------------------------------------------------------------------------------

    def rename(self, block: Block, id_: str) -> bool:
        """Write another id. Returns whether the block is still there."""
        place = self._place(block)
        if self._is_gone(place):
            return False
        self._put(place, with_id(place.item, id_))
        return True

    def _set_field(self, message: Message, key: str, value: Any) -> None:
        if not message.blocks:
            return
        place = self._place(message.blocks[0])
        if self._is_gone(place):
            return
        if value is ABSENT:
            self._put(place, {name: part for name, part in place.item.items() if name != key})
        else:
            self._put(place, {**place.item, key: value})

    def _answer(self, call: Block, content: Any, id_: str | None) -> None:
        place = self._place(call)
        if self._is_gone(place):
            return
        output = new_output(place.item, call, content, id_)
        anchor = self._anchor(call)
        made = self._insert(anchor, output)
        if made is not anchor:
            self._note_answer(call, made)

    def _put_at(self, spot: Spot, edit: InsertResult) -> None:
        home = self._place(edit.call)
        if self._is_gone(home):
            return
        output = new_output(home.item, edit.call, edit.content, edit.id)
        before = spot.side == "before"
        block = (spot.of.blocks[0] if before else spot.of.blocks[-1]) if isinstance(spot.of, Message) else spot.of
        place = self._place(block)
        key = (place.work.uid, place.slot)
        anchor = place if before else self._put_behind.get(key, place)
        if not anchor.in_list:
            record = self.new_record(output, anchor.work)
            self.works.insert_after(anchor.work.before if before else anchor.work, record)
            made = _Place(record, self.slot_in(record))
        else:
            number = anchor.slot[-1]
            assert isinstance(number, int)
            slot = (*anchor.slot[:-1], number - 1) if before else anchor.slot
            made = _Place(anchor.work, slot, inserted=anchor.work.insert_behind(slot, output))
        self._made[id(edit)] = made
        if not before:
            self._put_behind[key] = made

    def _note_answer(self, call: Block, made: _Place) -> None:
        ranks, places = self._run(call)
        at = bisect_right(ranks, self._rank[id(call)])
        ranks.insert(at, self._rank[id(call)])
        places.insert(at, made)

    def _anchor(self, call: Block) -> _Place:
        """What the output of `call` stands behind: the last call of its turn, or the output of one before it."""
        ranks, places = self._run(call)
        for number in range(bisect_right(ranks, self._rank[id(call)]) - 1, -1, -1):
            if not self._is_gone(places[number]):
                return places[number]
        return self._last_call(call)

    def _last_call(self, call: Block) -> _Place:
        """The last call of the turn that the call is of."""
        home = self._place(call)
        message = self._message_of[id(call)]
        for block in reversed(message.blocks):
            place = self._place(block)
            if block.kind == "call" and not self._is_gone(place) and place.in_list == home.in_list:
                return place
        return home

    def _run(self, call: Block) -> tuple[list[int], list[_Place]]:
        """The outputs straight behind the calls of a turn, as far as they stand in call order: ranks and places."""
        message = self._message_of[id(call)]
        known = self._runs.get(id(message))
        if known is not None:
            return known
        order = {
            block.id: number
            for number, block in reversed(list(enumerate(message.blocks)))
            if block.kind == "call" and isinstance(block.id, str)
        }
        ranks: list[int] = []
        places: list[_Place] = []
        for following in self.transcript.messages[self._number[id(message)] + 1 :]:
            if not following.results:
                break
            place = self._place(following.results[0])
            if place.moved:
                continue
            id_ = following.results[0].id
            rank = order.get(id_, -1) if isinstance(id_, str) else -1
            if rank < 0:
                continue  # it answers no call of this turn
            if place.in_list != self._place(call).in_list or (ranks and rank < ranks[-1]):
                break
            ranks.append(rank)
            places.append(place)
        self._runs[id(message)] = ranks, places
        return ranks, places

    def _move(self, result: Block, call: Block) -> None:
        place = self._place(result)
        home = self._place(call)
        if self._is_gone(place) or self._is_gone(home):
            return
        item = place.item
        self._take(place)
        anchor = self._anchor(call)
        if anchor.in_list or place.in_list:
            made = self._insert(anchor, item)
            made.moved = made is not anchor
        else:
            made = _Place(place.work, place.slot, moved=True)
            self.works.insert_after(anchor.work, made.work)
        self._places[id(result)] = made
        if made is not anchor:
            self._note_answer(call, made)

    def _arrange(self, order: Sequence[Block | InsertResult]) -> None:
        """Put outputs into this order, in the places that they hold."""
        places = [self._made[id(part)] if isinstance(part, InsertResult) else self._place(part) for part in order]
        if any(self._is_gone(place) for place in places):
            return
        if any(place.in_list for place in places):
            if len({place.work.uid for place in places}) == 1:
                items = [place.item for place in places]
                for place, item in zip(sorted(places, key=lambda place: place.rank), items, strict=True):
                    place.item = item
            return
        wanted = {place.work.uid: place.work for place in places}
        own = set(wanted)
        slots: list[tuple[DraftItem | None, bool]] = [
            (work.before, work.before is not None and work.before.uid in own)
            for work in self.works.in_order(list(wanted.values()))
        ]
        for place in places:
            self.works.drop(place.work)
        last: DraftItem | None = None
        for place, (anchor, after_own) in zip(places, slots, strict=True):
            self.works.insert_after(last if after_own else anchor, place.work)
            last = place.work

    def _remove(self, block: Block) -> None:
        place = self._place(block)
        if self._is_gone(place):
            return
        if block.kind == "call":
            for reasoning in self.stranded_by(block):
                self._take(self._place(reasoning))
        self._take(place)

    def stranded_by(self, call: Block) -> list[Block]:
        """The reasoning straight before a call that nothing of the model would follow without it."""
        blocks = self._message_of[id(call)].blocks
        rank = self._rank[id(call)]
        behind = next((at for at in range(rank + 1, len(blocks)) if not self._is_gone(self._place(blocks[at]))), None)
        if behind is not None and blocks[behind].kind != "thinking":
            return []
        found: list[Block] = []
        at = self._last_standing(blocks, rank - 1)
        while at >= 0 and blocks[at].kind == "thinking":
            found.append(blocks[at])
            at = self._last_standing(blocks, at - 1)
        return found

    def _last_standing(self, blocks: Sequence[Block], at: int) -> int:
        """The number of the last block up to `at` that was not taken out; -1 where none is left."""
        known = self._in_front.setdefault(id(blocks), {})
        passed: list[int] = []
        while at >= 0 and self._is_gone(self._place(blocks[at])):
            passed.append(at)
            at = known.get(at, at - 1)
        known.update(dict.fromkeys(passed, at))
        return at

    def _to_text(self, block: Block, text: str, media: tuple[Any, ...]) -> None:
        place = self._place(block)
        if self._is_gone(place):
            return
        if block.kind != "result":
            self._put(place, _message_item("assistant", text, ()))
            return
        item = _message_item("user", text, media)
        if place.in_list:
            self._put(place, item)
            return
        anchor = self._outputs.of(place.work)
        self._outputs.taken_out(place.work)
        self._put(place, item)
        if anchor is not place.work:
            self.works.drop(place.work)
            self.works.insert_after(anchor, place.work)

    def _has_item(self, work: DraftItem) -> bool:
        return self.active_item(work) is not None

    def _has_output(self, work: DraftItem) -> bool:
        """Whether a text stands behind it, so that outputs stay with their calls."""
        return is_output(self.active_item(work))

    def place_as_text(self, block: Block) -> int | None:
        """uid of the record that an output stands behind once it is text; None where it stays."""
        place = self._place(block)
        if block.kind != "result" or place.in_list:
            return None
        anchor = self._outputs.of(place.work)
        return anchor.uid if anchor is not place.work else None

    def _insert_message(self, after: Message | None, role: str, text: str | list[Any]) -> None:
        item = _message_item(role, text, ())
        known = self._inserted.get(id(after))
        if known is not None:
            self._inserted[id(after)] = self._insert(known, item)
        elif after is not None and after.blocks:
            self._inserted[id(after)] = self._insert(self._place(after.blocks[-1]), item)
        else:
            self._insert_in_front(item)

    def _insert_in_front(self, item: dict[str, Any]) -> None:
        first = next((block for message in self.transcript.messages for block in message.blocks), None)
        if first is None:
            return
        place = self._place(first)
        if not place.in_list:
            work = self.new_record(item, place.work)
            self.works.insert_after(place.work.before, work)
            self._inserted[id(None)] = _Place(work, self.slot_in(work))


def new_output(item: dict[str, Any], call: Block, content: Any, id_: str | None) -> dict[str, Any]:
    """An output of the kind that answers the call."""
    made: dict[str, Any] = {
        "type": OUTPUT_OF[call.call_kind or "function"],
        "call_id": id_ or item.get("call_id") or call.id,
    }
    if call.call_kind == "tool_search":
        tools = content if isinstance(content, list) and all(isinstance(part, dict) for part in content) else []
        return {**made, "status": "completed", "execution": item.get("execution") or "client", "tools": tools}
    parts = isinstance(content, list) and all(
        isinstance(part, dict) and str(part.get("type")).startswith("input_") for part in content
    )
    made["output"] = content if isinstance(content, str) or parts else text_of(content)
    turn = item.get("internal_chat_message_metadata_passthrough")
    if isinstance(turn, dict) and isinstance(turn.get("turn_id"), str):
        made["internal_chat_message_metadata_passthrough"] = {"turn_id": turn["turn_id"]}
    return made


def _message_item(role: str, text: str | list[Any], media: tuple[Any, ...]) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    if isinstance(text, str):
        parts: list[Any] = [{"type": kind, "text": text}]
    else:
        parts = [{**part, "type": kind} if part.get("type") == "text" else part for part in text]
    return {"type": "message", "role": role, "content": [*parts, *media]}


def with_id(item: dict[str, Any], id_: str) -> dict[str, Any]:
    return {**item, "call_id": id_}
