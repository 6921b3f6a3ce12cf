"""Writing edits back into opencode's rows: a result becomes the state of its call, a new text a part or a message."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from toolpair.dialects import opencode as dialect
from toolpair.dialects.block_texts import text_of
from toolpair.dialects.opencode import OpencodeWriter
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.engine.writing.in_calls import InCalls, Key, Piece
from toolpair.formats.engine.writing.linear import with_slots
from toolpair.formats.format import Item
from toolpair.formats.opencode.detection import MESSAGE, PART
from toolpair.formats.opencode.history import Nearest, StoredHistory, StoredMessage, history_of, new_info, with_ids
from toolpair.transcript.draft import DraftBlock, DraftMessage, Slot
from toolpair.transcript.edits import Edit, SetField
from toolpair.transcript.model import Block, Transcript, kept_output_label

_TAILS: Final = ("U", "F", "7", "3", "1", "0", "-", "!")
"""Suffixes for a new id, tried until it sorts before the next."""


class _Unit(Struct, eq=False):
    """Blocks of the draft that stand in one message's row."""

    role: Any
    of: StoredMessage | None
    """The message that they are of; None for a new one."""
    blocks: list[Any]
    """Blocks, or the values of what is new."""


class _New(Struct, eq=False):
    """A new message's row."""

    id: str
    time: int
    like: StoredMessage
    role: str
    parts: list[Any] = field(default_factory=list)


