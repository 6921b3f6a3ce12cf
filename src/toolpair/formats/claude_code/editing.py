"""Edits of the transcript as changes of Claude Code's records."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from toolpair.dialects.block_texts import text_of
from toolpair.formats.claude_code import chain_edits, compaction, copied_ids, pointers
from toolpair.formats.claude_code.answering import Answers
from toolpair.formats.claude_code.details import forget_details, says_nothing
from toolpair.formats.claude_code.envelope import moment_between, record
from toolpair.formats.claude_code.frames import Frame
from toolpair.formats.claude_code.reading import cached_history
from toolpair.formats.claude_code.record_kinds import SYNTHETIC_MODEL, message_id, text_or_none
from toolpair.formats.claude_code.together import bring_together
from toolpair.formats.claude_code.working_lines import DraftLine, DraftPart, Working, as_block, kind_of
from toolpair.formats.clock import seconds_of
from toolpair.formats.format import Item, Spills
from toolpair.transcript.edits import (
    ABSENT,
    Edit,
    InsertMessage,
    InsertResult,
    MoveRecord,
    MoveResult,
    MoveToRole,
    Reidentify,
    Relink,
    Remove,
    RemoveMessage,
    RemoveRecord,
    Rename,
    Reorder,
    ReplaceWithText,
    SetField,
    SetInRecord,
    SetValue,
    Spot,
)
from toolpair.transcript.model import Block, Message, Transcript


def apply_edits(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits. The content of records changes first, then what stands where."""
    if not edits:
        return list(items)
    frame = transcript.frame if isinstance(transcript.frame, Frame) else None
    editor = _Editor(items if frame is None else frame.items, transcript)
    for step in _STEPS:
        for edit in edits:
            if isinstance(edit, step):
                editor.take(edit)
        if step is InsertResult:
            editor.keep_texts_on_chain()
    editor.drop_emptied()
    copied_ids.rename_copies(editor.work, editor.renames)
    pointers.follow(editor.work, editor.heirs)
    changed = editor.work.finish()
    if frame is None:
        return changed
    inside = frame.without(changed)
    if inside is None:
        raise Spills
    return inside


_STEPS: tuple[type, ...] = (
    Rename,
    SetValue,
    SetField,
    Reorder,
    ReplaceWithText,
    Remove,
    MoveToRole,
    MoveResult,
    InsertResult,
    InsertMessage,
    RemoveMessage,
    RemoveRecord,
    Relink,
    Reidentify,
    MoveRecord,
    SetInRecord,
)


class _Turn:
    """The lines of a response and of what answers it, by their place in the chain."""

    def __init__(self, work: Working, lines: Sequence[DraftLine]) -> None:
        self._work = work
        self._entries = {
            line.uid: (-work.chain_index.get(line.uid, -1), number, line)
            for number, line in reversed(list(enumerate(lines)))
        }
        self._waiting = list(self._entries.values())
        heapify(self._waiting)

    def last_beside(self, line: DraftLine) -> DraftLine | None:
        """The last one of those that are in the chain, but for `line`."""
        while self._waiting:
            found = self._waiting[0][2]
            if found is not line and not found.gone and found.uid in self._work.on_chain and found.uuid is not None:
                return found
            heappop(self._waiting)
        return None

    def put_in(self, line: DraftLine) -> None:
        """The line is in the chain now."""
        if line.uid in self._entries:
            heappush(self._waiting, self._entries[line.uid])


