"""Writing edits back into Gemini CLI's log: a message is changed where it was written last.

A result goes into its call, where the agent keeps it; what is new goes after the message before it was first written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.gemini import call_of, part_of
from toolpair.dialects.gemini_writer import GeminiWriter
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.tree_history import fresh_id
from toolpair.formats.engine.writing.in_calls import InCalls, Key, Piece
from toolpair.formats.format import Item
from toolpair.formats.gemini_cli.history import Entry, GeminiHistory, GeminiTurn, Slot
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import ABSENT, Edit, InsertRecord, SetInRecord
from toolpair.transcript.model import Transcript

_TYPES: Final = {"assistant": "gemini"}


class GeminiLog(InCalls):
    """What an entry says and the results in its calls are two messages of the draft, in the order of the history."""

    strict = False

    def __init__(self, items: Sequence[Item], transcript: Transcript, history: GeminiHistory) -> None:
        self.history = history
        sent = {id(turn.entry) for turn in history.turns}
        self._silent = {(one.uid, one.slot): one for one in history.entries if id(one) not in sent}
        """Entries that say nothing to the model: no message of the draft has them."""
        self._said_now: list[tuple[Entry, dict[str, Any]]] = []
        """Such entries, and what they say after an edit."""
        self._brought_back: list[InsertRecord] = []
        self._taken = {_key(entry.value.get("id")) for entry in history.entries}
        writer = GeminiWriter("content")
        writer.model = "assistant"
        super().__init__(items, transcript, writer, list(map(_piece, history.turns)))

    def place_of(self, block: DraftBlock) -> Key | None:
        at = block.source.slot if block.source is not None else ()
        end = at.index("toolCalls") + 2 if "toolCalls" in at else len(at)
        return (block.source.record, at[:end]) if block.source is not None and block.slot and end < len(at) else None

    def places(self, parts: Sequence[DraftMessage]) -> set[Key]:
        """The calls beside a content, also where that has them itself, so that only their results are sent."""
        found = {key for key in super().places(parts) if key[1][-2:-1] == ("toolCalls",)}
        told = (block for piece in self.pieces if piece.in_calls and _has_calls(piece.of) for block in piece.blocks)
        return found | {key for block in told if (key := self.place_of(self.draft.block(block))) is not None}

    def carry_out(self, edit: Edit) -> None:
        match edit:
            case SetInRecord(record=uid, slot=(*slot, str(key)), value=value) if (uid, tuple(slot)) in self._silent:
                entry = self._silent[uid, tuple(slot)]
                self._said_now.append((entry, {**entry.value, key: value}))
            case InsertRecord(slot=slot) if slot:
                self._brought_back.append(edit)
            case _:
                super().carry_out(edit)

    # --- into records ------------------------------------------------------------------------------------

    def finish(self) -> None:
        order = self.spoken()
        given, strays = self.given(order)
        said = {id(part.source.of): part for part in order if part.source is not None and not part.source.in_calls}
        lists = _Lists(self)
        for entry in {id(piece.of): piece.of for piece in self.pieces}.values():
            if (part := said.get(id(entry))) is None:
                lists.remove(entry)
            elif not _is_same(now := self._value(entry, part, given), entry.value):
                lists.change(entry, now)
        for entry, value in self._said_now:
            lists.change(entry, value)
        for edit in self._brought_back:
            lists.put_at(edit.before, edit.slot, edit.value)
        self._write_new(order, strays, lists)
        lists.write()

    def _value(self, entry: Entry, part: DraftMessage, given: Mapping[Key, Sequence[DraftBlock]]) -> dict[str, Any]:
        """An entry's message as the draft has it."""
        value = dict(entry.value)
        beside = {block.slot[-1]: block for block in self.draft.blocks_of(part) if block.slot and _is_beside(block)}
        written = [block for block in part.blocks if not _is_beside(block)]
        if not _is_as_read(written, entry):
            value["content"] = self.writer.with_blocks(entry.value, written)["content"] if written else ""
        for key, field in (part.fields or {}).items():
            value["type" if key == "role" else key] = _TYPES.get(field, field) if key == "role" else field
        listed = entry.value.get("toolCalls")
        if isinstance(listed, list):
            made: list[Any] = []
            for number, old in enumerate(listed):
                results = given.get((entry.uid, (*entry.slot, "toolCalls", number)), ())
                if not isinstance(old, dict):
                    made.append(old)
                elif (block := beside.get(number)) is not None or _has_calls(entry):
                    made.append(_with_results(_call(block, old), results))
            value["toolCalls"] = listed if _is_same(made, listed) else made
        return {key: field for key, field in value.items() if field is not ABSENT}

    # --- what is new -------------------------------------------------------------------------------------

    def _write_new(
        self, order: Sequence[DraftMessage], strays: Mapping[int, Sequence[DraftBlock]], lists: _Lists
    ) -> None:
        after: Entry | None = None
        waiting: list[dict[str, Any]] = []
        for part in order:
            entry: Entry | None = part.source.of if part.source is not None else None
            blocks = strays.get(id(part), ()) if entry is not None else list(part.blocks)
            content = [_part(block) for block in blocks]
            if not blocks and entry is None and isinstance(part.value.get("content"), list):
                content = part.value["content"]
            if content:
                near = after or entry or next(iter(self.history.entries), None)
                made = self._filled(part.role, content, near if blocks else after)
                if after is None:
                    waiting.append(made)
                else:
                    lists.put_after(after, made)
            if entry is not None and id(entry) not in lists.removed:
                if after is None and waiting:
                    lists.put_before(entry, waiting)
                    waiting = []
                after = entry

    def _filled(self, role: str, content: list[Any], near: Entry | None) -> dict[str, Any]:
        beside = near.value if near is not None else {}
        made: dict[str, Any] = {"id": fresh_id(f"{beside.get('id')}:{len(self._taken)}", self._taken)}
        if "timestamp" in beside:
            made["timestamp"] = beside["timestamp"]
        return {**made, "type": _TYPES.get(role, role), "content": content}


