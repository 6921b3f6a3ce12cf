"""Edits of a Qwen Code session.

What a compression kept is a list in its record. For edits each content of it is a record of its own after that one;
what then still stands there is put back into the list, and what stands further down stays a record.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import count, pairwise, takewhile
from typing import Any, Final

from msgspec.structs import replace

from toolpair.dialects import gemini as dialect
from toolpair.dialects.gemini_writer import GeminiResultWriter
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.tree_history import Node, fresh_id, uuid_from
from toolpair.formats.engine.reading.turns import messages_of
from toolpair.formats.engine.writing.linear import OF_RECORDS, with_slots
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import Item, View
from toolpair.formats.qwen_code.detection import message_in
from toolpair.formats.qwen_code.history import (
    AT,
    KEPT,
    QwenContent,
    QwenHistory,
    content_of,
    is_node,
    parts_in,
    read,
    turn_of,
)
from toolpair.transcript.draft import DraftMessage, value_at
from toolpair.transcript.edits import Edit, records_of, said_of
from toolpair.transcript.model import Block, Damaged, Slot, Transcript

_COPIED: Final = ("sessionId", "timestamp", "cwd", "version", "gitBranch")
"""What a new record says as its neighbour does."""


class _QwenEnvelope(TreeEnvelope, frozen=True):
    def slot_in(self, value: Any) -> Slot:
        return ("message",) if message_in(value) else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        return _record(message, beside.record if isinstance(beside.record, dict) else {})

    def new_id(self, seed: str, attempt: int) -> str:
        return uuid_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return is_node(value)


_ENVELOPE: Final = _QwenEnvelope(id_key="uuid", parent_key="parentUuid")


def _record(message: Any, near: dict[str, Any]) -> dict[str, Any]:
    """A record with this message, next to `near`."""
    said = message if isinstance(message, dict) else {}
    parts = said.get("parts")
    answers = any("functionResponse" in part for part in parts or () if isinstance(part, dict))
    kind = "assistant" if said.get("role") == "model" else "tool_result" if answers else "user"
    copied: dict[str, Any] = {key: near[key] for key in _COPIED if key in near}
    session = {"sessionId": copied.pop("sessionId", "restored-session")}
    time = {"timestamp": copied.pop("timestamp")} if "timestamp" in copied else {}
    return {"uuid": None, "parentUuid": None, **session, **time, "type": kind, **copied, "message": message}


def applied(
    items: Sequence[Item],
    transcript: Transcript,
    history: QwenHistory,
    edits: Sequence[Edit],
    read: Callable[[Sequence[Item]], tuple[Transcript, QwenHistory]],
) -> list[Item]:
    """The records after the edits. `read`: reads records that some of them have changed."""
    node = history.compression
    said = [edit for edit in edits if not isinstance(edit, OF_RECORDS)]
    if node is None or not any(node.uid in records_of(edit) for edit in said):
        return _applied(items, transcript, history, edits)
    made = _Unfolded(items, transcript, history, node).run(said)
    of_records = [edit for edit in edits if isinstance(edit, OF_RECORDS)]
    return _applied(made, *read(made), of_records) if of_records else made


def _applied(items: Sequence[Item], transcript: Transcript, history: QwenHistory, edits: Sequence[Edit]) -> list[Item]:
    made = Tree(items, transcript, GeminiResultWriter(), _ENVELOPE, _path(items, history)).run(edits)
    old = {item.uid: item for item in items}
    return [_with_copied_id(old.get(item.uid), item) for item in made]


def _path(items: Sequence[Item], history: QwenHistory) -> list[int]:
    """uids of the records that the agent reads and that can be edited."""
    there = {item.uid for item in items if not isinstance(item.value, Damaged)}
    return [node.uid for node in history.path if node.uid in there]


class _Unfolded:
    """The records, with a record for each content that the compression `node` kept."""

    def __init__(self, items: Sequence[Item], transcript: Transcript, history: QwenHistory, node: Node) -> None:
        self._node = node
        self._old = {item.uid: item for item in items}
        self._records: dict[int, Item] = {}
        """uid -> the record of a content."""
        kept = value_at(node.value, KEPT)
        ids, above, first = set(history.tree.by_id), node.id, max(self._old) + 1
        for uid, content in enumerate(kept, first):
            record = {**_record(content_of(content), node.value), "uuid": fresh_id(f"{node.id}:{uid}", ids, uuid_from)}
            self._records[uid] = Item(uid, {**record, "parentUuid": above})
            above = record["uuid"]
        self._contents = dict(zip(self._records, kept, strict=True))
        path = _path(items, history)
        following = next((uid for above, uid in pairwise(path) if above == node.uid), None)
        last = self._records[first + len(kept) - 1]
        self._items = [
            one
            for item in items
            for one in (_linked(item, last.value["uuid"]) if item.uid == following else item, *self._of(item.uid))
        ]
        self._path = [uid for old in path for uid in (old, *(item.uid for item in self._of(old)))]
        self._blocks: dict[int, Block] = {}
        """id() of a block -> the same one in its own record."""
        messages = list(messages_of(map(turn_of, self._said(history))))
        self._messages = {id(old): new for old, new in zip(transcript.messages, messages, strict=True)}
        self._transcript = replace(transcript, messages=tuple(messages))

    def _of(self, uid: int) -> Iterable[Item]:
        """The records of the contents, if they stand in this one."""
        return self._records.values() if uid == self._node.uid else ()

    def _said(self, history: QwenHistory) -> Iterator[QwenContent]:
        """What is said, each content by its own record."""
        records = iter(self._records.values())
        for said in history.said:
            if said.node is not self._node:
                yield said
                continue
            item = next(records)
            blocks = [replace(one, record=item.uid, slot=(*AT, n)) for n, one in enumerate(said.blocks)]
            self._blocks.update((id(old), new) for old, new in zip(said.blocks, blocks, strict=True))
            node = replace(self._node, uid=item.uid, value=item.value)
            yield QwenContent(said.role, node, blocks, said.summary)

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        moved = said_of(
            edits, lambda block: self._blocks.get(id(block), block), lambda message: self._messages[id(message)]
        )
        made = Tree(self._items, self._transcript, GeminiResultWriter(), _ENVELOPE, self._path).run(moved)
        at = next(number for number, item in enumerate(made) if item.uid == self._node.uid) + 1
        inside = list(takewhile(lambda item: item.uid not in self._old, made[at:]))
        while inside and inside[-1].uid not in self._records:
            inside.pop()
        rest = made[at + len(inside) :]
        gone = {item.value["uuid"] for item in inside}
        fresh = count(min(0, *(item.uid for item in made)) - 1, -1)
        found = [*made[: at - 1], self._folded(made[at - 1], inside), *rest]
        return [self._outside(item, gone, fresh) for item in found]

    def _folded(self, item: Item, inside: Sequence[Item]) -> Item:
        """The compression with these contents."""
        contents = [self._content(one) for one in inside]
        old = list(self._contents.values())
        if len(contents) == len(old) and all(new is was for new, was in zip(contents, old, strict=True)):
            return item
        return Item(item.uid, with_slots(item.value, {KEPT: contents}))

    def _content(self, item: Item) -> Any:
        known = self._records.get(item.uid)
        return self._contents[item.uid] if known is not None and self._same(item, known) else item.value["message"]

    def _same(self, item: Item, known: Item) -> bool:
        return item.value["message"] is known.value["message"]

    def _outside(self, item: Item, gone: Container[str], fresh: Iterator[int]) -> Item:
        """A record that is none of the compression's: it follows that one where it follows what is in it."""
        old = self._old.get(item.uid)
        uid = next(fresh) if item.uid in self._records else item.uid
        parent = item.value.get("parentUuid") if isinstance(item.value, dict) else None
        if parent is None or parent not in gone:
            item = item if uid == item.uid else Item(uid, item.value)
        else:
            item = _linked(Item(uid, item.value), self._node.id)
        if old is not None and old is not item and _is_same(old.value, item.value):
            return old
        return _with_copied_id(old, item)


