"""Edits of goose's sessions: what is added becomes rows of their own, in places that are free."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, ValidationError, convert, field

from toolpair.dialects.anthropic_writer import AnthropicWriter
from toolpair.dialects.goose import part_of
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.stored_rows import facts_in
from toolpair.formats.engine.reading.tree_history import uuid_from
from toolpair.formats.engine.writing.linear import Envelope, Linear, is_own, with_slots
from toolpair.formats.format import Item
from toolpair.formats.goose.detection import MESSAGES, VISIBLE, content_key, fields_of, is_message, row_slot
from toolpair.formats.goose.history import GooseRecords
from toolpair.transcript.draft import DraftBlock, DraftMessage, Slot
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

Place = tuple[int, int]
"""When a row was created, in seconds, and its id: goose reads rows in this order."""


class _Rows(Envelope, frozen=True):
    """New messages have the columns of their neighbour's row; their ids come last, when their places are known."""

    template: Any = None
    taken: set[str] = field(default_factory=set)
    tried: dict[str, int] = field(default_factory=dict)
    """What ids were made of -> how many of these are taken."""

    def slot_in(self, value: Any) -> Slot:
        return row_slot(value)

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = beside.record if is_message(beside.record) else self.template
        fields = fields_of(home)
        own: dict[str, Any] = {
            "id": None,
            "message_id": self._new_id(fields.get("message_id")),
            "role": message["role"],
            "tokens": None,
            "metadata_json": VISIBLE,
        }
        if not row_slot(home):
            own = {"role": message["role"], "metadata": VISIBLE}
            if "id" in fields:
                own["id"] = self._new_id(fields["id"])
        key = content_key(home)
        made = {name: own.get(name, value) for name, value in fields.items() if name != key}
        return with_slots({}, {row_slot(home): {**made, key: message[key]}})

    def _new_id(self, beside: Any) -> str:
        own = str(beside)
        while True:
            attempt = self.tried.get(own, 0)
            self.tried[own] = attempt + 1
            made = f"msg_{uuid_from(own, attempt)}"
            if made not in self.taken:
                self.taken.add(made)
                return made


class _Edits(Linear):
    in_turns: bool

    def finish(self) -> None:
        for message in list(self.draft):
            if message.changed and message.had_blocks and message.role == "user":
                self._take_apart(message)

    def _take_apart(self, message: DraftMessage) -> None:
        """Results and words stand in rows of their own, and a result that is added follows its call's row."""
        results = [block for block in message.blocks if block.kind == "result"]
        words = [block for block in message.blocks if block.kind != "result"]
        own = {id(block) for block in results if is_own(block, message)}
        if own and words and not self.in_turns:
            self.put_apart(words, message, message)
        added = [block for block in results if id(block) not in own]
        rows = list(self._responses_before(message)) if added else []
        for block in added:
            call = next((row for row, *ids in rows if block.id in ids[not isinstance(block.id, str)]), None)
            if call is not None and (not message.is_new or call is not message.before):
                self.put_apart([block], call, call)
            elif not message.is_new:
                late = any(id(before) in own for before in _before(block))
                self.put_apart([block], message, message if late else message.before)
        if message.emptied:
            self.draft.drop(message)

    def _responses_before(self, message: DraftMessage) -> Iterator[tuple[DraftMessage, set[str], list[Any]]]:
        """The rows of the response before a message, from the last one, and the ids of its calls: texts, and others."""
        row = message.before
        while row is not None and (row.role == "assistant" or row.is_new or not self.draft.is_sent(row)):
            if row.role == "assistant" and self.draft.is_sent(row):
                ids = [block.id for block in self.draft.blocks_of(row) if block.kind == "call"]
                yield (
                    row,
                    {id_ for id_ in ids if isinstance(id_, str)},
                    [id_ for id_ in ids if not isinstance(id_, str)],
                )
            row = row.before


