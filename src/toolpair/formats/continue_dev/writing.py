"""Edits put back into Continue's messages: a result goes into its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolpair.dialects import continue_dev as dialect
from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.formats.continue_dev.history import Facts
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.writing.unfolded import Folded, Folding, Unfolded
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import ABSENT, Edit
from toolpair.transcript.model import Transcript


class _Folding(Folding):
    """The results of a record are the states of its calls; one without output is filled when its call is answered."""

    silent: Mapping[int, Mapping[int, int | None]]

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


def _named(state: Any, id_: Any) -> Any:
    return state if id_ is ABSENT or state.get("toolCallId") == id_ else dialect.renamed_state(state, id_)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    facts = facts_of(transcript, Facts)
    folding = _Folding(items, transcript, facts.parts, WRITER)
    folding.silent = facts.silent
    return folding.run(edits)
