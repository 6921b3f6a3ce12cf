"""Carrying edits out on records of Anthropic messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.format import Item
from toolpair.formats.linked_blocks import DraftBlock
from toolpair.formats.message_editor import Editor
from toolpair.formats.working_copy import DraftRecord
from toolpair.transcript.edits import InsertResult, MoveResult, Reorder, Spot
from toolpair.transcript.model import Block, Message, Transcript


class MessageEditor(Editor):
    """Carries edits out on records of Anthropic messages."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript)
        self._made: dict[int, DraftBlock] = {}
        """id() of an `InsertResult` -> the result that it inserted."""
        self._put_behind: dict[int, DraftBlock] = {}
        """id() of an entry -> the last one that was put behind it."""
        self._put_in_front: dict[int, DraftBlock] = {}
        """uid of a message's record -> the last of the results that were put in front of all else in it."""

    def id_key(self, entry: DraftBlock) -> str:
        return "id" if entry.kind in ("call", "server_call", "mcp_call") else "tool_use_id"

    def answer(self, call: DraftBlock, edit: InsertResult) -> None:
        made: dict[str, Any] = {"type": "tool_result", "tool_use_id": edit.id or call.id, "content": edit.content}
        if edit.is_error:
            made["is_error"] = True
        entry = DraftBlock("result", made, made["tool_use_id"])
        self._made[id(edit)] = entry
        if edit.spot is None:
            self._answer(call, edit.call, entry)
        else:
            self._put_at(edit.spot, entry)

    def place(self, result: DraftBlock, call: DraftBlock, edit: MoveResult) -> None:
        self.bench.take(result)
        self._answer(call, edit.call, result)

    def remove(self, entry: DraftBlock) -> None:
        self.bench.take(entry)

    def arrange(self, edit: Reorder) -> None:
        self._arrange(edit.message, edit.how, edit.order)

    def _answer(self, call_entry: DraftBlock, call: Block, result: DraftBlock) -> None:
        """Put `result` among the leading results of the message behind the call, in call order."""
        bench = self.bench
        home = bench.work(call_entry)
        message = bench.message_of(call) if self.transcript.merged else None
        last = home if message is None else self._last_of(message, home)
        following = self._answering(last)
        ranks, mine = self.call_ranks(call_entry, message)
        bench.add(following, following.entries.in_call_order(ranks, mine), result)

    def _last_of(self, message: Message, home: DraftRecord) -> DraftRecord:
        """The last record of a message that is sent as one, if `home` is one of its records; else `home`."""
        bench = self.bench
        if not bench.is_in(home) or not bench.is_of(home, message):
            return home
        return next(work for uid in reversed(message.records) if bench.is_in(work := bench.work_of(uid)))

    def _put_at(self, spot: Spot, result: DraftBlock) -> None:
        bench = self.bench
        if isinstance(spot.of, Message):
            works = bench.works_of(spot.of)
            if spot.side == "before":
                self._put_first(works[0], result)
            else:
                self._put_first(self._answering(works[-1]), result)
            return
        anchor = bench.entry(spot.of)
        home = bench.work(anchor)
        if home.role == "assistant":
            self._put_first(self._answering(bench.works_of(bench.message_of(spot.of))[-1]), result)
        elif spot.side == "before":
            bench.add(home, anchor.before, result)
        else:
            bench.add(home, self._put_behind.get(id(anchor), anchor), result)
            self._put_behind[id(anchor)] = result

    def _put_first(self, work: DraftRecord, result: DraftBlock) -> None:
        self.bench.add(work, self._put_in_front.get(work.uid), result)
        self._put_in_front[work.uid] = result

    def _answering(self, home: DraftRecord) -> DraftRecord:
        """The user's message behind this one; a new one where another's comes next, or none."""
        following = next(self.bench.following(home), None)
        if following is not None and following.role == "user":
            return following
        made = self.bench.new_work("user", {"role": "user", "content": []})
        self._inherit(made, home)
        self.bench.insert_after(home, made)
        return made

    def _arrange(self, message: Message, how: str, order: tuple[Block | InsertResult, ...]) -> None:
        bench = self.bench
        if how == "call_order":
            wanted = [self._made[id(part)] if isinstance(part, InsertResult) else bench.entry(part) for part in order]
            own = {id(entry) for entry in wanted}
            waiting = iter(wanted)
            arranged = [
                (work, [next(waiting) if id(found) in own else found for found in work.entries])
                for work in bench.in_order([bench.work(entry) for entry in wanted])
            ]
            for work, entries in arranged:
                work.entries.arrange(entries)
                work.dirty = True
            return
        works = bench.works_of(message)
        if how == "calls_last":
            for work in works:
                work.entries.put_calls_last()
                work.dirty = True
            if len(works) > 1:
                calls = [entry for work in works[:-1] for entry in work.entries if entry.kind == "call"]
                for entry in calls:
                    bench.take(entry)
                last = works[-1].entries
                first_call = next((entry for entry in last if entry.kind == "call"), None)
                anchor = last.last if first_call is None else first_call.before
                # Each goes in front of the calls that are there.
                for entry in calls:
                    bench.add(works[-1], anchor, entry)
            return
        first = works[0]
        for work in works[1:]:
            for entry in work.results():
                bench.take(entry)
                bench.add(first, first.entries.last, entry)
        first.entries.arrange(sorted(first.entries, key=lambda entry: entry.kind != "result"))
        first.dirty = True

    def to_text(self, entry: DraftBlock, text: str, media: tuple[Any, ...]) -> None:
        bench = self.bench
        work = bench.work(entry)
        if entry.kind == "call":
            work.entries.call_to_text(entry, {"type": "text", "text": text})
            work.dirty = True
            return
        texts = [DraftBlock("text", {"type": "text", "text": text}), *(DraftBlock("media", part) for part in media)]
        for made in texts:
            made.kept = True
        if work.role != "user":
            following = next(bench.following(work), None)
            if following is None or following.role != "user":
                following = bench.new_work("user", {"role": "user", "content": []})
                self._inherit(following, work)
                bench.insert_after(work, following)
            target = following
        else:
            target = work
        bench.add(target, target.entries.behind_results(), *texts)
        bench.take(entry)

    def move_to_role(self, entry: DraftBlock, role: str) -> None:
        bench = self.bench
        work = bench.work(entry)
        if work.entries.all_are(entry.kind):
            work.role = role
            work.fields["role"] = role
            work.dirty = True
            return
        before, is_first, rest = work.before, entry.before is None, entry.after
        if is_first and before is not None and before.item is None and before.role == role:
            bench.take(entry)
            bench.add(before, before.entries.last, entry)
            return
        made = bench.new_work(role, {"role": role, "content": []})
        self._inherit(made, work)
        work.entries.drop(entry)
        work.dirty = True
        bench.add(made, None, entry)
        if is_first:
            bench.insert_after(work.before, made)
            return
        bench.insert_after(work, made)
        if rest is not None:
            behind = bench.new_work(work.role, {"role": work.role, "content": []})
            self._inherit(behind, work)
            bench.insert_after(made, behind)
            behind.had_entries = True
            work.entries.cut(rest, behind)

    def value(self, work: DraftRecord) -> dict[str, Any]:
        value = dict(work.value)
        if not work.had_entries:
            return value
        string = isinstance(value.get("content"), str)
        only = work.entries.first if string and len(work.entries) == 1 else None
        if only is not None and isinstance(only.value, str):
            value["content"] = only.value
            return value
        value["content"] = [
            {"type": "text", "text": entry.value} if isinstance(entry.value, str) else entry.value
            for entry in work.entries
        ]
        return value
