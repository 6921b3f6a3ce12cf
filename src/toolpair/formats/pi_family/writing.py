"""Edits put back into records as pi writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dialects import pi as dialect
from toolpair.dialects.item_types import type_name
from toolpair.dialects.pi_writer import PiWriter
from toolpair.formats.engine.reading.tree_history import id_from
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import Item
from toolpair.formats.pi_family.detection import is_title, message_in
from toolpair.formats.pi_family.history import PiHistory, history_of, is_node, model_of, read_by_pi
from toolpair.transcript.draft import DraftMessage, value_at
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Slot, Transcript

_NO_TIME: Final = "1970-01-01T00:00:00.000Z"


def _counted(history: PiHistory, items: Sequence[Item]) -> Iterator[Item]:
    """The records of the first version, where each compaction names the same record by its number as before."""
    old, now = read_by_pi(history.items), {uid: number for number, uid in enumerate(read_by_pi(items))}
    for item in items:
        index = item.value.get("firstKeptEntryIndex") if isinstance(item.value, dict) else None
        kept = range(index, len(old)) if isinstance(index, int) and index >= 0 else ()
        new = next((now[old[number]] for number in kept if old[number] in now), index)
        yield item if new == index else Item(item.uid, {**item.value, "firstKeptEntryIndex": new})


class PiEnvelope(TreeEnvelope, frozen=True):
    """A record with a message in it."""

    def slot_in(self, value: Any) -> Slot:
        kind = value.get("type") if isinstance(value, dict) else None
        return ("message",) if kind == "message" else ("replacement",) if kind == "context_edit" else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        return self.around(message, beside.record)

    def around(self, message: Any, beside: Any) -> dict[str, Any]:
        """The record of a message next to another record."""
        near = beside if isinstance(beside, dict) else {}
        ids = {"id": None, "parentId": None} if self.linked else {}
        message = {**message, "timestamp": message_in(near).get("timestamp", 0)}
        return {"type": "message", **ids, "timestamp": near.get("timestamp", _NO_TIME), "message": message}

    def new_id(self, seed: str, attempt: int) -> str:
        return id_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return is_node(value) and not is_title(value)


_LINKED: Final = PiEnvelope(first_of=("firstKeptEntryId",))
_LINEAR: Final = PiEnvelope(linked=False)


def edited(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit], envelope: TreeEnvelope) -> list[Item]:
    """The records after the edits, in their order in the tree."""
    history = history_of(transcript)
    writer = PiWriter(dict(zip(("provider", "api", "model"), model_of(history.path), strict=True)))
    path = [node.uid for node in history.path]
    instead = {turn.instead: turn.node.uid for turn in history.turns if turn.instead is not None}
    made = Tree(items, transcript, writer, envelope, path, instead).run(edits)
    return list(_with_whole_ids(items, made, envelope)) if model_of(history.path)[1] in dialect.JOINED else made


def _with_whole_ids(before: Sequence[Item], now: Sequence[Item], envelope: TreeEnvelope) -> Iterator[Item]:
    """The records, where each result that edits wrote has the whole id of its call, of which they know the first part.

    Of several calls with that part it is the nearest one before.
    """
    known = {id(item.value) for item in before}
    said = [(slot, value_at(item.value, slot)) for item in now for slot in [envelope.slot_in(item.value)]]
    ids = [found for _, message in said for found in _call_ids(message)]
    whole = {found.partition("|")[0]: found for found in reversed(ids)}
    exact = set(ids)
    for item, (slot, message) in zip(now, said, strict=True):
        whole.update((found.partition("|")[0], found) for found in _call_ids(message))
        written = id(item.value) not in known and isinstance(message, dict) and message.get("role") == dialect.RESULT
        stored = dialect.stored_id(message) if written else None
        new = whole.get(stored.partition("|")[0]) if isinstance(stored, str) and stored not in exact else None
        yield Item(item.uid, with_slots(item.value, {(*slot, "toolCallId"): new})) if new is not None else item


def _call_ids(message: Any) -> Iterator[str]:
    """The whole ids of the calls of a response."""
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else ():
        if type_name(part) == "toolCall" and isinstance(id_ := dialect.stored_id(part), str):
            yield id_


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    history = history_of(transcript)
    made = edited(items, transcript, edits, _LINEAR if history.linear else _LINKED)
    return list(_counted(history, made)) if history.linear else made
