"""Results that are messages of their own: consecutive after the message with their calls, in call order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.drafts.drafter import Drafter, NewMessage, home_of
from toolpair.transcript.draft import Draft, DraftBlock, DraftMessage
from toolpair.transcript.edits import InsertResult, Reorder, Spot
from toolpair.transcript.model import Block, Message


class _Run(Struct, eq=False):
    """Consecutive results, and the texts kept of some of them."""

    end: DraftMessage
    kept: list[tuple[DraftMessage, str, tuple[Any, ...]]] = field(default_factory=list)


class ResultsAsMessages(Drafter):
    def __init__(self, draft: Draft, writer: Writer, new: NewMessage) -> None:
        super().__init__(draft, writer, new)
        self._answers: dict[tuple[int, int], list[tuple[DraftBlock, DraftMessage | InsertResult]]] = {}
        """id() of a message and of the list that holds it -> its calls, and the results to be placed."""
        self._kept: list[tuple[DraftMessage, str, tuple[Any, ...]]] = []
        self._made: dict[int, DraftMessage] = {}
        """id() of an `InsertResult` -> the message it inserted."""
        self._put_after: dict[int, DraftMessage] = {}
        """id() of a message -> the last result inserted after it."""

    def answer(self, edit: InsertResult) -> None:
        call = self.draft.block(edit.call)
        if self.draft.is_in(home_of(call)):
            self._wait(call, edit)

    def move(self, result: DraftBlock, call: DraftBlock) -> None:
        if not self.draft.is_in(home_of(result)) or not self.draft.is_in(home_of(call)):
            return
        message, home = self._alone(result), home_of(call)
        if message.role == "assistant":
            self._set_role(message, "user")
        self.draft.drop(message)
        if message.in_list is not home.in_list:
            message = self.new(result.value, home)
            message.put(None, result)
        self._wait(call, message)

    def _alone(self, result: DraftBlock) -> DraftMessage:
        """The result's message; a new one after that if it holds more."""
        home = home_of(result)
        if len(list(self.draft.blocks_of(home))) < 2:
            return home
        made = self.new(self.writer.with_blocks(self.writer.holder("user"), [result]), home)
        self.draft.take(result)
        self.draft.insert_after(home, made)
        made.put(None, result)
        return made

    def _new_result(self, call: DraftBlock, edit: InsertResult, beside: DraftMessage) -> DraftMessage:
        block = self.writer.result(call, edit.content, edit.is_error, edit.id)
        made = self._made[id(edit)] = self.new(block.value, beside)
        block.value = made.value
        made.put(None, block)
        return made

    def _wait(self, call: DraftBlock, result: DraftMessage | InsertResult) -> None:
        self._answers.setdefault(self.key(home_of(call)), []).append((call, result))

    def key(self, home: DraftMessage) -> tuple[int, int]:
        return (id(self.draft.message_of(home) or home), id(home.in_list))

    def parts_of(self, call: DraftBlock) -> tuple[list[DraftMessage], DraftMessage]:
        """The parts of the call's message, and the last one with a call, which results follow."""
        home = home_of(call)
        message = self.draft.message_of(home)
        if message is None:
            return [home], home
        parts = [part for part in self.draft.parts_of(message) if part is home or self.draft.is_in(part)]
        beside = (part for part in reversed(parts) if part.in_list is home.in_list)
        last = next(part for part in beside if part is home or self._has_call(part))
        return parts, last

    def _has_call(self, message: DraftMessage) -> bool:
        return any(block.kind == "call" for block in self.draft.blocks_of(message))

    def place_answers(self) -> None:
        for found in self._answers.values():
            places = _Places(self, found[0][0])
            last: dict[int, DraftMessage] = {}
            for call, result in sorted(found, key=lambda pair: places.rank(pair[0])):
                anchor = places.previous(places.rank(call))
                previous = last.get(id(anchor), anchor)
                made = self._new_result(call, result, previous) if isinstance(result, InsertResult) else result
                self.draft.insert_after(previous, made)
                last[id(anchor)] = made
        self._answers.clear()

    # --- at given places --------------------------------------------------------------------------------------

    def put_at(self, spot: Spot, edit: InsertResult) -> None:
        draft = self.draft
        call = draft.block(edit.call)
        if not draft.is_in(home_of(call)):
            return
        before = spot.side == "before"
        if isinstance(spot.of, Message):
            at = draft.parts_of(spot.of)[0 if before else -1]
        else:
            at = home_of(draft.block(spot.of))
        beside = at if before else self._put_after.get(id(at), at)
        made = self._new_result(call, edit, beside)
        draft.insert_after(at.before if before else beside, made)
        if not before:
            self._put_after[id(at)] = made

    # --- order -------------------------------------------------------------------------------------------

    def reorder(self, edit: Reorder) -> None:
        draft = self.draft
        if edit.how == "calls_last":
            for part in draft.parts_of(edit.message):
                blocks = list(draft.blocks_of(part))
                ordered = sorted(blocks, key=lambda block: block.kind == "call")
                if ordered != blocks:
                    part.arrange(ordered)
        if edit.how != "call_order":
            return
        messages = [
            self._made[id(part)] if isinstance(part, InsertResult) else home_of(draft.block(part))
            for part in edit.order
        ]
        if not all(map(draft.is_in, messages)) or len({id(message.in_list) for message in messages}) > 1:
            return
        own = set(map(id, messages))
        anchors = [message.before for message in draft.in_order(messages)]
        for message in messages:
            draft.drop(message)
        last: DraftMessage | None = None
        for anchor, message in zip(anchors, messages, strict=True):
            draft.insert_after(last if anchor is None or id(anchor) in own else anchor, message)
            last = message

    # --- as text -----------------------------------------------------------------------------------------

    def replace(self, block: DraftBlock, text: str, media: tuple[Any, ...]) -> None:
        home = home_of(block)
        if not self.draft.is_in(home):
            return
        if block.kind == "result":
            self._kept.append((self._alone(block), text, media))
        else:
            self.say(block, text)

    def place_kept(self) -> None:
        run_of: dict[int, _Run] = {}
        runs: list[_Run] = []
        for message, text, media in self._kept:
            if id(message) not in run_of and (run := self.run_from(message, run_of)) is not None:
                runs.append(run)
            run_of[id(message)].kept.append((message, text, media))
        for run in runs:
            end = run.end
            for message, text, media in run.kept:
                words = self._as_words(message, text, media)
                if words is not end:
                    self.draft.drop(words)
                    self.draft.insert_after(end, words)
                    end = words
                if words is not message:
                    self.draft.drop(message)
        self._kept.clear()

    def run_from(self, message: DraftMessage, run_of: dict[int, _Run]) -> _Run | None:
        """The consecutive results starting with this one; None if they belong to a known run."""
        made = run = _Run(message)
        passed = [message]
        for following in self.draft.following(message):
            if id(following) in run_of:
                run = run_of[id(following)]
                break
            if following.in_list is not message.in_list or not self.is_result(following):
                break
            passed.append(following)
            run.end = following
        run_of.update((id(found), run) for found in passed)
        return made if run is made else None

    def is_result(self, message: DraftMessage) -> bool:
        first = self.draft.blocks_of(message).first
        return first is not None and first.kind == "result"

    def _as_words(self, result: DraftMessage, text: str, media: Sequence[Any]) -> DraftMessage:
        """Turn a result into user text; returns the message that holds it."""
        words = self.writer.words(result.value, [{"type": "text", "text": text}, *media] if media else text)
        if not self.writer.words_stay_in_record:
            return self.new(words, result)
        result.value = words
        result.role = "user"
        result.arrange(())
        result.had_blocks = False
        return result


