"""Results that are blocks of the user message after their calls: before everything else, in call order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.drafts.drafter import Drafter, NewMessage, home_of
from toolpair.transcript.draft import Draft, DraftBlock, DraftMessage
from toolpair.transcript.edits import InsertResult, Reorder, Spot
from toolpair.transcript.model import Message


class _Answers(Struct, eq=False):
    """Results to be placed in a message, and the messages whose calls they answer."""

    target: DraftMessage
    homes: list[DraftMessage]
    found: list[tuple[DraftBlock, DraftBlock]] = field(default_factory=list)
    """(call, result) pairs."""


class ResultsInMessages(Drafter):
    """`merged`: adjacent messages of one role are sent as one."""

    def __init__(self, draft: Draft, writer: Writer, new: NewMessage, merged: bool) -> None:
        super().__init__(draft, writer, new)
        self._merged = merged
        self._answers: dict[int, _Answers] = {}
        """Keyed by id() of the message that the calls are sent in."""
        self._kept: dict[int, list[tuple[DraftBlock, list[DraftBlock]]]] = {}
        """id() of a message -> its results that are kept as text, each with the blocks that replace it."""
        self._made: dict[int, DraftBlock] = {}
        """id() of an `InsertResult` -> the result it inserted."""
        self._put_after: dict[int, DraftBlock] = {}
        """id() of a block -> the last result inserted after it."""
        self._put_in_front: dict[int, DraftBlock] = {}
        """id() of a message -> the last result inserted at its front."""

    def answer(self, edit: InsertResult) -> None:
        call = self.draft.block(edit.call)
        if self.draft.is_in(home_of(call)):
            self._wait(call, self._new_result(call, edit))

    def move(self, result: DraftBlock, call: DraftBlock) -> None:
        if not self.draft.has_block(result) or not self.draft.is_in(home_of(call)):
            return
        self.draft.take(result)
        self._wait(call, result)

    def _new_result(self, call: DraftBlock, edit: InsertResult) -> DraftBlock:
        made = self.writer.result(call, edit.content, edit.is_error, edit.id)
        self._made[id(edit)] = made
        return made

    def inserted(self, edit: InsertResult) -> DraftBlock | None:
        """The result that it inserted."""
        return self._made.get(id(edit))

    def _wait(self, call: DraftBlock, result: DraftBlock) -> None:
        """Keep a result for the message after the one with the call."""
        home = home_of(call)
        message = self.draft.message_of(home) if self._merged and self.draft.is_in(home) else None
        key = id(home if message is None else message)
        if key not in self._answers:
            parts = [home] if message is None else self.draft.parts_of(message)
            homes = [part for part in parts if part is home or self.draft.is_in(part)]
            self._answers[key] = _Answers(self._answering(homes[-1]), homes)
        answers = self._answers[key]
        answers.found.append((call, result))
        answers.target.waiting += 1

    def place_answers(self) -> None:
        for answers in self._answers.values():
            by_id, places = self.ranks(answers.homes)
            ranked = [(places.get(id(call), len(places)), result) for call, result in answers.found]
            ranked.sort(key=lambda pair: pair[0])
            blocks = self.draft.blocks_of(answers.target)
            last, following = None, blocks.first
            for mine, result in ranked:
                while following is not None and following.kind == "result":
                    if by_id.get(str(following.id), -1) > mine:
                        break
                    last, following = following, following.after
                answers.target.put(last, result)
                last = result
            answers.target.waiting -= len(ranked)
        self._answers.clear()

    def _answering(self, home: DraftMessage) -> DraftMessage:
        """The user message after this one; a new one if none follows directly."""
        following = next(self.draft.following(home), None)
        if following is not None and following.role == "user":
            return following
        made = self.new(self.writer.holder("user"), home)
        self.draft.insert_after(home, made)
        return made

    # --- at given places --------------------------------------------------------------------------------------

    def put_at(self, spot: Spot, edit: InsertResult) -> None:
        draft = self.draft
        result = self._new_result(draft.block(edit.call), edit)
        if isinstance(spot.of, Message):
            parts = draft.parts_of(spot.of)
            self._put_first(parts[0] if spot.side == "before" else self._answering(parts[-1]), result)
            return
        anchor = draft.block(spot.of)
        home = home_of(anchor)
        if home.role == "assistant":
            message = draft.message_of(home)
            self._put_first(self._answering(draft.parts_of(message)[-1] if message is not None else home), result)
        elif spot.side == "before":
            home.put(anchor.before, result)
        else:
            home.put(self._put_after.get(id(anchor), anchor), result)
            self._put_after[id(anchor)] = result

    def _put_first(self, message: DraftMessage, result: DraftBlock) -> None:
        self.draft.fill(message)
        message.put(self._put_in_front.get(id(message)), result)
        self._put_in_front[id(message)] = result

    # --- order -------------------------------------------------------------------------------------------

    def reorder(self, edit: Reorder) -> None:
        parts = self.draft.parts_of(edit.message)
        for part in parts:
            self.draft.fill(part)
        match edit.how:
            case "call_order":
                self.into_call_order(edit)
            case "calls_last":
                self.calls_last(parts)
            case "results_first":
                self.results_first(parts)

    def calls_last(self, parts: Sequence[DraftMessage]) -> None:
        """Move the calls of a message to its end."""
        last = parts[-1]
        calls = [block for part in parts for block in part.blocks if block.kind == "call"]
        for part in parts:
            part.arrange(block for block in part.blocks if block.kind != "call")
        last.put(last.blocks.last, *calls)
        for part in parts:
            if part.emptied:
                self.draft.drop(part)

    def results_first(self, parts: Sequence[DraftMessage]) -> None:
        """Move the results in a message to its front."""
        first = parts[0]
        late = [block for part in parts[1:] for block in part.blocks if block.kind == "result"]
        for block in late:
            self.draft.take(block)
        first.put(first.blocks.last, *late)
        first.arrange(sorted(first.blocks, key=lambda block: block.kind != "result"))

    def into_call_order(self, edit: Reorder) -> None:
        wanted = [
            self._made[id(part)] if isinstance(part, InsertResult) else self.draft.block(part) for part in edit.order
        ]
        own = set(map(id, wanted))
        waiting = iter(wanted)
        arranged = [
            (part, [next(waiting) if id(block) in own else block for block in part.blocks])
            for part in self.draft.in_order([home_of(block) for block in wanted])
        ]
        for part, blocks in arranged:
            part.arrange(blocks)

    # --- as text -----------------------------------------------------------------------------------------

    def replace(self, block: DraftBlock, text: str, media: tuple[Any, ...]) -> None:
        if block.kind in ("call", "thinking"):
            self.say(block, text)
            return
        home = home_of(block)
        target = self.keeping(home)
        texts = [DraftBlock("text", self.writer.said(text)), *(DraftBlock("media", part) for part in media)]
        self._homes[id(target)] = target
        self._kept.setdefault(id(target), []).append((block, texts))
        target.waiting += 1

    def keeping(self, home: DraftMessage) -> DraftMessage:
        """The message for what is kept of a result in this one."""
        return home if home.role == "user" else self._answering(home)

    def place_kept(self) -> None:
        for key, kept in self._kept.items():
            target = self._homes[key]
            self.draft.fill(target)
            last = target.blocks.last
            while last is not None and last.kind != "result":
                last = last.before
            target.put(last, *(text for _, texts in kept for text in texts))
            target.waiting -= len(kept)
            for block, _ in kept:
                self.draft.take(block)
        self._kept.clear()