class Rows(InCalls):
    """Each block of what is sent, and all results of a step, are a message of the draft; rows have one each besides."""

    def __init__(self, items: Sequence[Item], transcript: Transcript, history: StoredHistory) -> None:
        self._history = history
        self._stored_of = {part.uid: one for one in history.stored for part in one.parts}
        self._highest = list(accumulate((one.place for one in history.stored), max))
        """The highest place of the messages up to each."""
        self._number_of = {id(one): number for number, one in enumerate(history.stored)}
        self._row = {item.uid: item.value for item in items}
        messages = tuple(replace(message, records=()) for message in transcript.messages)
        pieces = list(self._pieces(transcript))
        super().__init__(items, replace(transcript, messages=messages), OpencodeWriter(), pieces)

    def _pieces(self, transcript: Transcript) -> Iterator[Piece]:
        for message in transcript.messages:
            role = {"role": message.role}
            if message.blocks[0].kind == "result":
                yield Piece(message.blocks[0].record, message.role, message.blocks, None, True, role)
                continue
            for block in message.blocks:
                yield Piece(block.record, message.role, (block,), self._stored_of[block.record], False, role)

    def take(self, edit: Edit) -> None:
        super().take(edit)
        if isinstance(edit, SetField) and edit.key == "role":
            for part in self.draft.parts_of(edit.message):
                part.set_field("role", edit.value)
                part.role = edit.value

    def place_of(self, block: DraftBlock) -> Key | None:
        source = block.source
        return (source.record, dialect.STATE) if source is not None and source.kind == "result" else None

    # --- into rows ---------------------------------------------------------------------------------------

    def _records(self) -> list[Item]:
        self._changes: dict[int, dict[Slot, Any]] = {}
        self._last: dict[int, DraftMessage] = {}
        """uid of a row -> the last new row that follows it."""
        self._gone: set[int] = set()
        turns = self.spoken()
        self._ids = {str(row_of(value, table).get("id")) for value in self._row.values() for table in (MESSAGE, PART)}
        given, strays = self.given(turns)
        units = list(self._units(turns, strays))
        self._roles(units)
        self._write_calls(units, given)
        self._write(units)
        for uid in self._gone:
            self.remove_record(self.draft.of_record(uid))
        for uid, changes in self._changes.items():
            self._set[uid] = {**changes, **self._set.get(uid, {})}
        return super()._records()

    def _units(self, turns: Sequence[DraftMessage], strays: Mapping[int, Sequence[DraftBlock]]) -> Iterator[_Unit]:
        for message in turns:
            found: list[Any] = [
                {"type": "text", "text": f"{kept_output_label(_name(one))}\n{text_of(one.value.get('content'))}"}
                for one in strays.get(id(message), ())
                if one.kind == "result"
            ]
            found += (block for block in message.blocks if block.kind != "result")
            if not message.had_blocks:
                content = message.value.get("content")
                found += [content] if isinstance(content, str) else content or []
            if found:
                yield _Unit(message.role, message.source.of if message.source is not None else None, found)

    def _roles(self, units: Sequence[_Unit]) -> None:
        """Set the role of a message all of whose parts have another one; else these parts get a message of theirs."""
        of: dict[int, list[_Unit]] = {}
        for unit in units:
            if unit.of is not None:
                of.setdefault(id(unit.of), []).append(unit)
        for found in of.values():
            message = found[0].of
            assert message is not None
            roles = {repr(unit.role) for unit in found}
            if roles == {repr(message.role)}:
                continue
            if len(roles) == 1 and message.uid is not None:
                self._set_slot(message.uid, (MESSAGE, "data", "role"), found[0].role)
                continue
            for unit in found:
                unit.of = unit.of if unit.role == message.role else None

    def _write_calls(self, units: Sequence[_Unit], given: Mapping[Key, Sequence[DraftBlock]]) -> None:
        for block in (block for unit in units for block in unit.blocks if isinstance(block, DraftBlock)):
            source = block.source
            if source is None:
                continue
            uid, data = source.record, dialect.data_of(self._row[source.record])
            if block.kind == "call":
                self._write_call(block, source, next(iter(given.get(source.key, ())), None), data)
            elif source.kind == "call":
                self._set_slot(uid, dialect.DATA, self._call_as_part(block, source, data))
            elif block.value is not source.value:
                self._set_slots(uid, dialect.changes_of_text(source, block.value))

    def _write_call(self, block: DraftBlock, source: Block, result: DraftBlock | None, data: dict[str, Any]) -> None:
        uid = source.record
        if block.value is not source.value:
            self._set_slots(uid, dialect.changes_of_call(data, source.value, block.value))
        if result is None and dialect.result_of(data) is None:
            return
        if result is None or not self._is_as_read(result, uid):
            time = row_of(self._row[uid], PART).get("time_created", self._stored_of[uid].time)
            value = result.value if result is not None else None
            self._set_slots(uid, dialect.changes_of_state(data, value, time))

    def _call_as_part(self, block: DraftBlock, call: Block, data: dict[str, Any]) -> dict[str, Any]:
        """A call that is kept as a text, with what its row keeps of an output."""
        part = dialect.part_of(block.value)
        kept = dialect.kept_output(data, self._history.in_folder)
        if kept is not None and kept[0] not in part.get("text", ""):
            part["text"] = f"{part.get('text', '')}\n\n{kept_output_label(call.name)}\n{kept[0]}"
        return part

    def _is_as_read(self, result: DraftBlock, uid: int) -> bool:
        """Whether a result says what it said in this row, whatever its id is."""
        source = result.source
        if source is None or source.record != uid:
            return False
        return all(result.value.get(key) is source.value.get(key) for key in ("content", "is_error"))

    def _set_slot(self, uid: int, slot: Slot, value: Any) -> None:
        self._set_slots(uid, {slot: value})

    def _set_slots(self, uid: int, changes: Mapping[Slot, Any]) -> None:
        self._changes.setdefault(uid, {}).update(changes)

    # --- where rows go -----------------------------------------------------------------------------------

    def _write(self, units: Sequence[_Unit]) -> None:
        """Put new parts and new messages between the rows, and leave out those of which nothing is left."""
        left: dict[int, list[Any]] = {}
        for unit in units:
            if unit.of is not None:
                left.setdefault(id(unit.of), []).extend(unit.blocks)
        sent: dict[int, set[int]] = {}
        own = [piece for piece in self.pieces if piece.of is not None]
        for piece in own:
            sent.setdefault(id(piece.of), set()).add(piece.record)
        for message in {id(piece.of): piece.of for piece in own}.values():
            self._write_parts(message, left.get(id(message)), sent.get(id(message), set()))
        before: StoredMessage | None = None
        new: _New | None = None
        made: dict[int, list[_New]] = {}
        for unit in units:
            if unit.of is not None:
                before, new = unit.of, None
                continue
            if new is None or new.role != unit.role:
                siblings = made.setdefault(id(before), [])
                new = self._new_message(unit.role, before, siblings[-1] if siblings else None)
                siblings.append(new)
            new.parts += unit.blocks
        for message in self._history.stored:
            self._put_messages(made.get(id(message), ()), self._last_row(message))
        front = made.get(id(None), ())
        if front:
            first = self._history.stored[0]
            at = [item.uid for item in self.items].index(first.uid if first.uid is not None else first.parts[0].uid)
            self._put_messages(front, self.items[max(at - 1, 0)].uid)

    def _last_row(self, message: StoredMessage) -> int:
        uids = [part.uid for part in message.parts]
        return uids[-1] if uids else message.uid if message.uid is not None else 0

    def _write_parts(self, message: StoredMessage, blocks: Sequence[Any] | None, sent: Collection[int]) -> None:
        """The parts of a message as its blocks now are; with none left its rows go. `sent`: uids of those it had."""
        if not blocks:
            self._gone.update(part.uid for part in message.parts)
            if message.uid is not None:
                self._gone.add(message.uid)
            return
        kept = {block.source.record for block in blocks if isinstance(block, DraftBlock) and block.source is not None}
        self._gone.update(uid for uid in sent if uid not in kept)
        ids = {part.uid: part.id for part in message.parts}
        last_uid = message.uid if message.uid is not None else message.parts[0].uid
        last_id, written = "", set[int]()
        rest = deque(sorted((id_, uid) for uid, id_ in ids.items()))
        for block in blocks:
            uid = block.source.record if isinstance(block, DraftBlock) and block.source is not None else None
            if uid in ids and uid not in written and ids[uid] > last_id:
                last_uid, last_id = uid, ids[uid]
                written.add(uid)
                continue
            while rest and (rest[0][0] <= last_id or rest[0][1] in self._gone):
                rest.popleft()
            following = rest[0][0] if rest else None
            row = row_of(self._row[uid], PART) if uid in ids and uid not in written else None
            id_ = self._between(last_id or message.parts[0].id, following)
            if row is not None and uid is not None:
                data = with_slots(self._row[uid], self._changes.get(uid, {}))[PART]["data"]
                self._gone.add(uid)
            else:
                data = dialect.part_of(block.value if isinstance(block, DraftBlock) else block)
            like = row or row_of(self._row[message.parts[0].uid], PART)
            self._put_after(last_uid, PART, {**like, "id": id_, "message_id": message.id, "data": data})
            last_id = id_

    def _between(self, low: str, high: str | None) -> str:
        for tail in _TAILS:
            made = low + tail
            if made not in self._ids and (high is None or made < high):
                break
        else:
            made = low + _TAILS[-1] * 2
        self._ids.add(made)
        return made

    def _before(self, high: str) -> str:
        """An id that sorts before this one: its beginning."""
        made = high[:-1]
        while made in self._ids:
            made = made[:-1]
        self._ids.add(made)
        return made

    def _new_message(self, role: str, before: StoredMessage | None, sibling: _New | None) -> _New:
        stored = self._history.stored
        like = before or stored[0]
        if before is None and sibling is None:
            id_ = self._before(like.id) if like.by_id else self._between(like.id, None)
            return _New(id_, like.time - 1, like, role)
        if before is None and sibling is not None and like.by_id:
            return _New(self._between(sibling.id, like.id), sibling.time, like, role)
        low = sibling.id if sibling is not None else like.id
        time = sibling.time if sibling is not None else like.time
        following = self._following(like)
        high = following.id if following is not None and (following.by_id or following.time == time) else None
        if like.by_id:  # its time does not matter, until a later version sorts by it
            time = time + 1 if following is None else min(time + 1, following.time)
        return _New(self._between(low, high), time, like, role)

    def _following(self, message: StoredMessage) -> StoredMessage | None:
        """The first message that sorts after this one."""
        at = bisect_right(self._highest, message.place)
        return self._history.stored[at] if at < len(self._history.stored) else None

    def _put_messages(self, found: Iterable[_New], after: int) -> None:
        for new in found:
            near = Nearest(self._history.stored, self._number_of[id(new.like)])
            times = {"time_created": new.time, "time_updated": new.time}
            session = {"session_id": self._history.session.get("id") or self._session_of(new.like)}
            data = new_info(new.role, new.time, near)
            self._put_after(after, MESSAGE, {"id": new.id, **session, **times, "data": data})
            for number, part in enumerate(new.parts):
                value = part.value if isinstance(part, DraftBlock) else part
                if isinstance(part, DraftBlock) and part.source is not None:
                    self._gone.add(part.source.record)
                id_ = self._between("prt" + new.id[3:] + f"{number:04d}", None)
                row = {"id": id_, "message_id": new.id, **session, **times, "data": dialect.part_of(value)}
                self._put_after(after, PART, row)

    def _session_of(self, message: StoredMessage) -> Any:
        uid = message.uid if message.uid is not None else message.parts[0].uid
        return (row_of(self._row[uid], MESSAGE) or row_of(self._row[uid], PART)).get("session_id")

    def _put_after(self, uid: int, table: str, columns: dict[str, Any]) -> None:
        before = self._last.get(uid) or self.record(uid) or self.draft.last
        new = self._last[uid] = self.line({table: with_ids(self._history, table, columns)})
        self.draft.insert_after(before, new)


def _name(block: DraftBlock) -> str | None:
    source: Block | None = block.source
    return source.name if source is not None else None


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return Rows(items, transcript, history_of(transcript)).run(edits)
