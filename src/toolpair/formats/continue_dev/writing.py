"""Edits put back into Continue's messages: a result goes into its call.

Its API of chat messages has these results as messages of their own. So a record is unfolded to its own message and one
for each result; edits change that row as they change any list of chat messages; then each result is folded into the
record of the message that it follows. Records of which nothing changed stay the same objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.dialects import continue_dev as dialect
from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.dialects.writer import Writer
from toolpair.formats.continue_dev.history import Unfolded, UnfoldedHistory
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.writing.linear import OF_RECORDS, Linear, with_slots
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import ABSENT, Edit, InsertRecord, MoveRecord, RemoveRecord, said_of
from toolpair.transcript.model import Block, Message, Transcript


class Folded(Struct, eq=False):
    """A record after edits: its own message, and the results that follow it."""

    own: DraftMessage
    of: Unfolded | None
    """What it was; None for a new record."""
    results: list[tuple[DraftMessage, Unfolded | None]] = field(default_factory=list)
    changes: Mapping[Slot, Any] = {}
    """What edits of the record as such put into it."""


class _Folding(Linear):
    """The results of a record are the states of its calls; one without output is filled when its call is answered."""

    silent: Mapping[int, Mapping[int, int | None]]

    def __init__(
        self, items: Sequence[Item], transcript: Transcript, parts: Sequence[Unfolded], writer: Writer
    ) -> None:
        """`parts` are all messages of all records, each made with its place among them as `alone`'s record."""
        self._parts = dict(enumerate(parts))
        self._own = {part.item.uid: number for number, part in self._parts.items() if part.own}
        self._of: dict[int, list[int]] = {}
        self._messages_of: dict[int, Message] = {}
        self._blocks_of: dict[int, Block] = {}
        for number, part in self._parts.items():
            self._of.setdefault(part.item.uid, []).append(number)
            if part.message is not None and part.alone is not None:
                self._messages_of[id(part.message)] = part.alone
                both = zip(part.message.blocks, part.alone.blocks, strict=True)
                self._blocks_of.update((id(block), alone) for block, alone in both)
        self._inserted: set[int] = set()
        """id() of each new record that an edit gave as a whole."""
        row = [Item(number, part.value) for number, part in self._parts.items()]
        alone = tuple(part.alone for part in parts if part.alone is not None)
        super().__init__(row, replace(transcript, messages=alone), writer)
        self._next_uid = min((item.uid for item in items), default=0)
        self._next_uid = min(self._next_uid, 0) - 1

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        return super().run(
            said_of(edits, lambda block: self._blocks_of[id(block)], lambda found: self._messages_of[id(found)])
        )

    def take(self, edit: Edit) -> None:
        if isinstance(edit, OF_RECORDS):
            named = {
                key: self._own[uid] for key in ("record", "after", "before") if (uid := _uid(edit, key)) in self._own
            }
            edit = replace(edit, **named)
        super().take(edit)

    def carry_out(self, edit: Edit) -> None:
        uid = getattr(edit, "record", None)
        with_it = self._of[self._parts[uid].item.uid][1:] if uid in self._parts else []
        if isinstance(edit, MoveRecord) and edit.after in self._parts:
            edit = replace(edit, after=self._of[self._parts[edit.after].item.uid][-1])
        known = set(map(id, self.draft)) if isinstance(edit, InsertRecord) else set()
        super().carry_out(edit)
        if isinstance(edit, InsertRecord):
            self._inserted.update(id(message) for message in self.draft if id(message) not in known)
        for last, number in zip((uid, *with_it), with_it, strict=False):
            if isinstance(edit, RemoveRecord):
                super().carry_out(RemoveRecord(number))
            elif isinstance(edit, MoveRecord) and last is not None:
                super().carry_out(MoveRecord(number, last))

    def _records(self) -> list[Item]:
        found: list[Folded] = []
        for message in self.draft:
            part = self._parts.get(message.uid) if not message.is_new else None
            if found and self._is_result(message, part) and self._holds(found[-1]):
                found[-1].results.append((message, part))
            else:
                own = part is not None and part.own
                found.append(Folded(message, part if own else None, changes=self._set.get(message.uid, {})))
        return [self._folded(one) for one in found]

    def _is_result(self, message: DraftMessage, part: Unfolded | None) -> bool:
        if part is not None:
            return not part.own
        role = message.value.get("role") if isinstance(message.value, dict) else None
        return role == "tool" and id(message) not in self._inserted

    def _holds(self, record: Folded) -> bool:
        return isinstance(record.of.item.value, dict) if record.of is not None else id(record.own) not in self._inserted

    def _folded(self, record: Folded) -> Item:
        if record.of is None:
            if id(record.own) in self._inserted:
                return Item(record.own.uid, record.own.record)
            uid = self._fresh_uid() if not record.own.is_new else record.own.uid
            return Item(uid, self.new_record(record))
        item = record.of.item
        changes = {**self.changes_of(record), **record.changes}
        return item if not changes else Item(item.uid, with_slots(item.value, changes))

    def new_record(self, record: Folded) -> Any:
        made = dialect.new_item(self.written(record.own))
        states = [dialect.new_state(self.written(one), ()) for one, _ in record.results]
        return {**made, dialect.STATES: states} if states else made

    def changes_of(self, record: Folded) -> Mapping[Slot, Any]:
        assert record.of is not None
        item, own, changes = record.of.item, record.own, dict[Slot, Any]()
        if own.changed and record.of.value is not None:
            raw = item.value[dialect.MESSAGE]
            changes[dialect.MESSAGE,] = dialect.from_chat(self.written(own), raw, record.of.value)
        old = dialect.states_of(item.value)
        states = self._states(record, old)
        if len(states) != len(old) or any(new is not was for new, was in zip(states, old, strict=True)):
            changes[dialect.STATES,] = states or ABSENT
        return changes

    def _states(self, record: Folded, old: Sequence[Any]) -> list[Any]:
        assert record.of is not None
        made: list[tuple[int, Any]] = []
        """For each state its place among the old ones, or that of the one before it."""
        waiting = dict(self._waiting(record))
        for message, part in record.results:
            last = made[-1][0] if made else -1
            if part is not None:
                place = part.slot[-1] if part.item is record.of.item else last
                made.append((int(place), self._state(message, part)))
                continue
            value = self.written(message)
            number = next((n for n, (_, id_) in waiting.items() if id_ == value.get("tool_call_id")), None)
            if number is None:
                calls = self._calls(record.own, record.of)
                made.append((last, dialect.new_state(value, [call for _, call, _ in calls])))
            else:
                state, id_ = waiting.pop(number)
                made.append((number, dialect.answered_state(_named(state, id_), value.get("content"))))
        for number, (state, id_) in waiting.items():
            at = next((n for n, (place, _) in enumerate(made) if place > number), len(made))
            made.insert(at, (number, _named(state, id_)))
        return [state for _, state in made]

    def _state(self, message: DraftMessage, part: Unfolded) -> Any:
        raw = part.item.value[dialect.STATES][part.slot[-1]]
        return dialect.changed_state(raw, self.written(message), part.value) if message.changed else raw

    def _waiting(self, record: Folded) -> Iterator[tuple[int, tuple[Any, Any]]]:
        """The states that say nothing and stay, each with the id that its call has now."""
        assert record.of is not None
        item = record.of.item
        ids = {number: id_ for number, _, id_ in self._calls(record.own, record.of)}
        for number, call in self.silent.get(item.uid, {}).items():
            state = item.value[dialect.STATES][number]
            if call is None:
                yield number, (state, ABSENT)
            elif call in ids:
                yield number, (state, ids[call])

    def _calls(self, own: DraftMessage, part: Unfolded) -> list[tuple[int, Any, Any]]:
        """The number, value and id of each call that is left."""
        known = part.alone.calls if part.alone is not None else ()
        if not own.had_blocks:
            return [(number, call.value, call.id) for number, call in enumerate(known)]
        place = {id(call): number for number, call in enumerate(known)}
        calls = [block for block in own.blocks if block.kind == "call"]
        return [(place.get(id(block.source), -1), block.value, block.id) for block in calls]


def _uid(edit: Edit, key: str) -> Any:
    found = getattr(edit, key, None)
    return found if isinstance(found, int) else None


def _named(state: Any, id_: Any) -> Any:
    return state if id_ is ABSENT or state.get("toolCallId") == id_ else dialect.renamed_state(state, id_)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    facts = facts_of(transcript, UnfoldedHistory)
    folding = _Folding(items, transcript, facts.parts, WRITER)
    folding.silent = facts.silent
    return folding.run(edits)
