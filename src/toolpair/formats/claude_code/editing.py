"""Edits of the transcript as changes of Claude Code's records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.claude_code import compaction, copied_ids, pointers
from toolpair.formats.claude_code.answering import Answers
from toolpair.formats.claude_code.chain_order import bring_together, permute
from toolpair.formats.claude_code.details import forget_details, says_nothing
from toolpair.formats.claude_code.envelope import moment_between, record
from toolpair.formats.claude_code.frames import Frame
from toolpair.formats.claude_code.record_kinds import SYNTHETIC_MODEL, text_or_none
from toolpair.formats.claude_code.working import Working, field_of, kind_of
from toolpair.formats.clock import seconds_of
from toolpair.formats.drafts.drafter import home_of
from toolpair.formats.drafts.in_messages import ResultsInMessages
from toolpair.formats.format import Item, Spills
from toolpair.transcript.draft import DraftBlock, DraftMessage
from toolpair.transcript.edits import (
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
    """The records after the edits."""
    if not edits:
        return list(items)
    frame = transcript.frame if isinstance(transcript.frame, Frame) else None
    changed = _Editor(items if frame is None else frame.items, transcript).run(edits)
    if frame is None:
        return changed
    inside = frame.without(changed)
    if inside is None:
        raise Spills
    return inside


_STEPS: Final[tuple[type, ...]] = (
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
"""The content of records changes first, then what stands where."""
_AS_CALL: Final = ("isSidechain", "agentId")
"""What the record of a result has of that of its call."""


class _Editor(Working):
    """One batch of edits of one transcript."""

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        for step in _STEPS:
            wanted = [edit for edit in edits if isinstance(edit, step)]
            for edit in wanted:
                self.take(edit)
            if wanted:
                self.drafter.settle()
            if step is InsertResult:
                self.drafter.keep_texts_on_chain()
        self.drafter.drop_emptied()
        return super().run(())

    def finish(self) -> None:
        copied_ids.rename_copies(self, self.drafter.renames)
        pointers.follow(self, self.drafter.heirs)
        super().finish()

    @cached_property
    def drafter(self) -> _Drafter:
        return _Drafter(self)

    def remove_record(self, line: DraftMessage) -> None:
        self.drafter.drop(line)


class _Turn:
    """The lines of a response and of what answers it, by their place in the chain."""

    def __init__(self, work: Working, lines: Sequence[DraftMessage]) -> None:
        self._work = work
        self._entries = {
            line.uid: (-work.chain_index.get(line.uid, -1), number, line)
            for number, line in reversed(list(enumerate(lines)))
        }
        self._waiting = list(self._entries.values())
        heapify(self._waiting)

    def last_beside(self, line: DraftMessage) -> DraftMessage | None:
        """The last one of those that are in the chain, but for `line`."""
        work = self._work
        while self._waiting:
            found = self._waiting[0][2]
            there = work.is_there(found) and found.uid in work.on_chain and work.id_of(found) is not None
            if found is not line and there:
                return found
            heappop(self._waiting)
        return None

    def put_in(self, line: DraftMessage) -> None:
        """The line is in the chain now."""
        if line.uid in self._entries:
            heappush(self._waiting, self._entries[line.uid])


class _Drafter(ResultsInMessages):
    """Each result has a record of its own, a child of its call: so what others put into messages is linked here."""

    def __init__(self, work: Working) -> None:
        super().__init__(work.draft, work.writer, work.new, merged=True)
        self.work = work
        self.transcript = transcript = work.transcript
        frame = transcript.frame
        self._front = [work.lines[uid] for uid in frame.front] if isinstance(frame, Frame) else []
        self.renames: list[copied_ids.Renamed] = []
        self.touched: dict[int, DraftMessage] = {}
        self.heirs: dict[str, str] = {}
        """uuid of a record that was taken out -> uuid of the one before it."""
        self.message_of: dict[int, int] = {}
        for number, message in enumerate(transcript.messages):
            for uid in message.records:
                self.message_of[uid] = number
        self.answers = Answers(work, lambda number: len(transcript.messages[number].blocks) + 1, self._answered)
        """Of each assistant message, by its number, the lines that hold its results."""
        self.prompts: dict[int, Any] = {}
        """Number of an assistant message -> the prompt that its results name."""
        self.last_user: list[int] = []
        """Of each message the number of the last one of the user in front of it; -1 where there is none."""
        self.groups: dict[int, list[DraftMessage]] = {}
        for number, message in enumerate(transcript.messages[:-1]):
            if message.role == "assistant":
                follower = transcript.messages[number + 1]
                for uid in follower.records if follower.role == "user" else ():
                    if work.has_result(work.lines[uid]):
                        self.answers.add(number, work.lines[uid])
        self.call_numbers: dict[int, dict[Any, int]] = {}
        self.in_call_order: set[int] = set()
        """id() of each `InsertResult` that is to stand in call order, whatever its spot."""
        self.together: set[int] = set()
        """Numbers of the responses whose parts were brought together, where they had to be."""
        self.last_response = max((n for n, m in enumerate(transcript.messages) if m.role == "assistant"), default=-1)

    def take(self, edit: Edit) -> None:
        named = getattr(edit, "result", None) or getattr(edit, "block", None)
        if isinstance(named, Block):
            line = self.work.lines[named.record]
            self.touched[line.uid] = line
        match edit:
            case InsertResult():
                self.answer(edit)
            case MoveResult(result=result, call=call):
                self._place(self.draft.block(result), self.draft.block(call), self.message_of[call.record])
            case _:
                super().take(edit)

    # content

    def rename(self, block: Block, id_: str) -> None:
        found = self.draft.block(block)
        if block.kind in ("call", "result"):
            uuid = self.work.id_of(home_of(found))
            self.renames.append(copied_ids.Renamed(found.id, id_, uuid, is_call=block.kind == "call"))
        if found.id != id_:
            super().rename(block, id_)

    def set_value(self, block: DraftBlock, value: Any) -> None:
        if block.value is not value:
            if block.kind == "result" and says_nothing(block.value) and not says_nothing(value):
                forget_details(self.work, home_of(block))
            super().set_value(block, value)

    def set_field(self, message: Message, key: str, value: Any) -> None:
        for uid in message.records:
            line = self.work.lines[uid]
            line.set_field(key, value)
            if key == "role" and value in ("user", "assistant"):
                self.work.set(line, "type", value)
            if key == "content":
                return

    def remove(self, block: DraftBlock) -> None:
        home_of(block).blocks.drop(block)
        home_of(block).changed = True

    def calls_behind(self, home: DraftMessage, said: Sequence[DraftBlock]) -> None:
        """The agent moves calls after the text of their response itself."""

    def keeping(self, home: DraftMessage) -> DraftMessage:
        return home

    # order

    def reorder(self, edit: Reorder) -> None:
        if edit.how == "call_order":
            self._call_order(edit)
            return
        late = "call" if edit.how == "calls_last" else ""
        for uid in edit.message.records:
            line = self.work.lines[uid]
            blocks = list(self.draft.blocks_of(line))
            ordered = sorted(blocks, key=lambda block: block.kind == late if late else block.kind != "result")
            if blocks != ordered:
                line.arrange(ordered)

    def _call_order(self, edit: Reorder) -> None:
        """Results into call order inside each record, then the records by their first result."""
        work = self.work
        by_line: dict[int, list[DraftBlock]] = {}
        for block in edit.order:
            if isinstance(block, InsertResult):
                self.in_call_order.add(id(block))
                continue
            by_line.setdefault(block.record, []).append(self.draft.block(block))
        for uid, wanted in by_line.items():
            line = work.lines[uid]
            own, waiting = set(map(id, wanted)), iter(wanted)
            blocks = list(line.blocks)
            ordered = [next(waiting) if id(block) in own else block for block in blocks]
            if blocks != ordered:
                line.arrange(ordered)
        lines = [work.lines[uid] for uid in by_line]
        # Only of results beside the chain does the place in the file decide the order; the last one is the leaf.
        if not any(line.uid in work.history.recovered for line in lines):
            permute(work, lines)
        elif all(not work.is_at_end(line) or line is lines[-1] for line in lines) or self._may_end(lines):
            work.put_in_places(lines, sorted(lines, key=work.place))

    def _may_end(self, lines: Sequence[DraftMessage]) -> bool:
        """Whether the last of these results can be the file's last record: all behind its call is found beside it."""
        work = self.work
        number = self.message_of.get(lines[-1].uid, 0)
        if number == 0 or work.history.chosen:
            return False
        group = self._group(number - 1)
        if any(work.id_of(line) is None or work.message_id(line) is None for line in group):
            return False
        own = {line.uid for line in (*group, *lines)}
        passed: list[DraftMessage] = []
        above: DraftMessage | None = lines[-1]
        while above is not None and above.uid in own and len(passed) < len(own):
            passed.append(above)
            above = work.named(work.parent_of(above))
        start = work.chain_index.get(above.uid) if above is not None else None
        if start is None or any(node.uid not in own for node in work.history.chain[start + 1 :]):
            return False
        named = work.named(work.history.prompt_leaf)
        return named is None or named in passed or work.chain_index.get(named.uid, start + 1) <= start

    # roles

    def split(self, home: DraftMessage, roles: dict[int, str]) -> None:
        """The record becomes one of the first role; the others get new ones, in a row after it."""
        work = self.work
        envelope = {**home.record, "type": work.get(home, "type")}
        own = envelope["type"] if isinstance(envelope["type"], str) else "user"
        runs = [(role, list(run)) for role, run in groupby(home.blocks, lambda block: roles.get(id(block), own))]
        followers = work.chain_children_of(home)
        named = next((block.slot for block in home.blocks if id(block) in roles), None)
        tail = home
        for role, run in runs[1:]:
            named = next((block.slot for block in run if id(block) in roles), named)
            for block in run:
                home.blocks.drop(block)
            tail = self._follow(tail, envelope, role, run, named)
        if runs[0][0] != own:
            self._change_role(home, runs[0][0])
        if tail is not home:
            home.changed = True
            for child in followers:
                work.hang(child, work.id_of(tail))

    def _follow(
        self, behind: DraftMessage, envelope: dict[str, Any], role: str, blocks: Sequence[DraftBlock], seed: Any
    ) -> DraftMessage:
        """A new record behind another that holds these blocks of what was one record."""
        work = self.work
        uuid = work.fresh_id(envelope.get("uuid"), "part", seed, role, len(blocks))
        old = envelope.get("message")
        message = old if envelope.get("type") == role and isinstance(old, dict) else self._message(role, [], uuid)
        answers = role == "user" and any(kind_of(block.value) == "tool_result" for block in blocks)
        above = work.id_of(behind)
        stamp = moment_between(work.get(behind, "timestamp"), ())
        source = above if answers else None
        value = record(envelope, role, message, uuid, above, stamp, sourceToolAssistantUUID=source)
        line = work.new_line(value, behind, blocks)
        if behind.uid in work.on_chain:
            work.on_chain.add(line.uid)
        return line

    def _change_role(self, line: DraftMessage, role: str) -> None:
        line.set_field("role", role)
        self.work.set(line, "type", role)
        if role == "assistant" and self.work.message_id(line) is None:
            for key, value in self._message(role, None, self.work.id_of(line) or line.uid).items():
                if key not in line.value and key != "role":
                    line.set_field(key, value)

    def _message(self, role: str, content: Any, seed: Any) -> dict[str, Any]:
        if role != "assistant":
            return {"role": role, "content": content}
        name = self.work.fresh_id(seed, "message").replace("-", "")
        model = self.transcript.model or SYNTHETIC_MODEL
        return {"model": model, "id": f"msg_{name}", "type": "message", "role": role, "content": content}

    # results

    def _group(self, number: int) -> list[DraftMessage]:
        """The lines of a message as it was read."""
        if number not in self.groups:
            self.groups[number] = [self.work.lines[uid] for uid in self.transcript.messages[number].records]
        return self.groups[number]

    def _is_of(self, number: int, line: DraftMessage) -> bool:
        """Whether the line is one of the message as it was read."""
        return self.message_of.get(line.uid) == number

    def _answers_of(self, number: int, line: DraftMessage) -> bool:
        """Whether the line holds results of the message."""
        return self.answers.has(number, line) and self.work.has_result(line)

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
                call = self.draft.block(block)
                if self._is_left(call) and isinstance(id_ := _id_of(call), str):
                    found.setdefault(id_, index)
            self.call_numbers[number] = found
        return self.call_numbers[number]

    def _is_left(self, block: DraftBlock) -> bool:
        """Whether a call or a result is still one, and there."""
        return block.kind != "text" and self.draft.stands(block)

    def _behind(
        self, number: int, call: DraftMessage, id_: Any, moved: DraftMessage | None, among: bool = True
    ) -> DraftMessage:
        """The line that a result is put behind: its message's calls, and if `among` the results of earlier calls."""
        work = self.work
        mine = self._numbers(number).get(id_, 0) if isinstance(id_, str) else 0
        order = self.answers.order(number)
        if moved is not None:
            order.remove(moved)
        own = work.message_id(call)
        last = None if own is None else self.answers.last_call(number, lambda: self._group(number), own, order.first)
        earlier = order.last_below(mine) if among else None
        found = max((line for line in (call, last, earlier) if line is not None), key=work.place)
        return call if work.is_at_end(found) and number != self.last_response else found

    def _at(self, number: int, call: DraftMessage, spot: Spot) -> DraftMessage:
        """The line that a result is put behind for a spot: a result's, or the last one of the response.

        The agent sends results in front of all words, so of spots among words only the side of the results counts.
        """
        work = self.work
        found = self._behind(number, call, None, None, among=False)
        if spot.side == "behind" and isinstance(spot.of, Block) and spot.of.kind == "result":
            line = work.lines[spot.of.record]
            if work.is_there(line) and self.answers.has(number, line):
                found = line
        return call if work.is_at_end(found) and number != self.last_response else found

    def _answered(self, number: int, line: DraftMessage) -> int:
        """Which of a message's calls the line answers first; behind them all where it answers none."""
        numbers = self._numbers(number)
        found = [
            numbers.get(value.get("tool_use_id"), len(numbers))
            for value in self.work.values(line)
            if kind_of(value) == "tool_result" and isinstance(value.get("tool_use_id"), str)
        ]
        return min(found, default=len(numbers))

    def _take_followers(self, number: int, call: DraftMessage, result: DraftMessage) -> list[DraftMessage]:
        """What the chain goes on with behind the call goes on behind its result."""

        def goes_on(child: DraftMessage) -> bool:
            return not self._is_of(number, child) and not self._answers_of(number, child) and child is not result

        followers = list(filter(goes_on, self.work.chain_children_of(call)))
        # A record that lost its parent next to this response most likely lost the very result that is put in now.
        for child in self._bridged_beside(number):
            if child not in followers and goes_on(child):
                followers.append(child)
        return followers

    def _bridged_beside(self, number: int) -> list[DraftMessage]:
        if not self.work.history.bridged:
            return []
        still = filter(self.work.has_result, self.answers.of(number))
        return self.work.bridged_beside([*self._group(number), *still])

    def answer(self, edit: InsertResult) -> None:
        call = self.draft.block(edit.call)
        if not self._is_left(call):
            return
        result = self.writer.result(call, edit.content, edit.is_error, edit.id)
        home = home_of(call)
        details = text_of(edit.content) if edit.is_error else None
        spot = None if id(edit) in self.in_call_order else edit.spot
        self._add_result(self.message_of[edit.call.record], home, result, _id_of(call), home, details, spot)

    def _add_result(
        self,
        number: int,
        call: DraftMessage,
        result: DraftBlock,
        id_: Any,
        like: DraftMessage,
        details: Any,
        spot: Spot | None = None,
    ) -> None:
        """A new record for a result, as the agent writes it: a child of its call, in front of what comes next."""
        work = self.work
        self._bring_together(number)
        behind = self._behind(number, call, id_, None) if spot is None else self._at(number, call, spot)
        followers = self._take_followers(number, call, call)
        uuid = work.id_of(call)
        value = record(
            like.record
            if like is call
            else {**like.record, **{key: call.record[key] for key in _AS_CALL & call.record.keys()}},
            "user",
            self.writer.holder("user"),
            work.fresh_id(uuid, id_, result.value.get("tool_use_id")),
            uuid,
            moment_between(work.get(call, "timestamp"), [work.get(child, "timestamp") for child in followers]),
            promptId=self._prompt_id(number),
            toolUseResult=details,
            sourceToolAssistantUUID=uuid,
        )
        line = work.new_line(value, behind, [result])
        self._hang_in(number, call, line, followers)

    def _hang_in(self, number: int, call: DraftMessage, line: DraftMessage, followers: Sequence[DraftMessage]) -> None:
        if self.work.id_of(call) is not None:
            for child in followers:
                self.work.hang(child, self.work.id_of(line))
                self.work.on_chain.add(line.uid)
        self.answers.add(number, line)
        if self.work.history.preserved:
            compaction.keep(self.work, line, call, self._group(number))

    def _prompt_id(self, number: int) -> Any:
        """The prompt that the turn belongs to: the results of one turn name the same."""
        if number not in self.prompts:
            self.prompts[number] = self._prompt_of(number)
        return self.prompts[number]

    def _prompt_of(self, number: int) -> Any:
        for line in self.answers.of(number):
            if (found := self.work.get(line, "promptId")) is not None:
                return found
        if not self.last_user:
            last = -1
            for place, message in enumerate(self.transcript.messages):
                self.last_user.append(last)
                last = place if message.role == "user" else last
        before = self.last_user[number]
        lines = self._group(before) or self._front if before >= 0 else []
        return next((found for line in lines if (found := self.work.get(line, "promptId")) is not None), None)

    def _place(self, result: DraftBlock, call: DraftBlock, number: int) -> None:
        work = self.work
        if not self._is_left(result) or not self._is_left(call):
            return
        line, home = home_of(result), home_of(call)
        if len(work.values(line)) > 1 or work.get(line, "type") != "user" or work.id_of(line) is None:
            self.remove(result)
            self._add_result(number, home, result, _id_of(call), line, None)
            return
        self._take_out(line)
        self._bring_together(number)
        behind = self._behind(number, home, _id_of(call), line)
        followers = self._take_followers(number, home, line)
        uuid, start = work.id_of(home), work.get(home, "timestamp")
        work.hang(line, uuid)
        if work.get(line, "sourceToolAssistantUUID") != uuid:
            work.set(line, "sourceToolAssistantUUID", uuid)
        stamps = [work.get(child, "timestamp") for child in followers]
        mine, earliest = seconds_of(work.get(line, "timestamp")), seconds_of(start)
        limits = [found for stamp in stamps if (found := seconds_of(stamp)) is not None]
        if mine is None or (earliest is not None and mine < earliest) or any(mine > limit for limit in limits):
            work.set(line, "timestamp", moment_between(start, stamps))
        self.answers.remove(line)
        work.put_after(line, behind)
        self.prompts.clear()
        self._hang_in(number, home, line, followers)

    def _take_out(self, line: DraftMessage) -> None:
        """Let the chain pass the line by: what hangs on it hangs on its parent."""
        parent = self.work.parent_of(line)
        for child in self.work.chain_children_of(line):
            self.work.hang(child, self._heir(line, child, parent))
        self.work.on_chain.discard(line.uid)

    def _heir(self, line: DraftMessage, child: DraftMessage, parent: str | None) -> str | None:
        """What a child of `line` hangs on when that goes: its parent, unless that loses the rest of a response."""
        work = self.work
        number = self.message_of.get(line.uid)
        if number is None or child.uid not in work.on_chain:
            return parent
        if self.transcript.messages[number].role == "user":
            number -= 1
        if number < 0 or self.transcript.messages[number].role != "assistant":
            return parent

        def is_left(other: DraftMessage) -> bool:
            """Of the response or its results, and there without `line`."""
            own = self._is_of(number, other) or self._answers_of(number, other)
            return own and work.is_there(other) and other is not line

        if is_left(child):
            return parent
        above = work.named(parent)
        if above is None or is_left(above):
            return parent
        group = self._group(number)
        if not self._is_of(number, line) and any(is_left(other) and other.uid in work.on_chain for other in group):
            return parent
        answers = [other for other in self.answers.of(number) if is_left(other)]
        heirs = [other for other in (answers or filter(is_left, group)) if work.id_of(other) is not None]
        return work.id_of(max(heirs, key=work.place)) if heirs else parent

    # lines

    def drop(self, line: DraftMessage) -> None:
        work = self.work
        if not work.is_there(line):
            return
        own, parent = work.id_of(line), work.parent_of(line)
        passed = {own}
        while parent in self.heirs and parent not in passed:  # taken for the parent of a line that has lost its own
            passed.add(parent)
            parent = self.heirs[parent]
        heirs = []
        for child in work.children_of(line):
            heirs.append(self._heir(line, child, parent))
            work.hang(child, heirs[-1])
        work.take_out(line)
        work.on_chain.discard(line.uid)
        if own is not None and parent is not None:
            self.heirs[own] = parent
        for heir in heirs:
            above = work.named(heir)
            while above is not None and above.uid not in work.on_chain and work.is_there(above):
                work.on_chain.add(above.uid)
                above = work.named(work.parent_of(above))
        for double in work.doubles_of(line):
            work.take_out(double)
        compaction.forget(work, line, parent)

    def drop_emptied(self) -> None:
        for line in self.touched.values():
            if line.emptied:
                self.drop(line)

    def keep_texts_on_chain(self) -> None:
        """Words are sent only from the chain, where results are found beside it too: bring them there."""
        work = self.work
        last_of: dict[int, int] = {}
        turns: dict[int, _Turn] = {}
        for line in self.touched.values():
            if not work.is_there(line) or work.get(line, "type") != "user" or work.id_of(line) is None:
                continue
            if work.has_result(line) or not work.values(line):
                continue
            number = self.message_of.get(line.uid)
            if number is None or number == 0 or self.transcript.messages[number - 1].role != "assistant":
                continue
            group = self._group(number - 1)
            if number not in last_of:
                last_of[number] = max((work.chain_index.get(other.uid, -1) for other in group), default=-1)
            wedged = last_of[number] > work.chain_index.get(line.uid, -1)
            if line.uid in work.on_chain and not wedged:
                continue
            if line.uid in work.on_chain:
                self._take_out(line)
            if number not in turns:
                turns[number] = _Turn(work, (*group, *self._group(number)))
            self._behind_all(line, turns[number])

    def _behind_all(self, line: DraftMessage, turn: _Turn) -> None:
        """Put a line of words into the chain behind a response and all its results."""
        tail = turn.last_beside(line)
        if tail is None:
            return
        work = self.work
        tail = self._behind_new(tail)
        followers = work.chain_children_of(tail)
        work.hang(line, work.id_of(tail))
        for child in followers:
            if child is not line:
                work.hang(child, work.id_of(line))
        work.put_after(line, tail)
        work.on_chain.add(line.uid)
        turn.put_in(line)

    def _behind_new(self, line: DraftMessage) -> DraftMessage:
        """The line, or the last of the new ones that hang on it in the chain."""
        while (new := next(filter(_is_new, self.work.chain_children_of(line)), None)) is not None:
            line = new
        return line

    def insert_message(self, after: Message | None, role: str, text: str | list[Any]) -> None:
        work = self.work
        if after is not None:
            behind = self._behind_new(self._inserted.get(id(after)) or self._end_of(after))
            self._inserted[id(after)] = self._new_text(behind, role, text, work.chain_children_of(behind))
            return
        first = next((line for node in work.history.chain if work.is_there(line := work.lines[node.uid])), None)
        if first is not None and work.history.boundary is not None:
            self._new_text(first, role, text, work.chain_children_of(first))
        elif first is not None:
            line = self._new_text(first, role, text, [first], in_front=True)
            work.put_before(line, first)

    def _end_of(self, message: Message) -> DraftMessage:
        """The line of a message that stands last in the chain."""
        lines = [self.work.lines[uid] for uid in message.records]
        lines = [line for line in lines if line.uid in self.work.on_chain and self.work.is_there(line)] or lines
        return max(lines, key=lambda line: self.work.chain_index.get(line.uid, -1))

    def _new_text(
        self,
        near: DraftMessage,
        role: str,
        text: str | list[Any],
        followers: Sequence[DraftMessage],
        in_front: bool = False,
    ) -> DraftMessage:
        work = self.work
        beside = work.id_of(near)
        uuid = work.fresh_id(beside, "message", role, text)
        message = self._message(role, text if isinstance(text, list) else [self.writer.said(text)], uuid)
        stamp = moment_between(work.get(near, "timestamp"), [work.get(child, "timestamp") for child in followers])
        parent = text_or_none(work.get(near, "parentUuid")) if in_front else beside
        line = work.new_line(record(near.record, role, message, uuid, parent, stamp), near)
        work.on_chain.add(line.uid)
        for child in followers:
            work.hang(child, uuid)
        return line


def _id_of(call: DraftBlock) -> Any:
    return field_of(call.value, "id")


def _is_new(line: DraftMessage) -> bool:
    return line.is_new
