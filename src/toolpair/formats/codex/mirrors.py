"""Other places of a call's id in a rollout: events that report the call, and copies in older histories."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Any

from toolpair.dialects.openai_responses import Slot, block_of
from toolpair.formats.codex.history import replacement_of
from toolpair.formats.codex.rollout_lines import RolloutLine, lines_of
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.format import Item
from toolpair.transcript.model import Block, Transcript

Spot = tuple[int, Slot]
"""uid of a record, and the slot of an item or of an id in it."""


class Mirrors:
    """What must be renamed along with a call or an output. Indexed on first use."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self._items = items
        self._active = {(block.record, block.slot) for message in transcript.messages for block in message.blocks}

    def of(self, block: Block) -> list[Spot]:
        """The copies of the item and, for a call, the events about it."""
        if not isinstance(block.id, str) or not block.id:
            return []
        found = [spot for spot, other in self._copies.get(block.id, ()) if _is_copy(other, block)]
        if block.kind == "call":
            found.extend(self._events_of(block))
        return found

    def _events_of(self, call: Block) -> Iterator[Spot]:
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
    def _copies(self) -> dict[str, list[tuple[Spot, Block]]]:
        return self._index[0]

    @cached_property
    def _index(
        self,
    ) -> tuple[dict[str, list[tuple[Spot, Block]]], dict[str, list[tuple[int, Spot]]], dict[str, list[int]]]:
        """Items outside the history, events, and the positions of calls: all by call id."""
        copies: dict[str, list[tuple[Spot, Block]]] = {}
        events: dict[str, list[tuple[int, Spot]]] = {}
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