class _Editor:
    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self.transcript = transcript
        self.history = cached_history(transcript, items)
        self.work = Working(items, self.history)
        frame = transcript.frame
        self._front = [self.work.lines[uid] for uid in frame.front] if isinstance(frame, Frame) else []
        self.renames: list[copied_ids.Renamed] = []
        self.touched: dict[int, DraftLine] = {}
        self.heirs: dict[str, str] = {}
        """uuid of a record that was taken out -> uuid of the one before it."""
        self.message_of: dict[int, int] = {}
        for number, message in enumerate(transcript.messages):
            for uid in message.records:
                self.message_of[uid] = number
        self.answers = Answers()
        """Of each assistant message, by its number, the lines that hold its results."""
        self.prompts: dict[int, Any] = {}
        """Number of an assistant message -> the prompt that its results name."""
        self.last_user: list[int] = []
        """Of each message the number of the last one of the user in front of it; -1 where there is none."""
        self.groups: dict[int, list[DraftLine]] = {}
        for number, message in enumerate(transcript.messages[:-1]):
            if message.role == "assistant":
                follower = transcript.messages[number + 1]
                lines = [self.work.lines[uid] for uid in follower.records] if follower.role == "user" else []
                for line in lines:
                    if line.has_result:
                        self.answers.add(number, line)
        self.call_numbers: dict[int, dict[Any, int]] = {}
        self.inserted: dict[int, DraftLine] = {}
        """id() of a message -> the last one that was inserted behind it."""
        self.in_call_order: set[int] = set()
        """id() of each `InsertResult` that is to stand in call order, whatever its spot."""
        self.together: set[int] = set()
        """Numbers of the responses whose parts were brought together, where they had to be."""
        self.last_response = max((n for n, m in enumerate(transcript.messages) if m.role == "assistant"), default=-1)

    def take(self, edit: Edit) -> None:
        match edit:
            case Rename():
                self._rename(edit)
            case SetValue(block=block, value=value):
                self._put(block, value)
            case SetField():
                self._set_field(edit)
            case Reorder():
                self._arrange(edit)
            case ReplaceWithText():
                self._to_text(edit)
            case Remove(block=block):
                self._cut(block)
            case MoveToRole():
                self._move_to_role(edit)
            case MoveResult():
                self._place(edit)
            case InsertResult():
                self._answer(edit)
            case InsertMessage():
                self._insert_message(edit)
            case RemoveMessage(message=message):
                for uid in message.records:
                    self._drop(self.work.lines[uid])
            case RemoveRecord(record=record):
                if record in self.work.lines:
                    self._drop(self.work.lines[record])
            case Relink() | Reidentify() | MoveRecord() | SetInRecord():
                chain_edits.take(self.work, edit)

    # content

    def _line(self, block: Block) -> DraftLine:
        line = self.work.lines[block.record]
        self.touched[line.uid] = line
        return line

    def _put(self, block: Block, value: Any) -> None:
        line = self._line(block)
        part = line.part(block.slot)
        if part is not None and part.value is not value:
            if block.kind == "result" and says_nothing(part.value) and not says_nothing(value):
                forget_details(line)
            part.value = value
            line.parts_changed = True

    def _rename(self, edit: Rename) -> None:
        line = self._line(edit.block)
        part = line.part(edit.block.slot)
        if part is None or not isinstance(part.value, dict):
            return
        key = "id" if edit.block.kind.endswith("call") else "tool_use_id"
        if edit.block.kind == "call":
            self.renames.append(copied_ids.Renamed(part.value.get(key), edit.id, line.uuid))
        elif edit.block.kind == "result":
            self.renames.append(copied_ids.Renamed(part.value.get(key), edit.id, line.uuid, is_call=False))
        if part.value.get(key, ABSENT) != edit.id:
            part.value = {**part.value, key: edit.id}
            line.parts_changed = True

    def _set_field(self, edit: SetField) -> None:
        for uid in edit.message.records:
            line = self.work.lines[uid]
            message = line.get("message")
            message = dict(message) if isinstance(message, dict) else {}
            if edit.value is ABSENT:
                message.pop(edit.key, None)
            else:
                message[edit.key] = edit.value
            line.set("message", message)
            if edit.key == "role" and edit.value in ("user", "assistant"):
                line.set("type", edit.value)
            if edit.key == "content":
                line.parts = None
                return

    def _arrange(self, edit: Reorder) -> None:
        if edit.how == "call_order":
            self._call_order(edit)
            return
        for uid in edit.message.records:
            line = self.work.lines[uid]
            first, wanted = ("tool_result", True) if edit.how == "results_first" else ("tool_use", False)
            parts = line.content()
            front = [part for part in parts if (kind_of(part.value) == first) is wanted]
            ordered = front + [part for part in parts if (kind_of(part.value) == first) is not wanted]
            if any(a is not b for a, b in zip(parts, ordered, strict=True)):
                line.parts = ordered
                line.parts_changed = True

    def _call_order(self, edit: Reorder) -> None:
        """Results into call order inside each record, then the records by their first result."""
        by_line: dict[int, list[DraftPart]] = {}
        for block in edit.order:
            if isinstance(block, InsertResult):
                self.in_call_order.add(id(block))
                continue
            line = self.work.lines[block.record]
            part = line.part(block.slot)
            if part is not None:
                by_line.setdefault(line.uid, []).append(part)
        for uid, wanted in by_line.items():
            line = self.work.lines[uid]
            inside = {id(part) for part in wanted}
            slots = [index for index, part in enumerate(line.content()) if id(part) in inside]
            ordered = list(line.content())
            for index, part in zip(slots, wanted, strict=True):
                ordered[index] = part
            if any(a is not b for a, b in zip(line.content(), ordered, strict=True)):
                line.parts = ordered
                line.parts_changed = True
        lines = [self.work.lines[uid] for uid in by_line]
        # Only of results beside the chain does the place in the file decide the order; the last one is the leaf.
        if not any(line.uid in self.history.recovered for line in lines):
            chain_edits.permute(self.work, lines)
        elif all(line.place < self.work.last_place or line is lines[-1] for line in lines) or self._may_end(lines):
            for line, place in zip(lines, sorted(line.place for line in lines), strict=True):
                line.place = place

    def _may_end(self, lines: Sequence[DraftLine]) -> bool:
        """Whether the last of these results can be the file's last record: all behind its call is found beside it."""
        number = self.message_of.get(lines[-1].uid, 0)
        if number == 0 or self.history.chosen:
            return False
        group = self._group(number - 1)
        if any(line.uuid is None or message_id(line.value) is None for line in group):
            return False
        own = {line.uid for line in (*group, *lines)}
        passed: list[DraftLine] = []
        above: DraftLine | None = lines[-1]
        while above is not None and above.uid in own and len(passed) < len(own):
            passed.append(above)
            above = self.work.by_uuid.get(self.work.parent_of(above) or "")
        start = self.work.chain_index.get(above.uid) if above is not None else None
        if start is None or any(node.uid not in own for node in self.history.chain[start + 1 :]):
            return False
        named = self.work.by_uuid.get(self.history.prompt_leaf or "")
        return named is None or named in passed or self.work.chain_index.get(named.uid, start + 1) <= start

    def _to_text(self, edit: ReplaceWithText) -> None:
        line = self._line(edit.block)
        part = line.part(edit.block.slot)
        if part is None:
            return
        texts = [
            DraftPart({"type": "text", "text": edit.text}, None),
            *(DraftPart(value, None) for value in edit.media),
        ]
        parts = line.content()
        at = next(index for index, found in enumerate(parts) if found is part)
        rest = [*parts[:at], *parts[at + 1 :]]
        behind = at
        for index in range(at, len(rest)):
            if kind_of(rest[index].value) == "tool_result":
                behind = index + 1
        while behind < len(rest) and rest[behind].kept:
            behind += 1
        for text in texts:
            text.kept = True
        part.taken = True
        line.parts = [*rest[:behind], *texts, *rest[behind:]]
        line.parts_changed = True

    def _cut(self, block: Block) -> None:
        line = self._line(block)
        part = line.part(block.slot)
        if part is not None:
            part.taken = True
            line.parts = [found for found in line.content() if found is not part]
            line.parts_changed = True

    # roles

    def _move_to_role(self, edit: MoveToRole) -> None:
        line = self._line(edit.block)
        part = line.part(edit.block.slot)
        if part is None or line.type == edit.role:
            return
        parts = line.content()
        at = next(index for index, found in enumerate(parts) if found is part)
        before, after = parts[:at], parts[at + 1 :]
        for other in after:
            other.taken = True
        part.taken = bool(before)
        tail = line
        followers = self.work.chain_children_of(line)
        own = line.type if isinstance(line.type, str) else "user"
        envelope = dict(line.value)
        if before:
            line.parts = before
            line.parts_changed = True
            tail = self._follow(tail, envelope, edit.role, [part], edit.block)
        else:
            self._change_role(line, edit.role)
            if after:
                line.parts = [part]
                line.parts_changed = True
        if after:
            tail = self._follow(tail, envelope, own, after, edit.block)
        if tail is not line:
            for child in followers:
                self.work.set_parent(child, tail.uuid)

    def _follow(
        self, behind: DraftLine, envelope: dict[str, Any], role: str, parts: list[DraftPart], block: Block
    ) -> DraftLine:
        """A new record behind another that holds these parts of what was one record."""
        uuid = self.work.fresh_uuid(envelope.get("uuid"), "part", block.slot, role, len(parts))
        old = envelope.get("message")
        message: dict[str, Any]
        if envelope.get("type") == role and isinstance(old, dict):
            message = {**old, "content": [as_block(part.value) for part in parts]}
        else:
            message = self._message(role, [as_block(part.value) for part in parts], uuid)
        source = behind.uuid if role == "user" and any(kind_of(part.value) == "tool_result" for part in parts) else None
        stamp = moment_between(behind.get("timestamp"), ())
        value = record(envelope, role, message, uuid, behind.uuid, stamp, sourceToolAssistantUUID=source)
        line = self.work.new_line(value, behind)
        if behind.uid in self.work.on_chain:
            self.work.on_chain.add(line.uid)
        return line

    def _change_role(self, line: DraftLine, role: str) -> None:
        message = line.get("message")
        message = dict(message) if isinstance(message, dict) else {}
        message["role"] = role
        line.set("type", role)
        if role == "assistant" and not text_or_none(message.get("id")):
            for key, value in self._message(role, None, line.uuid or line.uid).items():
                message.setdefault(key, value)
        line.set("message", message)

    def _message(self, role: str, content: Any, seed: Any) -> dict[str, Any]:
        if role != "assistant":
            return {"role": role, "content": content}
        name = self.work.fresh_uuid(seed, "message").replace("-", "")
        model = self.transcript.model or SYNTHETIC_MODEL
        return {"model": model, "id": f"msg_{name}", "type": "message", "role": role, "content": content}

    # results

    def _group(self, number: int) -> list[DraftLine]:
        """The lines of a message as it was read."""
        if number not in self.groups:
            self.groups[number] = [self.work.lines[uid] for uid in self.transcript.messages[number].records]
        return self.groups[number]

    def _is_of(self, number: int, line: DraftLine) -> bool:
        """Whether the line is one of the message as it was read."""
        return self.message_of.get(line.uid) == number

    def _answers_of(self, number: int, line: DraftLine) -> bool:
        """Whether the line holds results of the message."""
        return self.answers.has(number, line) and line.has_result

    def _bring_together(self, number: int) -> None:
        if number not in self.together and self.transcript.messages[number].role == "assistant":
            self.together.add(number)
            before = self.work.puts
            bring_together(self.work, self._group(number))
            if self.work.puts != before:
                self.answers.forget()

    def _numbers(self, number: int) -> dict[Any, int]:
        """Of one message: the id of a call, as it is written now, -> which of its calls it is."""
        if number not in self.call_numbers:
            found: dict[Any, int] = {}
            for index, block in enumerate(self.transcript.messages[number].calls):
                part = self.work.lines[block.record].part(block.slot)
                id_ = part.value.get("id") if part is not None and isinstance(part.value, dict) else None
                if isinstance(id_, str):
                    found.setdefault(id_, index)
            self.call_numbers[number] = found
        return self.call_numbers[number]

    def _behind(self, number: int, call: DraftLine, id_: Any, moved: DraftLine | None, among: bool = True) -> DraftLine:
        """The line that a result is put behind: its message's calls, and if `among` the results of earlier calls."""
        numbers = self._numbers(number)
        mine = numbers.get(id_, 0) if isinstance(id_, str) else 0
        ranks = len(self.transcript.messages[number].blocks) + 1
        order = self.answers.order(number, ranks, lambda line: self._answered(line, numbers), moved)
        found = call
        own = message_id(call.value)
        if own is not None:
            last = self.answers.last_call(number, lambda: self._group(number), own, order.first)
            if last is not None and last.place > found.place:
                found = last
        earlier = order.last_below(mine) if among else None
        if earlier is not None and earlier.place > found.place:
            found = earlier
        if found.place >= self.work.last_place and number != self.last_response:
            return call
        return found

    def _at(self, number: int, call: DraftLine, spot: Spot) -> DraftLine:
        """The line that a result is put behind for a spot: a result's, or the last one of the response.

        The agent sends results in front of all words, so of spots among words only the side of the results counts.
        """
        found = self._behind(number, call, None, None, among=False)
        if spot.side == "behind" and isinstance(spot.of, Block) and spot.of.kind == "result":
            line = self.work.lines[spot.of.record]
            if not line.gone and self.answers.has(number, line):
                found = line
        if found.place >= self.work.last_place and number != self.last_response:
            return call
        return found

    @staticmethod
    def _answered(line: DraftLine, numbers: dict[Any, int]) -> int:
        found = [
            numbers.get(part.value.get("tool_use_id"), len(numbers))
            for part in line.content()
            if kind_of(part.value) == "tool_result" and isinstance(part.value.get("tool_use_id"), str)
        ]
        return min(found, default=len(numbers))

    def _take_followers(self, number: int, call: DraftLine, result: DraftLine) -> list[DraftLine]:
        """What the chain goes on with behind the call goes on behind its result."""
        followers = [
            child
            for child in self.work.chain_children_of(call)
            if not self._is_of(number, child) and not self._answers_of(number, child) and child is not result
        ]
        # A record that lost its parent next to this response most likely lost the very result that is put in now.
        for child in self._bridged_beside(number):
            own = self._is_of(number, child) or self._answers_of(number, child)
            if child not in followers and not own and child is not result:
                followers.append(child)
        return followers

    def _bridged_beside(self, number: int) -> list[DraftLine]:
        if not self.work.history.bridged:
            return []
        still = [line for line in self.answers.of(number) if line.has_result]
        return self.work.bridged_beside([*self._group(number), *still])

    def _answer(self, edit: InsertResult) -> None:
        call = self.work.lines[edit.call.record]
        part = call.part(edit.call.slot)
        if part is None or call.gone:
            return
        written = part.value.get("id") if isinstance(part.value, dict) else None
        block: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": written if edit.id is None else edit.id,
            "content": edit.content,
        }
        if edit.is_error:
            block["is_error"] = True
        details = text_of(edit.content) if edit.is_error else None
        spot = None if id(edit) in self.in_call_order else edit.spot
        self._add_result(call, block, written, dict(call.value), details, spot)

    def _add_result(
        self, call: DraftLine, block: Any, id_: Any, envelope: dict[str, Any], details: Any, spot: Spot | None = None
    ) -> DraftLine:
        """A new record for a result, as the agent writes it: a child of its call, in front of what comes next."""
        number = self.message_of[call.uid]
        self._bring_together(number)
        behind = self._behind(number, call, id_, None) if spot is None else self._at(number, call, spot)
        followers = self._take_followers(number, call, call)
        uuid = self.work.fresh_uuid(call.uuid, id_, block.get("tool_use_id"))
        value = record(
            envelope,
            "user",
            {"role": "user", "content": [block]},
            uuid,
            call.uuid,
            moment_between(call.get("timestamp"), [child.get("timestamp") for child in followers]),
            promptId=self._prompt_id(call),
            toolUseResult=details,
            sourceToolAssistantUUID=call.uuid,
        )
        line = self.work.new_line(value, behind)
        self._hang_in(number, call, line, followers)
        return line

    def _hang_in(self, number: int, call: DraftLine, line: DraftLine, followers: Sequence[DraftLine]) -> None:
        for child in followers:
            if call.uuid is not None:
                self.work.set_parent(child, line.uuid)
                self.work.on_chain.add(line.uid)
        numbers = self._numbers(number)
        self.answers.add_ranked(number, line, self._answered(line, numbers))
        if self.work.history.preserved:
            compaction.keep(self.work, line, call, self._group(number))

    def _prompt_id(self, call: DraftLine) -> Any:
        """The prompt that the turn belongs to: the results of one turn name the same."""
        number = self.message_of[call.uid]
        if number not in self.prompts:
            self.prompts[number] = self._prompt_of(number)
        return self.prompts[number]

    def _prompt_of(self, number: int) -> Any:
        for line in self.answers.of(number):
            if line.get("promptId") is not None:
                return line.get("promptId")
        if not self.last_user:
            last = -1
            for place, message in enumerate(self.transcript.messages):
                self.last_user.append(last)
                last = place if message.role == "user" else last
        before = self.last_user[number]
        lines = self._group(before) or self._front if before >= 0 else []
        return next((found for line in lines if (found := line.get("promptId")) is not None), None)

    def _place(self, edit: MoveResult) -> None:
        call = self.work.lines[edit.call.record]
        line = self._line(edit.result)
        part, call_part = line.part(edit.result.slot), call.part(edit.call.slot)
        if part is None or call_part is None or call.gone:
            return
        id_ = call_part.value.get("id") if isinstance(call_part.value, dict) else None
        if len(line.content()) > 1 or line.type != "user" or line.uuid is None:
            self._cut(edit.result)
            envelope = {
                **line.value,
                **{key: call.value[key] for key in ("isSidechain", "agentId") if key in call.value},
            }
            self._add_result(call, part.value, id_, envelope, None)
            return
        self._take_out(line)
        number = self.message_of[call.uid]
        self._bring_together(number)
        behind = self._behind(number, call, id_, line)
        followers = self._take_followers(number, call, line)
        self.work.set_parent(line, call.uuid)
        if line.get("sourceToolAssistantUUID") != call.uuid:
            line.set("sourceToolAssistantUUID", call.uuid)
        stamps = [child.get("timestamp") for child in followers]
        mine, start = seconds_of(line.get("timestamp")), seconds_of(call.get("timestamp"))
        limits = [found for stamp in stamps if (found := seconds_of(stamp)) is not None]
        if mine is None or (start is not None and mine < start) or any(mine > limit for limit in limits):
            line.set("timestamp", moment_between(call.get("timestamp"), stamps))
        self.work.put_behind(line, behind)
        self.answers.remove(line)
        self.prompts.clear()
        self._hang_in(number, call, line, followers)

    def _take_out(self, line: DraftLine) -> None:
        """Let the chain pass the line by: what hangs on it hangs on its parent."""
        parent = self.work.parent_of(line)
        for child in self.work.children_of(line):
            if child.uid in self.work.on_chain:
                self.work.set_parent(child, self._heir(line, child, parent))
        self.work.on_chain.discard(line.uid)

    def _heir(self, line: DraftLine, child: DraftLine, parent: str | None) -> str | None:
        """What a child of `line` hangs on when that goes: its parent, unless that loses the rest of a response."""
        number = self.message_of.get(line.uid)
        if number is None or child.uid not in self.work.on_chain:
            return parent
        if self.transcript.messages[number].role == "user":
            number -= 1
        if number < 0 or self.transcript.messages[number].role != "assistant":
            return parent

        def is_left(other: DraftLine) -> bool:
            """Of the response or its results, and there without `line`."""
            own = self._is_of(number, other) or self._answers_of(number, other)
            return own and not other.gone and other is not line

        if is_left(child):
            return parent
        above = self.work.by_uuid.get(parent or "")
        if above is None or is_left(above):
            return parent
        chain = self.work.on_chain
        group = self._group(number)
        if not self._is_of(number, line) and any(is_left(other) and other.uid in chain for other in group):
            return parent
        answers = [other for other in self.answers.of(number) if is_left(other)]
        heirs = [other for other in (answers or filter(is_left, group)) if other.uuid is not None]
        return max(heirs, key=lambda other: other.place).uuid if heirs else parent

    # lines

    def _drop(self, line: DraftLine) -> None:
        if line.gone:
            return
        parent = self.work.parent_of(line)
        passed = {line.uuid}
        while parent in self.heirs and parent not in passed:  # taken for the parent of a line that has lost its own
            passed.add(parent)
            parent = self.heirs[parent]
        heirs = []
        for child in self.work.children_of(line):
            heir = self._heir(line, child, parent)
            heirs.append(heir)
            self.work.set_parent(child, heir)
        line.gone = True
        self.work.on_chain.discard(line.uid)
        if line.uuid is not None and parent is not None:
            self.heirs[line.uuid] = parent
        for heir in heirs:
            above = self.work.by_uuid.get(heir or "")
            while above is not None and above.uid not in self.work.on_chain and not above.gone:
                self.work.on_chain.add(above.uid)
                above = self.work.by_uuid.get(self.work.parent_of(above) or "")
        for double in self.work.doubles_of(line):
            double.gone = True
        compaction.forget(self.work, line, parent)

    def drop_emptied(self) -> None:
        for line in self.touched.values():
            if line.parts_changed and not line.content():
                self._drop(line)

    def keep_texts_on_chain(self) -> None:
        """Words are sent only from the chain, where results are found beside it too: bring them there."""
        last_of: dict[int, int] = {}
        turns: dict[int, _Turn] = {}
        for line in self.touched.values():
            if line.gone or line.type != "user" or line.has_result or not line.content() or line.uuid is None:
                continue
            number = self.message_of.get(line.uid)
            if number is None or number == 0 or self.transcript.messages[number - 1].role != "assistant":
                continue
            group = self._group(number - 1)
            if number not in last_of:
                last_of[number] = max((self.work.chain_index.get(other.uid, -1) for other in group), default=-1)
            wedged = last_of[number] > self.work.chain_index.get(line.uid, -1)
            if line.uid in self.work.on_chain and not wedged:
                continue
            if line.uid in self.work.on_chain:
                self._take_out(line)
            if number not in turns:
                turns[number] = _Turn(self.work, (*group, *self._group(number)))
            self._behind_all(line, turns[number])

    def _behind_all(self, line: DraftLine, turn: _Turn) -> None:
        """Put a line of words into the chain behind a response and all its results."""
        tail = turn.last_beside(line)
        if tail is None:
            return
        new = [child for child in self.work.chain_children_of(tail) if child.item is None]
        while new:
            tail = new[0]
            new = [child for child in self.work.chain_children_of(tail) if child.item is None]
        followers = self.work.chain_children_of(tail)
        self.work.set_parent(line, tail.uuid)
        for child in followers:
            if child is not line:
                self.work.set_parent(child, line.uuid)
        self.work.put_behind(line, tail)
        self.work.on_chain.add(line.uid)
        turn.put_in(line)

    def _insert_message(self, edit: InsertMessage) -> None:
        if edit.after is not None:
            behind = self.inserted.get(id(edit.after)) or self._end_of(edit.after)
            new = [child for child in self.work.chain_children_of(behind) if child.item is None]
            while new:
                behind = new[0]
                new = [child for child in self.work.chain_children_of(behind) if child.item is None]
            followers = self.work.chain_children_of(behind)
            self.inserted[id(edit.after)] = self._new_text(behind, edit, followers, behind.uuid)
            return
        chain = [line for node in self.history.chain if not (line := self.work.lines[node.uid]).gone]
        if chain and self.history.boundary is not None:
            self._new_text(chain[0], edit, self.work.chain_children_of(chain[0]), chain[0].uuid)
        elif chain:
            line = self._new_text(chain[0], edit, [chain[0]], text_or_none(chain[0].get("parentUuid")))
            line.place = (chain[0].place[0] - 0.5,)

    def _end_of(self, message: Message) -> DraftLine:
        """The line of a message that stands last in the chain."""
        lines = [self.work.lines[uid] for uid in message.records]
        lines = [line for line in lines if line.uid in self.work.on_chain and not line.gone] or lines
        return max(lines, key=lambda line: self.work.chain_index.get(line.uid, -1))

    def _new_text(
        self, near: DraftLine, edit: InsertMessage, followers: Sequence[DraftLine], parent: str | None
    ) -> DraftLine:
        uuid = self.work.fresh_uuid(near.uuid, "message", edit.role, edit.text)
        content = edit.text if isinstance(edit.text, list) else [{"type": "text", "text": edit.text}]
        message = self._message(edit.role, content, uuid)
        stamp = moment_between(near.get("timestamp"), [child.get("timestamp") for child in followers])
        value = record(near.value, edit.role, message, uuid, parent, stamp)
        line = self.work.new_line(value, near)
        self.work.on_chain.add(line.uid)
        for child in followers:
            self.work.set_parent(child, line.uuid)
        return line
