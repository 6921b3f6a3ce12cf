"""Writing drafts into a rollout: items in envelopes and in compactions, the other places of their ids, and ordinals."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from toolpair.dialects.openai_responses import block_of
from toolpair.dialects.openai_responses_writer import WRITER
from toolpair.formats.codex.frames import frame_of
from toolpair.formats.codex.history import replacement_of
from toolpair.formats.codex.rollout_lines import RolloutLine, lines_of, ordinal_of
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.engine.writing.drafts.as_messages import FreePlaces, ResultsAsMessages
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import Edit, Rename
from toolpair.transcript.model import Block, Transcript
from toolpair.transcript.ordering import longest_ascending


class RolloutEnvelope(Envelope, frozen=True):
    """New records get a timestamp, without which Codex skips them. The first versions wrote items without an
    envelope.
    """

    def slot_in(self, value: Any) -> Slot:
        return ("payload",) if isinstance(value, dict) and "payload" in value else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        if isinstance(beside.record, dict) and "payload" not in beside.record:
            return message
        time: dict[str, Any] = {}
        before: DraftMessage | None = beside
        while before is not None and not time:
            if isinstance(before.record, dict) and isinstance(before.record.get("timestamp"), str):
                time["timestamp"] = before.record["timestamp"]
            before = before.before
        return {**time, "type": "response_item", "payload": message}


_ENVELOPE: Final = RolloutEnvelope(
    front=("timestamp", "ordinal"), lists=HISTORY, beside_list="replacement_history_metadata"
)


def apply_edits(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits, in file order and with consecutive ordinals."""
    records = Rollout(items, transcript).run(edits)
    frame = frame_of(transcript)
    if frame is not None:
        frame.hold(items, records, edits)
    return renumbered(items, records)


class Rollout(Linear):
    """Applies edits, and updates the events and older histories that name a changed id."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript, WRITER, _ENVELOPE)
        self._mirrors = Mirrors(items, transcript)

    def take(self, edit: Edit) -> None:
        super().take(edit)
        if isinstance(edit, Rename) and self.draft.has_block(self.draft.block(edit.block)):
            self._rename_mirrors(edit.block, edit.id)

    def _rename_mirrors(self, block: Block, id_: str) -> None:
        for uid, slot in self._mirrors.of(block):
            record = self.draft.of_record(uid)
            found = self.in_record(record, slot)
            if isinstance(found, dict):
                self.set_in_record(record, slot, {**found, "call_id": id_})
            elif isinstance(found, str):
                self.set_in_record(record, slot, id_)


class Foreseen:
    """Where single edits would put records: the uid of the record that each goes after."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self._rollout = Rollout(items, transcript)
        drafter = self._rollout.drafter
        assert isinstance(drafter, ResultsAsMessages)
        self._places = FreePlaces(drafter)

    def let_go(self) -> None:
        """The end of its use."""
        self._rollout.let_go()

    def before_result(self, call: Block) -> int | None:
        """The record that a result for the call goes after; None inside a list."""
        previous = self._places.before_result(call)
        return previous.uid if previous.in_list is None else None

    def before_words(self, result: Block) -> int | None:
        """The record that the text of a result goes after; None if it stays in place, or is inside a list."""
        previous = self._places.before_words(result)
        return previous.uid if previous is not None and previous.in_list is None else None


IdPlace = tuple[int, Slot]
"""uid of a record, and the slot of an item or of an id in it."""