def _linked(item: Item, parent: str) -> Item:
    return Item(item.uid, with_slots(item.value, {("parentUuid",): parent}))


def _is_same(old: Any, new: Any) -> bool:
    """Whether nothing of a record has changed."""
    if not isinstance(old, dict) or not isinstance(new, dict) or list(old) != list(new):
        return old is new
    return all(new[key] is old[key] or (key == "parentUuid" and new[key] == old[key]) for key in old)


def _with_copied_id(old: Item | None, item: Item) -> Item:
    """The record with the new id of its result in the agent's notes on it, too."""
    copy = value_at(item.value, ("toolCallResult", "callId"))
    if old is None or old is item or not isinstance(copy, str):
        return item
    ids = zip(_result_ids(old.value), _result_ids(item.value), strict=False)
    new = next((now for was, now in ids if was == copy and isinstance(now, str)), copy)
    return item if new == copy else Item(item.uid, with_slots(item.value, {("toolCallResult", "callId"): new}))


def _result_ids(value: Any) -> list[Any]:
    return [block.id for block in dialect.blocks_of(parts_in(value), 0, ()) if block.kind == "result"]


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    def read_again(made: Sequence[Item]) -> tuple[Transcript, QwenHistory]:
        now = read(made, View(leaf=transcript.tree.leaf))
        return now, facts_of(now, QwenHistory)

    return applied(items, transcript, facts_of(transcript, QwenHistory), edits, read_again)