class _Places:
    """Where new results go among those after a message, by the rank (call order) of their calls."""

    def __init__(self, drafter: ResultsAsMessages, call: DraftBlock) -> None:
        self._drafter = drafter
        parts, self._last = drafter.parts_of(call)
        self._by_id, self._rank = drafter.ranks(parts)
        self._passed: list[int] = []
        """For each result after the message, the highest rank so far: a new one of at least that rank goes after it."""
        self._previous: list[DraftMessage] = []
        self._walk()

    def _walk(self) -> None:
        answers_first = self._drafter.writer.answers_first
        previous, passed = self._last, -1
        for following in self._drafter.draft.following(self._last):
            if following.in_list is not self._last.in_list or not self._drafter.is_result(following):
                break
            if following.uid in self._drafter.parted:
                break
            first = following.blocks.first
            rank = self._by_id.get(str(first.id), -1) if first is not None else -1
            if answers_first and 0 <= rank < passed:
                break
            if rank >= 0 or not answers_first:
                previous = following
            passed = max(rank, passed)
            self._passed.append(passed)
            self._previous.append(previous)

    def rank(self, call: DraftBlock) -> int:
        return self._rank.get(id(call), len(self._rank))

    def previous(self, rank: int) -> DraftMessage:
        """The message that the result of the call with this rank goes after."""
        at = bisect_right(self._passed, rank)
        return self._previous[at - 1] if at else self._last


class FreePlaces:
    """Where single edits would put their results, worked out on an unchanged draft."""

    def __init__(self, drafter: ResultsAsMessages) -> None:
        self._drafter = drafter
        self._places: dict[tuple[int, int], _Places] = {}
        self._runs: dict[int, _Run] = {}

    def before_result(self, call: Block) -> DraftMessage:
        """The message that a result of the call would go after."""
        found = self._drafter.draft.block(call)
        key = self._drafter.key(home_of(found))
        if key not in self._places:
            self._places[key] = _Places(self._drafter, found)
        places = self._places[key]
        return places.previous(places.rank(found))

    def before_words(self, result: Block) -> DraftMessage | None:
        """The message that a result would go after once it is text; None if it would stay, or is not a result."""
        message = home_of(self._drafter.draft.block(result))
        if result.kind != "result":
            return None
        if id(message) not in self._runs:
            self._drafter.run_from(message, self._runs)
        end = self._runs[id(message)].end
        return end if end is not message else None