class _Writer(AnthropicWriter):
    """Writes messages with Anthropic's blocks, as they are read; what did not change stays the same object.

    `content` is the key of a message's blocks.
    """

    def __init__(self, content: str) -> None:
        self._content = content

    def message(self, role: str, content: str | list[Any]) -> dict[str, Any]:
        parts = [content] if isinstance(content, str) else content
        return {"role": role, self._content: [part_of(part, None, None) for part in parts]}

    def holder(self, role: str) -> dict[str, Any]:
        return {"role": role, self._content: []}

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        return {**value, self._content: [part_of(block.value, block.source, block.written) for block in blocks]}

    def complete(self, value: Any, known: Sequence[DraftBlock]) -> Sequence[DraftBlock]:
        return known


def _before(block: DraftBlock) -> Iterator[DraftBlock]:
    found = block.before
    while found is not None:
        yield found
        found = found.before


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits."""
    template = next((item.value for item in items if is_message(item.value)), None)
    known = [fields_of(item.value) for item in items]
    taken = {name for fields in known for key in ("message_id", "id") if isinstance(name := fields.get(key), str)}
    rows = _Rows(template=template, taken=taken)
    work = _Edits(items, transcript, _Writer(content_key(template)), rows)
    work.in_turns = facts_of(transcript, GooseRecords).in_turns
    return list(placed(work.run(edits)))


# --- places ------------------------------------------------------------------------------------------------


def placed(items: Sequence[Item]) -> Iterator[Item]:
    """The records with a place for each new row.

    It gets a free id between its neighbours'. Where none is free, it gets one after the last row of the table, and so
    do the rows after it that were created in the same second.
    """
    places = [_place(item) for item in items]
    ids = _Ids(items, places)
    last: Place | None = None
    ahead = 0
    """The next row after `last`: both only move on."""
    for number, (item, place) in enumerate(zip(items, places, strict=True)):
        if not row_slot(item.value):
            yield item
        elif place is not None and (last is None or place > last):
            last = place
            yield item
        else:
            floor = last
            ahead = max(ahead, number + 1)
            while ahead < len(places) and ((at := places[ahead]) is None or (floor is not None and at <= floor)):
                ahead += 1
            upper = places[ahead] if ahead < len(places) else None
            moved = place is not None and floor is not None and place[0] == floor[0]
            last = (floor[0], ids.fresh()) if moved and floor is not None else ids.between(last, upper)
            yield _at(item, last)


def _place(item: Item) -> Place | None:
    fields = fields_of(item.value) if row_slot(item.value) else {}
    time, id_ = fields.get("created_timestamp"), fields.get("id")
    return (time, id_) if isinstance(time, int) and isinstance(id_, int) else None


def _at(item: Item, place: Place) -> Item:
    time, id_ = place
    changes: dict[Slot, Any] = {(MESSAGES, "id"): id_}
    if fields_of(item.value).get("created_timestamp") != time:
        changes[MESSAGES, "created_timestamp"] = time
    return Item(item.uid, with_slots(item.value, changes))


class _FreeIds(Struct, frozen=True):
    """What the first line says of other sessions' rows."""

    next_id: int = 1
    free_ids: Sequence[tuple[int, int]] = ()


def _known(items: Sequence[Item]) -> _FreeIds:
    try:
        return convert(facts_in(items), _FreeIds)
    except (ValidationError, UnicodeError):
        return _FreeIds()


class _Ids:
    """The ids that no row of any session has."""

    def __init__(self, items: Sequence[Item], places: Sequence[Place | None]) -> None:
        facts = _known(items)
        own = [place[1] for place in places if place is not None]
        self._used = set(own)
        self._next = max([facts.next_id, *(id_ + 1 for id_ in own)])
        self._free = sorted(facts.free_ids)

    def fresh(self) -> int:
        """An id after that of the last row."""
        self._used.add(self._next)
        self._next += 1
        return self._next - 1

    def between(self, last: Place | None, upper: Place | None) -> Place:
        """A place after one row and before another."""
        if last is None:
            return (upper[0] - 1 if upper is not None else 0, self.fresh())
        if upper is None:
            return last[0], self.fresh()
        start = bisect_left(self._free, last[1] + 1, key=lambda gap: gap[1])
        for number in range(start, len(self._free)):
            first, end = self._free[number]
            if first >= upper[1]:
                break
            for id_ in range(max(first, last[1] + 1), min(end, upper[1] - 1) + 1):
                if id_ not in self._used:
                    self._used.add(id_)
                    return last[0], id_
        return last[0], self.fresh()