class _Lists:
    """Changes of entries, collected for each place where one is written: in a record's list, or a line of its own."""

    def __init__(self, log: GeminiLog) -> None:
        self._log = log
        self.removed: set[int] = set()
        self._values: dict[Key, Any] = {}
        self._added: dict[Key, list[Any]] = {}
        self._in_front: dict[Key, list[Any]] = {}

    def change(self, entry: Entry, value: dict[str, Any]) -> None:
        self._values[entry.uid, entry.slot] = value

    def remove(self, entry: Entry) -> None:
        self.removed.add(id(entry))
        self._values.update((write, ABSENT) for write in entry.writes)

    def put_after(self, entry: Entry, value: Any) -> None:
        self._added.setdefault(entry.writes[0], []).append(value)

    def put_before(self, entry: Entry, values: Sequence[Any]) -> None:
        self._in_front.setdefault(entry.writes[0], []).extend(values)

    def put_at(self, uid: int, slot: Slot, value: Any) -> None:
        """Put a message into a record's list, after the ones before this place."""
        number = int(slot[-1])
        where, key = (self._added, (*slot[:-1], number - 1)) if number else (self._in_front, slot)
        where.setdefault((uid, key), []).append(value)

    def write(self) -> None:
        log = self._log
        places = {key for found in (self._values, self._added, self._in_front) for key in found}
        for uid, slot in {(uid, slot[:-1]) for uid, slot in places if slot}:
            if (record := log.record(uid)) is not None:
                log.set_in_record(record, slot, self._list(uid, slot, log.in_record(record, slot)))
        for uid in sorted(uid for uid, slot in places if not slot):
            if (record := log.record(uid)) is None:
                continue
            for value in self._in_front.get((uid, ()), ()):
                log.draft.insert_after(record.before, log.line(value))
            last = record
            for value in self._added.get((uid, ()), ()):
                log.draft.insert_after(last, made := log.line(value))
                last = made
            if (value := self._values.get((uid, ()), record)) is ABSENT:
                log.remove_record(record)
            elif value is not record:
                log.set_in_record(record, (), value)

    def _list(self, uid: int, slot: Slot, old: Sequence[Any]) -> list[Any]:
        made: list[Any] = []
        for number, value in enumerate(old):
            key = (uid, (*slot, number))
            now = self._values.get(key, value)
            made += [*self._in_front.get(key, ()), *([] if now is ABSENT else [now]), *self._added.get(key, ())]
        return made


def _piece(turn: GeminiTurn) -> Piece:
    entry = turn.entry
    slot = (*entry.slot, "toolCalls") if turn.results else entry.slot
    return Piece(entry.uid, turn.role, turn.blocks, entry, turn.results, entry.value, slot)


def _has_calls(entry: Entry) -> bool:
    """Whether the content has calls or thoughts itself: the calls beside it are these."""
    content = entry.value.get("content")
    parts = content if isinstance(content, list) else [content]
    return any(isinstance(one, dict) and (one.get("functionCall") or one.get("thought")) for one in parts)


def _is_same(new: Any, old: Any) -> bool:
    """Whether nothing in it is another object."""
    if isinstance(new, dict):
        return new.keys() == old.keys() and all(new[key] is old[key] for key in new)
    return len(new) == len(old) and all(one is was for one, was in zip(new, old, strict=True))


def _call(block: DraftBlock | None, old: dict[str, Any]) -> dict[str, Any]:
    if block is None or block.source is None or block.value is block.source.value:
        return old
    return call_of(block.value, block.source.value, old)


def _key(id_: Any) -> Any:
    """An id, which may be of any type, as a key."""
    return id_ if isinstance(id_, str) else repr(id_)


def _is_beside(block: DraftBlock) -> bool:
    """Whether it is a call that stands in `toolCalls`, not in the content."""
    return block.slot is not None and block.slot[-2:-1] == ("toolCalls",)


def _is_as_read(blocks: Sequence[DraftBlock], entry: Entry) -> bool:
    """Whether these are the content as it was read."""
    content = entry.value.get("content")
    count = len(content) if isinstance(content, list) else 1 if content else 0
    slots = [block.slot for block in blocks]
    size = len(entry.slot)
    own = [slot[size + 1 :] if slot is not None and slot[size : size + 1] == ("content",) else None for slot in slots]
    expected = [(number,) for number in range(count)] if isinstance(content, list) else [()] * count
    same = all(block.source is not None and block.value is block.source.value for block in blocks)
    return own == expected and same


def _with_results(call: dict[str, Any], results: Sequence[DraftBlock]) -> dict[str, Any]:
    """A call with these results, which stay as they are where nothing changed."""
    old = call.get("result")
    written = list(map(_part, results))
    olds = old if isinstance(old, list) else [old] if old else []
    if _is_same(written, olds):
        return call
    if not written:
        return {key: field for key, field in call.items() if key != "result"}
    made = {**call, "result": written}
    if not olds and all(block.source is None for block in results):
        made["status"] = "cancelled"
    return made


def _part(block: DraftBlock) -> Any:
    value = block.value
    if block.source is not None and value is block.source.value and block.written is not None:
        return block.written
    if block.kind == "result" and isinstance(value, dict) and "name" not in value and block.source is not None:
        value = {**value, "name": block.source.name}
    return part_of(value, block.source, block.written)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return GeminiLog(items, transcript, facts_of(transcript, GeminiHistory)).run(edits)
