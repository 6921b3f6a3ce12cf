"""Writing edits back into Gemini CLI's log: a message is changed where it was written last.

A result goes into its call, where the agent keeps it; what is new goes after the message before it was first written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.gemini import call_of, part_of
from toolpair.dialects.gemini_writer import GeminiWriter
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.tree_history import fresh_id
from toolpair.formats.engine.writing.drafts.drafter import home_of
from toolpair.formats.engine.writing.linear import Linear
from toolpair.formats.format import Item
from toolpair.formats.gemini_cli.history import Entry, History, Slot
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import ABSENT, Edit, InsertRecord, SetInRecord
from toolpair.transcript.model import Transcript

_TYPES: Final = {"assistant": "gemini"}


class GeminiLog(Linear):
    """What an entry says and the results in its calls are two messages of the draft, in the order of the history."""

    def __init__(self, items: Sequence[Item], transcript: Transcript, history: History) -> None:
        self.history = history
        self._entry_of: dict[int, Entry] = {}
        """id() of a message of the draft -> its entry."""
        self._answers: dict[int, DraftMessage] = {}
        """id() of an entry -> the message of the results in its calls."""
        sent = {id(turn.entry) for turn in history.turns}
        self._silent = {(one.uid, one.slot): one for one in history.entries if id(one) not in sent}
        """Entries that say nothing to the model: no message of the draft has them."""
        self._said_now: dict[int, tuple[Entry, dict[str, Any]]] = {}
        """id() of such an entry -> what it says after an edit."""
        self._brought_back: list[InsertRecord] = []
        self._taken = {_key(entry.value.get("id")) for entry in history.entries}
        writer = GeminiWriter("content")
        writer.model = "assistant"
        super().__init__(items, transcript, writer)

    def _messages(self) -> Sequence[DraftMessage]:
        records = {item.uid: DraftMessage(item.uid, item.value, (), None, item) for item in self.items}
        parts: list[DraftMessage] = []
        for turn in self.history.turns:
            entry, record = turn.entry, records[turn.entry.uid]
            slot = (*entry.slot, "toolCalls") if turn.results else entry.slot
            part = DraftMessage(entry.uid, record.record, slot, entry.value, record.source)
            part.role, part.in_list = turn.role, record
            parts.append(part)
            self._entry_of[id(part)] = entry
            if turn.results:
                self._answers[id(entry)] = part
            self.homes.update(((block.record, block.slot), part) for block in turn.blocks)
        self._parts = parts
        return [*records.values(), *parts]

    def carry_out(self, edit: Edit) -> None:
        match edit:
            case SetInRecord(record=uid, slot=(*slot, str(key)), value=value) if (uid, tuple(slot)) in self._silent:
                entry = self._silent[uid, tuple(slot)]
                self._said_now[id(entry)] = entry, {**entry.value, key: value}
            case InsertRecord(slot=slot) if slot:
                self._brought_back.append(edit)
            case _:
                super().carry_out(edit)

    # --- into records ------------------------------------------------------------------------------------

    def finish(self) -> None:
        left = {id(part) for part in self.draft}
        order = [part for part in self.draft if part.in_list is not None]
        self._give_to_calls(order)
        changed = {id(self._entry_of[id(part)]): self._entry_of[id(part)] for part in self._parts if part.changed}
        gone = [part for part in self._parts if id(part) not in left]
        changed.update((id(self._entry_of[id(part)]), self._entry_of[id(part)]) for part in gone)
        changed.update((id(entry), entry) for entry in self._answered)
        said = {id(self._entry_of[id(part)]): part for part in order if self._is_said(part)}
        lists = _Lists(self)
        for entry in changed.values():
            part = said.get(id(entry))
            if part is None and not self._still_answers(entry):
                lists.remove(entry)
            else:
                lists.change(entry, self._value(entry, part))
        for entry, value in self._said_now.values():
            lists.change(entry, value)
        for edit in self._brought_back:
            lists.put_at(edit.before, edit.slot, edit.value)
        self._write_new(order, lists)
        lists.write()

    def _is_said(self, part: DraftMessage) -> bool:
        entry = self._entry_of.get(id(part))
        return entry is not None and self._answers.get(id(entry)) is not part

    def _still_answers(self, entry: Entry) -> bool:
        """Whether an entry that says nothing any more is sent nevertheless, for its thoughts."""
        return bool(entry.value.get("thoughts")) and not self._has_said(entry) and id(entry) in self._answers

    def _has_said(self, entry: Entry) -> bool:
        return any(self._entry_of[id(part)] is entry and self._is_said(part) for part in self._parts)

    def _give_to_calls(self, order: Sequence[DraftMessage]) -> None:
        """Put results into the calls before them that have none, and take out those whose call is gone."""
        home: DraftMessage | None = None
        previous_role = ""
        open_: dict[Any, DraftBlock] = {}
        self._given: dict[int, list[DraftBlock]] = {}
        """id() of a call's block -> the results that it gets."""
        self._answered: list[Entry] = []
        """The entries whose calls get a result from elsewhere."""
        self._strays: dict[int, list[DraftBlock]] = {}
        """id() of the message that results stand in -> those that have no call there any more."""
        calls: dict[Slot, DraftBlock] = {}
        for part in order:
            if part.role == "assistant":
                if previous_role != "assistant":
                    open_, calls = {}, {}
                home = part
                for block in self.draft.blocks_of(part):
                    if block.kind == "call" and _is_beside(block):
                        open_.setdefault(_key(block.id), block)
                        calls[block.slot or ()] = block
            elif home is not None:
                entry = self._entry_of.get(id(part))
                own = entry is not None and self._answers.get(id(entry)) is part
                for block in list(self.draft.blocks_of(part)):
                    self._give(part, block, own, calls, open_)
            previous_role = part.role

    def _give(
        self,
        part: DraftMessage,
        block: DraftBlock,
        own: bool,
        calls: dict[Slot, DraftBlock],
        open_: dict[Any, DraftBlock],
    ) -> None:
        at = block.slot if own and block.source is not None and block.source.record == part.uid else None
        if own and at is not None and "toolCalls" in at:
            slot = at[: at.index("toolCalls") + 2]
            if slot in calls:
                self._given.setdefault(id(calls[slot]), []).append(block)
                open_.pop(_key(calls[slot].id), None)
                return
            if self._is_truth_in_content(part):
                return
        moved = (
            block.source is None or block.slot is None or self.homes.get((block.source.record, block.slot)) is not part
        )
        if block.kind == "result" and (own or moved) and _key(block.id) in open_:
            call = open_.pop(_key(block.id))
            self._given.setdefault(id(call), []).append(block)
            self._answered.append(self._entry_of[id(home_of(call))])
            if not own:
                self.draft.take(block)
        elif own:
            self._strays.setdefault(id(part), []).append(block)

    def _is_truth_in_content(self, part: DraftMessage) -> bool:
        entry = self._entry_of[id(part)]
        content = entry.value.get("content")
        parts = content if isinstance(content, list) else [content]
        return any(isinstance(one, dict) and (one.get("functionCall") or one.get("thought")) for one in parts)

    def _value(self, entry: Entry, part: DraftMessage | None) -> dict[str, Any]:
        """An entry's message as the draft has it."""
        value = dict(entry.value)
        blocks = list(self.draft.blocks_of(part)) if part is not None else []
        beside = [block for block in blocks if block.kind == "call" and _is_beside(block)]
        written = [block for block in blocks if block not in beside]
        if part is not None:
            if not _is_same(written, entry, part):
                value["content"] = self.writer.with_blocks(entry.value, written)["content"] if written else ""
            for key, field in (part.fields or {}).items():
                value["type" if key == "role" else key] = _TYPES.get(field, field) if key == "role" else field
        listed = entry.value.get("toolCalls")
        if isinstance(listed, list) and part is not None:
            made = self._calls(entry, listed, beside) if not self._truth(entry) else self._kept(entry, listed)
            if len(made) != len(listed) or any(new is not old for new, old in zip(made, listed, strict=True)):
                value["toolCalls"] = made
        return {key: field for key, field in value.items() if field is not ABSENT}

    def _truth(self, entry: Entry) -> bool:
        answers = self._answers.get(id(entry))
        return answers is not None and self._is_truth_in_content(answers)

    def _calls(self, entry: Entry, listed: list[Any], beside: Sequence[DraftBlock]) -> list[Any]:
        by_number = {block.slot[-1]: block for block in beside if block.slot}
        made: list[Any] = []
        for number, old in enumerate(listed):
            if not isinstance(old, dict):
                made.append(old)
            elif (block := by_number.get(number)) is not None:
                made.append(self._call(block, old, self._given.get(id(block), [])))
        return made

    def _call(self, block: DraftBlock, old: dict[str, Any], results: Sequence[DraftBlock]) -> dict[str, Any]:
        call = old
        if block.source is not None and block.value is not block.source.value:
            call = call_of(block.value, block.source.value, old)
        return _with_results(call, results)

    def _kept(self, entry: Entry, listed: list[Any]) -> list[Any]:
        """The calls beside a content that has them itself: only their results are sent."""
        part = self._answers[id(entry)]
        left = list(self.draft.blocks_of(part)) if self.draft.is_in(part) else []
        made: list[Any] = []
        for number, old in enumerate(listed):
            own = [block for block in left if block.slot and block.slot[: len(entry.slot) + 2][-1] == number]
            made.append(_with_results(old, own) if isinstance(old, dict) else old)
        return made

    # --- what is new -------------------------------------------------------------------------------------

    def _write_new(self, order: Sequence[DraftMessage], lists: _Lists) -> None:
        after: Entry | None = None
        waiting: list[dict[str, Any]] = []
        for part in order:
            entry = self._entry_of.get(id(part))
            blocks = self._strays.get(id(part), []) if entry is not None else list(part.blocks)
            if blocks:
                near = after or entry or next((e for e in self.history.entries), None)
                made = self._new_message(part.role, blocks, near, part)
                if after is None:
                    waiting.append(made)
                else:
                    lists.put_after(after, made)
            elif entry is None and isinstance(part.value.get("content"), list) and part.value["content"]:
                made = self._filled(part.role, part.value["content"], after, part)
                if after is None:
                    waiting.append(made)
                else:
                    lists.put_after(after, made)
            if entry is not None and id(entry) not in lists.removed:
                if after is None and waiting:
                    lists.put_before(entry, waiting)
                    waiting = []
                after = entry

    def _new_message(
        self, role: str, blocks: Sequence[DraftBlock], near: Entry | None, part: DraftMessage
    ) -> dict[str, Any]:
        return self._filled(role, [_part(block) for block in blocks], near, part)

    def _filled(self, role: str, content: list[Any], near: Entry | None, part: DraftMessage) -> dict[str, Any]:
        beside = near.value if near is not None else {}
        made: dict[str, Any] = {"id": fresh_id(f"{beside.get('id')}:{len(self._taken)}", self._taken)}
        if "timestamp" in beside:
            made["timestamp"] = beside["timestamp"]
        return {**made, "type": _TYPES.get(role, role), "content": content}


