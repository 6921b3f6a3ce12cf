"""Carrying edits out on chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.dialects.openai_chat import RESULT_ROLES
from toolpair.formats.format import Item
from toolpair.formats.linked_blocks import DraftBlock
from toolpair.formats.message_editor import Editor
from toolpair.formats.record_runs import CallOrder, Ends
from toolpair.formats.working_copy import DraftRecord
from toolpair.transcript.edits import (
    Edit,
    InsertResult,
    MoveResult,
    Remove,
    Rename,
    Reorder,
    ReplaceWithText,
    SetValue,
    Spot,
)
from toolpair.transcript.model import Message, Transcript

_KEEP_RUNS: Final = (Rename, SetValue, InsertResult, MoveResult, Remove, ReplaceWithText)
"""Edits that leave the records where they stand, or say what they put in and take out."""


class ChatEditor(Editor):
    """Carries edits out on chat messages. A result moves as the whole record that it is."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript)
        for message in transcript.messages:
            if message.role == "tool":
                # Whatever role it was written with.
                self.bench.work_of(message.records[0]).role = "tool"
        self._made: dict[int, DraftRecord] = {}
        """id() of an `InsertResult` -> the message that it inserted."""
        self._put_behind: dict[int, DraftRecord] = {}
        """uid of a message -> the last result that was put behind it."""
        self._order: CallOrder[DraftRecord] = CallOrder(self.bench.is_active, _id_of_result)
        self._ends: Ends[DraftRecord] = Ends(self.bench.is_active, _stands_behind_calls)
        self._words: dict[int, tuple[DraftRecord, list[str]]] = {}
        """id() of a record -> the record, and the texts that its calls became: they go behind its own words."""

    def run(self, edits: Sequence[Edit]) -> list[Item]:
        for edit in edits:
            self.carry_out(edit)
        self._write_words()
        return super().run(())

    def carry_out(self, edit: Edit) -> None:
        if not isinstance(edit, _KEEP_RUNS) or (isinstance(edit, InsertResult) and edit.spot is not None):
            self._write_words()
            self._order.forget()
            self._ends.forget()
        super().carry_out(edit)

    def id_key(self, entry: DraftBlock) -> str:
        return "id" if entry.kind == "call" else "tool_call_id"

    def rename(self, entry: DraftBlock, id_: str) -> None:
        super().rename(entry, id_)
        if entry.kind != "call":
            self._order.renamed(self.bench.work(entry))
        if entry.value.get("role") == "function":
            # A legacy result has no id: only a tool message can answer a call that has one.
            entry.value["role"] = self.bench.work(entry).role = "tool"

    def answer(self, call: DraftBlock, edit: InsertResult) -> None:
        made = self._new_result(call, edit.content, edit.id)
        self._made[id(edit)] = made
        if edit.spot is None:
            self._place(call, made)
        else:
            self._put_at(edit.spot, made)

    def _put_at(self, spot: Spot, result: DraftRecord) -> None:
        bench = self.bench
        if isinstance(spot.of, Message):
            work = bench.works_of(spot.of)[0]
        else:
            work = bench.work(bench.entry(spot.of))
        if spot.side == "before":
            bench.insert_after(work.before, result)
            return
        bench.insert_after(self._put_behind.get(work.uid, work), result)
        self._put_behind[work.uid] = result

    def place(self, result: DraftBlock, call: DraftBlock, edit: MoveResult) -> None:
        work = self.bench.work(result)
        self._drop(work)
        self._place(call, work)

    def arrange(self, edit: Reorder) -> None:
        if edit.how == "call_order":
            works = [
                self._made[id(part)] if isinstance(part, InsertResult) else self.bench.work(self.bench.entry(part))
                for part in edit.order
            ]
            self._rearrange(works, [work.before for work in self.bench.in_order(works)])

    def _rearrange(self, works: Sequence[DraftRecord], anchors: Sequence[DraftRecord | None]) -> None:
        """Put `works` one after the other into the places that they hold, whose records in front are `anchors`."""
        bench = self.bench
        own = {id(work) for work in works}
        for work in works:
            bench.drop(work)
        last: DraftRecord | None = None
        for anchor, work in zip(anchors, works, strict=True):
            bench.insert_after(last if anchor is None or id(anchor) in own else anchor, work)
            last = work

    def _new_result(self, call: DraftBlock, content: Any, id_: str | None) -> DraftRecord:
        text = content if isinstance(content, str) or _text_parts(content) else text_of(content)
        if call.slot[-1:] == ("function_call",):
            value = {"role": "function", "name": call.value.get("name") or "unknown_tool", "content": text}
        else:
            value = {"role": "tool", "tool_call_id": id_ or call.id, "content": text}
        work = self.bench.new_work(value["role"], value)
        self.bench.add(work, None, DraftBlock("result", value, value.get("tool_call_id")))
        return work

    def _place(self, call: DraftBlock, result: DraftRecord) -> None:
        """Into the run of results behind the call's message, in call order."""
        bench = self.bench
        home = bench.work(call)
        ranks, mine = self.call_ranks(call)
        anchor = self._order.behind(home, ranks, mine)
        bench.insert_after(anchor, result)
        self._ends.put_in(anchor)

    def _drop(self, work: DraftRecord) -> None:
        self._order.taken_out(work)
        self._ends.taken_out(work)
        self.bench.drop(work)

    def remove(self, entry: DraftBlock) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "result":
            self._drop(work)
            return
        bench.take(entry)
        if not bench.is_in(work):
            self._ends.put_in(work.before)

    def to_text(self, entry: DraftBlock, text: str, media: tuple[Any, ...]) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "call":
            self._words.setdefault(id(work), (work, []))[1].append(text)
            bench.add(work, None, DraftBlock("text", text))
            bench.take(entry)
            return
        made = bench.new_work(
            "user", {"role": "user", "content": [{"type": "text", "text": text}, *media] if media else text}
        )
        bench.add(made, None, kept := DraftBlock("text", text))
        kept.kept = True
        anchor = self._ends.of(work)
        bench.insert_after(anchor, made)
        self._ends.put_in(anchor)
        self._drop(work)

    def _write_words(self) -> None:
        """What calls became, behind the words of their messages."""
        for work, texts in self._words.values():
            content = work.fields.get("content", work.value.get("content"))
            if isinstance(content, list):
                work.fields["content"] = [*content, *({"type": "text", "text": text} for text in texts)]
                continue
            said = [str(content)] if content else []
            for text in texts:
                if said == [""]:
                    said.clear()
                said.append(text)
            work.fields["content"] = "\n".join(said)
        self._words.clear()

    def move_to_role(self, entry: DraftBlock, role: str) -> None:
        bench = self.bench
        work = bench.work(entry)
        if work.entries.all_are("call"):
            work.role = role
            work.fields["role"] = role
            work.dirty = True
            return
        following = next(bench.following(work), None)
        if following is not None and following.item is None and following.role == role:
            target = following
        else:
            target = bench.new_work(role, {"role": role, "content": None, "tool_calls": []})
            bench.insert_after(work, target)
        bench.take(entry)
        bench.add(target, target.entries.last, entry)

    def value(self, work: DraftRecord) -> dict[str, Any]:
        value = dict(work.value)
        if not work.had_entries or any(entry.kept for entry in work.entries):
            return value
        if work.role in RESULT_ROLES and work.entries.first is not None:
            return dict(work.entries.first.value)
        calls = [entry for entry in work.entries if entry.kind == "call"]
        listed = [entry.value for entry in calls if entry.slot[-1:] != ("function_call",)]
        if listed:
            value["tool_calls"] = listed
        elif value.get("tool_calls"):
            value.pop("tool_calls")
        legacy = [entry.value for entry in calls if entry.slot[-1:] == ("function_call",)]
        if legacy:
            value["function_call"] = legacy[0]
        else:
            value.pop("function_call", None)
        if isinstance(value.get("content"), list):
            kept = [entry.value for entry in work.entries if len(entry.slot) == 2 and entry.slot[0] == "content"]
            if len(kept) != len(value["content"]) or any(
                a is not b for a, b in zip(kept, value["content"], strict=True)
            ):
                value["content"] = kept
        return value


def _id_of_result(work: DraftRecord) -> str | None:
    if work.role not in RESULT_ROLES:
        return None
    first = work.entries.first
    return str(first.id if first is not None else None)


def _stands_behind_calls(work: DraftRecord) -> bool:
    """It is a result, or what was kept of one."""
    first = work.entries.first if work.item is None else None
    return work.role in RESULT_ROLES or (first is not None and first.kept)


def _text_parts(content: Any) -> bool:
    return isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content)