class Mirrors:
    """What must be renamed along with a call or an output. Indexed on first use."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self._items = items
        self._active = {(block.record, block.slot) for message in transcript.messages for block in message.blocks}

    def of(self, block: Block) -> list[IdPlace]:
        """The copies of the item and, for a call, the events about it."""
        if not isinstance(block.id, str) or not block.id:
            return []
        found = [spot for spot, other in self._copies.get(block.id, ()) if _is_copy(other, block)]
        if block.kind == "call":
            found.extend(self._events_of(block))
        return found

    def _events_of(self, call: Block) -> Iterator[IdPlace]:
        """Events about this call: those before the next call with its id; for the first such call also those before
        it.
        """
        events = self._index[1].get(call.id, ())
        calls = self._index[2].get(call.id, [])
        place = self._place.get(call.record, 0)
        mine = max(bisect_right(calls, place) - 1, 0)
        start = calls[mine] if mine else -1
        end = calls[mine + 1] if mine + 1 < len(calls) else len(self._items)
        first, last = (bisect_left(events, at, key=itemgetter(0)) for at in (start, end))
        return (spot for _, spot in events[first:last])

    @cached_property
    def _place(self) -> dict[int, int]:
        return {item.uid: number for number, item in enumerate(self._items)}

    @property
    def _copies(self) -> dict[str, list[tuple[IdPlace, Block]]]:
        return self._index[0]

    @cached_property
    def _index(
        self,
    ) -> tuple[dict[str, list[tuple[IdPlace, Block]]], dict[str, list[tuple[int, IdPlace]]], dict[str, list[int]]]:
        """Items outside the history, events, and the positions of calls: all by call id."""
        copies: dict[str, list[tuple[IdPlace, Block]]] = {}
        events: dict[str, list[tuple[int, IdPlace]]] = {}
        calls: dict[str, list[int]] = {}
        for line in lines_of(self._items):
            for block in _blocks(line):
                if block.kind == "call" and line.kind == "item":
                    calls.setdefault(block.id, []).append(self._place[line.uid])
                if (block.record, block.slot) not in self._active:
                    copies.setdefault(block.id, []).append(((block.record, block.slot), block))
            for id_, slot in _ids_of_event(line):
                events.setdefault(id_, []).append((self._place[line.uid], (line.uid, slot)))
        return copies, events, calls


def _blocks(line: RolloutLine) -> Iterator[Block]:
    """The calls and outputs with an id in the record."""
    if line.kind == "item":
        found = [block_of(line.payload, line.uid, line.slot)]
    elif line.kind == "compacted":
        slot = (*line.slot, HISTORY)
        history = replacement_of(line) or ()
        found = [block_of(item, line.uid, (*slot, number)) for number, item in enumerate(history)]
    else:
        return
    yield from (block for block in found if block.kind in ("call", "result") and isinstance(block.id, str) and block.id)


def _ids_of_event(line: RolloutLine) -> Iterator[tuple[str, Slot]]:
    payload = line.payload
    if line.value.get("type") != "event_msg" or not isinstance(payload, dict):
        return
    if isinstance(payload.get("call_id"), str):
        yield payload["call_id"], ("payload", "call_id")
    item = payload.get("item")
    if isinstance(item, dict) and isinstance(item.get("id"), str):
        yield item["id"], ("payload", "item", "id")


def _is_copy(other: Block, block: Block) -> bool:
    """Whether both are the same item, written twice; ids may restart after a compaction."""
    if other.kind != block.kind or other.call_kind != block.call_kind:
        return False
    mine, its = _item_id(block), _item_id(other)
    if mine and its:
        return bool(mine == its)
    keys = ("name", "arguments", "input", "action", "output", "tools")
    return all(other.value.get(key) == block.value.get(key) for key in keys)


def _item_id(block: Block) -> Any:
    return block.value.get("id") if isinstance(block.value, dict) else None


def is_numbered(values: Iterable[Any]) -> bool:
    """Whether the records have ordinals."""
    return any(ordinal_of(value) is not None for value in values)


def renumbered(before: Sequence[Item], after: Sequence[Item]) -> list[Item]:
    """The records with consecutive ordinals: `after` is the result of edits to `before`.

    A new or moved record takes the next number. The numbers after it shift up until a gap absorbs the difference, and
    down
    after removed records. All other records stay the same Items.
    """
    kept = _in_place(before, after)
    if not is_numbered(item.value for item in before) or len(kept) == len(before) == len(after):
        return list(after)
    gone = {item.uid for item in before} - kept
    place = {item.uid: number for number, item in enumerate(before)}
    numbered: list[Item] = []
    moved_by = 0
    last = _first_number(before)
    walked = 0
    for item in after:
        if item.uid in kept:
            # Removed records before this one leave numbers free.
            for other in before[walked : place[item.uid]]:
                moved_by -= other.uid in gone and ordinal_of(other.value) is not None
            walked = place[item.uid] + 1
            number = ordinal_of(item.value)
            if number is None:
                numbered.append(item)
                continue
            wanted = max(last + 1, number) if moved_by > 0 else number + moved_by
            moved_by = wanted - number
        else:
            own = ordinal_of(item.value) if item.uid not in place else None
            wanted = last + 1 if own is None else own
            moved_by += 1
        last = wanted
        numbered.append(_with_ordinal(item, wanted))
    return numbered


def _first_number(items: Sequence[Item]) -> int:
    """One less than the first ordinal: a fork continues its parent's numbers."""
    return next((number for item in items if (number := ordinal_of(item.value)) is not None), 0) - 1


def _in_place(before: Sequence[Item], after: Sequence[Item]) -> set[int]:
    """The records whose relative order has not changed; the others were moved."""
    place = {item.uid: number for number, item in enumerate(before)}
    still = longest_ascending([place[item.uid] for item in after if item.uid in place])
    return {before[number].uid for number in still}


def _with_ordinal(item: Item, number: int) -> Item:
    value = item.value
    if not isinstance(value, dict) or ordinal_of(value) == number:
        return item
    if "ordinal" in value:
        return Item(item.uid, {**value, "ordinal": number})
    made: dict[str, Any] = {}
    for key, part in value.items():
        made[key] = part
        if key == "timestamp":
            made["ordinal"] = number
    made.setdefault("ordinal", number)
    return Item(item.uid, made)