class _Lists:
    """Changes of entries, collected for each record that holds them."""

    def __init__(self, log: GeminiLog) -> None:
        self._log = log
        self.removed: set[int] = set()
        self._values: dict[tuple[int, Slot], Any] = {}
        self._added: dict[tuple[int, Slot], list[Any]] = {}
        self._in_front: dict[tuple[int, Slot], list[Any]] = {}

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
        if number:
            self._added.setdefault((uid, (*slot[:-1], number - 1)), []).append(value)
        else:
            self._in_front.setdefault((uid, slot), []).append(value)

    def write(self) -> None:
        lists = {
            (uid, slot[:-1]) for found in (self._values, self._added, self._in_front) for uid, slot in found if slot
        }
        for uid, slot in lists:
            record = self._log.record(uid)
            if record is not None:
                self._log.set_in_record(record, slot, self._list(uid, slot, self._log.in_record(record, slot)))
        for key, values in (*self._in_front.items(), *self._added.items()):
            self._write_lines(key, values, in_front=key in self._in_front and self._in_front[key] is values)
        for (uid, slot), value in self._values.items():
            record = self._log.record(uid) if not slot else None
            if record is not None and value is ABSENT:
                self._log.remove_record(record)
            elif record is not None:
                self._log.set_in_record(record, (), value)

    def _write_lines(self, key: tuple[int, Slot], values: Sequence[Any], in_front: bool) -> None:
        record = self._log.record(key[0]) if not key[1] else None
        for value in values if record is not None else ():
            made = self._log.line(value)
            assert record is not None
            self._log.draft.insert_after(record.before if in_front else record, made)
            if not in_front:
                record = made

    def _list(self, uid: int, slot: Slot, old: Sequence[Any]) -> list[Any]:
        made: list[Any] = []
        for number, value in enumerate(old):
            key = (uid, (*slot, number))
            made += self._in_front.get(key, ())
            now = self._values.get(key, value)
            if now is not ABSENT:
                made.append(now)
            made += self._added.get(key, ())
        return made


def _key(id_: Any) -> Any:
    """An id, which may be of any type, as a key."""
    return id_ if isinstance(id_, str) else repr(id_)


def _is_beside(block: DraftBlock) -> bool:
    """Whether it is a call that stands in `toolCalls`, not in the content."""
    return block.slot is not None and block.slot[-2:-1] == ("toolCalls",)


def _is_same(blocks: Sequence[DraftBlock], entry: Entry, part: DraftMessage) -> bool:
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
    if len(written) == len(olds) and all(new is was for new, was in zip(written, olds, strict=True)):
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
    return GeminiLog(items, transcript, facts_of(transcript, History)).run(edits)
