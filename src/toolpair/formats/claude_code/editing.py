"""Edits of the transcript as changes of Claude Code's records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import dropwhile, groupby
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.claude_code import copied_ids
from toolpair.formats.claude_code.frames import ChainFrame
from toolpair.formats.claude_code.outputs import said_by, worth_keeping
from toolpair.formats.claude_code.record_kinds import SYNTHETIC_MODEL, text_or_none
from toolpair.formats.claude_code.removing import Removing, keep_words_in_chain
from toolpair.formats.claude_code.responses import Responses, permute
from toolpair.formats.claude_code.result_records import ResultRecords, moment_between, record
from toolpair.formats.claude_code.working import Working, kind_of
from toolpair.formats.engine.writing.drafts.drafter import home_of
from toolpair.formats.engine.writing.drafts.in_messages import ResultsInMessages
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
    frame = transcript.frame if isinstance(transcript.frame, ChainFrame) else None
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
"""The content of records changes first, then their places and links."""


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
                self.drafter.keep_words_in_chain()
        self.drafter.finish()
        return super().run(())

    def finish(self) -> None:
        copied_ids.rename_copies(self, self.drafter.renames)
        copied_ids.follow(self, self.drafter.removing.heirs)
        super().finish()

    @cached_property
    def drafter(self) -> _Drafter:
        return _Drafter(self)

    def remove_record(self, line: DraftMessage) -> None:
        self.drafter.drop(line)


class _Drafter(ResultsInMessages):
    """Each result has a record of its own, linked to its call's; a new message is a new record on the chain."""

    def __init__(self, work: Working) -> None:
        super().__init__(work.draft, work.writer, work.new, merged=True)
        self.work = work
        self.responses = Responses(work)
        self.removing = Removing(work, self.responses)
        self.results = ResultRecords(work, self.responses, self.removing)
        self.renames: list[copied_ids.Renamed] = []
        self.touched: dict[int, DraftMessage] = {}
        """The records whose blocks edits name, by uid."""
        self._ordered: set[int] = set()
        """id() of each `InsertResult` that another edit puts in call order, whatever its spot."""

    def take(self, edit: Edit) -> None:
        named = getattr(edit, "result", None) or getattr(edit, "block", None)
        if isinstance(named, Block):
            self.touched[named.record] = self.work.lines[named.record]
        super().take(edit)

    def drop(self, message: DraftMessage) -> None:
        self.removing.remove(message)

    def finish(self) -> None:
        """Remove records that are empty, which waits until no more results come."""
        for line in self.touched.values():
            if line.emptied:
                self.drop(line)

    def keep_words_in_chain(self) -> None:
        keep_words_in_chain(self.work, self.responses, self.removing, self.touched.values())

    # content

    def rename(self, block: Block, id_: str) -> None:
        found = self.draft.block(block)
        if block.kind in ("call", "result"):
            uuid = self.work.id_of(home_of(found))
            self.renames.append(copied_ids.Renamed(found.id, id_, uuid, is_call=block.kind == "call"))
        super().rename(block, id_)

    def set_value(self, block: DraftBlock, value: Any) -> None:
        if block.kind == "result" and _says_nothing(block.value) and not _says_nothing(value):
            _forget_details(self.work, home_of(block))
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

    def texts_before_calls(self, home: DraftMessage, said: Sequence[DraftBlock]) -> None:
        """The agent moves calls after the text of their response itself."""

    def keeping(self, home: DraftMessage) -> DraftMessage:
        return home

    # order

    def calls_last(self, parts: Sequence[DraftMessage]) -> None:
        """Sort the blocks in each record, and put what other records have after the first call before that call."""
        self._sort_each(parts, lambda block: block.kind == "call")
        calling = dropwhile(lambda part: all(block.kind != "call" for block in part.blocks), parts)
        home = next(calling)
        late = [block for part in calling for block in part.blocks if block.kind not in ("call", "result")]
        if late:
            for block in late:
                self.touched[home_of(block).uid] = home_of(block)
                self.remove(block)
            first = next(block for block in home.blocks if block.kind == "call")
            home.put(first.before, *late)

    def results_first(self, parts: Sequence[DraftMessage]) -> None:
        self._sort_each(parts, lambda block: block.kind != "result")

    def _sort_each(self, parts: Sequence[DraftMessage], key: Callable[[DraftBlock], bool]) -> None:
        """Sort the blocks in each record: the agent sorts the records of a message itself."""
        for part in parts:
            if (blocks := list(part.blocks)) != (ordered := sorted(blocks, key=key)):
                part.arrange(ordered)

    def into_call_order(self, edit: Reorder) -> None:
        """Put the results in each record into call order, then the records by their first result."""
        work = self.work
        by_line: dict[int, list[DraftBlock]] = {}
        for block in edit.order:
            if isinstance(block, InsertResult):
                self._ordered.add(id(block))
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
        """Whether the last of these results can be the last record: the agent finds all after its call beside it."""
        work = self.work
        number = self.responses.message_of.get(lines[-1].uid, 0)
        if number == 0 or work.history.chosen:
            return False
        group = self.responses.group(number - 1)
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
        """The record gets the first role; the blocks of the others get new records, in a row after it."""
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
                work.link(child, work.id_of(tail))

    def _follow(
        self, previous: DraftMessage, envelope: dict[str, Any], role: str, blocks: Sequence[DraftBlock], seed: Any
    ) -> DraftMessage:
        """A new record after another, with these blocks of what was one record."""
        work = self.work
        uuid = work.fresh_id(envelope.get("uuid"), "part", seed, role, len(blocks))
        old = envelope.get("message")
        message = old if envelope.get("type") == role and isinstance(old, dict) else self._message(role, [], uuid)
        answers = role == "user" and any(kind_of(block.value) == "tool_result" for block in blocks)
        above = work.id_of(previous)
        stamp = moment_between(work.get(previous, "timestamp"), ())
        source = above if answers else None
        value = record(envelope, role, message, uuid, above, stamp, sourceToolAssistantUUID=source)
        line = work.new_line(value, previous, blocks)
        if previous.uid in work.on_chain:
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
        model = self.work.transcript.model or SYNTHETIC_MODEL
        return {"model": model, "id": f"msg_{name}", "type": "message", "role": role, "content": content}

    # results

    def answer(self, edit: InsertResult) -> None:
        self._add(edit, None)

    def put_at(self, spot: Spot, edit: InsertResult) -> None:
        self._add(edit, None if id(edit) in self._ordered else spot)

    def _add(self, edit: InsertResult, spot: Spot | None) -> None:
        call = self.draft.block(edit.call)
        if self.work.is_left(call):
            result = self.writer.result(call, edit.content, edit.is_error, edit.id)
            details = text_of(edit.content) if edit.is_error else None
            self.results.add(self._number(call), call, result, home_of(call), details, spot)

    def move(self, result: DraftBlock, call: DraftBlock) -> None:
        work, line = self.work, home_of(result)
        if not work.is_left(result) or not work.is_left(call):
            return
        if len(work.values(line)) > 1 or work.get(line, "type") != "user" or work.id_of(line) is None:
            self.remove(result)
            self.results.add(self._number(call), call, result, line, None, None)
        else:
            self.results.move(self._number(call), call, line)

    def _number(self, call: DraftBlock) -> int:
        assert call.source is not None
        return self.responses.message_of[call.source.record]

    # new messages

    def insert(self, value: Any, beside: DraftMessage, in_front: bool) -> DraftMessage:
        work = self.work
        if in_front and work.history.boundary is not None:
            in_front = False  # the history begins with it
        elif not in_front:
            beside = work.last_new_after(beside)
        followers = [beside] if in_front else work.chain_children_of(beside)
        said, role, above = value["content"], value["role"], work.id_of(beside)
        uuid = work.fresh_id(above, "message", role, said)
        message = self._message(role, said if isinstance(said, list) else [self.writer.said(said)], uuid)
        stamp = moment_between(work.get(beside, "timestamp"), [work.get(child, "timestamp") for child in followers])
        parent = text_or_none(work.get(beside, "parentUuid")) if in_front else above
        line = work.new_line(record(beside.record, role, message, uuid, parent, stamp), beside)
        work.lead_through(line, followers)
        if in_front:
            work.put_before(line, beside)
        return line

    def end_of(self, message: Message) -> DraftMessage:
        """The last of its records on the chain."""
        lines = [self.work.lines[uid] for uid in message.records]
        lines = [line for line in lines if line.uid in self.work.on_chain and self.work.is_there(line)] or lines
        return max(lines, key=lambda line: self.work.chain_index.get(line.uid, -1))

    def front(self) -> DraftMessage | None:
        chain = (self.work.lines[node.uid] for node in self.work.history.chain)
        return next(filter(self.work.is_there, chain), None)


def _says_nothing(result: Any) -> bool:
    """Whether a result block is empty, or a placeholder."""
    return not isinstance(result, dict) or not worth_keeping(result.get("content"))


def _forget_details(work: Working, line: DraftMessage) -> None:
    """Remove what the agent wrote along with its placeholder: that the call was interrupted, in the same words."""
    details = work.get(line, "toolUseResult")
    if isinstance(details, str) and not worth_keeping(said_by(details)[0]):
        work.unset(line, "toolUseResult")
    work.unset(line, "toolDenialKind")
