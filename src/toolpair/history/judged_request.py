"""The request that an agent would send, as its provider would judge it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects import anthropic, openai_chat
from toolpair.dialects.block_texts import is_real_output, result_text
from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_FAMILY, is_output_item, type_name
from toolpair.dialects.openai_chat_content import messages_of
from toolpair.dialects.sent_parts import as_block, part_id, part_type
from toolpair.formats.engine.reading import item_messages
from toolpair.formats.engine.reading.item_messages import HistoryItem
from toolpair.formats.engine.sending import fates_of
from toolpair.formats.format import Fate, SentMessage, SentPart, SentRequest
from toolpair.rules.judge import judge
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import Profile
from toolpair.rules.registry import RULES
from toolpair.rules.wire import written_as
from toolpair.transcript.model import Block, Message, Transcript

_LONG: Final = 200
"""Messages around a problem that are judged by themselves; for more, all are judged, once."""
_ROLES: Final = {"tool": "user", "model": "assistant"}
_NEXT_WORDS: Final = {"role": "user", "content": "Go on."}
"""Whoever resumes a session says something."""


_Read = tuple[Message, list[tuple[Block, Block | None]]]
"""A message of a request as the rules read it, with each of its blocks and the block of the file that it comes from."""


def blocks_of(problem: Problem) -> list[Block]:
    """The blocks that a problem names."""
    found = (problem.call, problem.result, *problem.others)
    return list(dict.fromkeys(block for block in found if block is not None))


def is_alike(rule: str, decided_by: str) -> bool:
    """Whether what an agent moves or renames for a rule of a kind may break this one instead."""
    return decided_by in ("pairing", "ids") and RULES[rule].decided_by == decided_by


def _is_response(message: SentMessage) -> bool:
    return _ROLES.get(message.role, message.role) == "assistant"


class _Found:
    """The problems of a request, by the blocks of the file that they are about."""

    def __init__(self) -> None:
        self._all: list[Problem] = []
        self._by_block: dict[int | None, list[int]] = {}
        """id() of a block -> places in that list; under None those of problems that are about none."""

    def add(self, problem: Problem, blocks: set[int]) -> None:
        for block in blocks or (None,):
            self._by_block.setdefault(block, []).append(len(self._all))
        self._all.append(problem)

    def about(self, blocks: Iterable[Block]) -> list[Problem]:
        """Those about any of these blocks, in their order; without a block, those that are about none."""
        named: list[int | None] = [*map(id, blocks)]
        places = {at for block in named or [None] for at in self._by_block.get(block, ())}
        return [self._all[at] for at in sorted(places)]


class JudgedRequest(Struct, frozen=True, eq=False, dict=True):
    """What an agent would send of a transcript, and all that a provider finds wrong with it."""

    seen: SentRequest
    transcript: Transcript
    profile: Profile

    # --- what is sent ------------------------------------------------------------------------------------

    @cached_property
    def _of_items(self) -> bool:
        """Whether each message is an item of the Responses API, where an output may be anywhere after its call."""
        return written_as(self.transcript) == "items"

    @cached_property
    def _parts(self) -> dict[int, tuple[int, SentPart]]:
        """id() of a block of the file -> the message and the part that it is sent as."""
        return {
            id(part.block): (number, part)
            for number, message in enumerate(self.seen.messages)
            for part in message.parts
            if part.block is not None
        }

    @cached_property
    def _fates(self) -> dict[int, Fate]:
        return fates_of((), self.seen.messages)

    def fate(self, block: Block) -> Fate:
        return self.seen.fates.get(id(block)) or self._fates.get(id(block), "dropped")

    def reaches(self, block: Block) -> bool:
        return self.fate(block) in ("sent", "changed")

    def lost(self, results: Iterable[Block]) -> list[Block]:
        """The real outputs of which the model sees nothing, not even in a copy among them."""
        results = list(results)
        seen = {result_text(block).strip() for block in results if self.reaches(block)}
        found: dict[str, Block] = {}
        for block in results:
            text = result_text(block).strip()
            if is_real_output(block) and not self.reaches(block) and text not in seen:
                found.setdefault(text, block)
        return list(found.values())

    def sent_as(self, block: Block) -> Any:
        """What a block is sent as; None where it is not."""
        found = self._parts.get(id(block))
        return found[1].value if found is not None else None

    def is_changed(self, block: Block) -> bool:
        value = self.sent_as(block)
        return value is not None and value is not block.value

    def is_text(self, block: Block) -> bool:
        return part_type(as_block(self.sent_as(block)), None) == "text"

    def message_of(self, problem: Problem) -> Sequence[Block]:
        """The blocks of the message that a problem is in."""
        return self.transcript.messages[problem.message].blocks if problem.message is not None else ()

    def role_of(self, problem: Problem) -> Any:
        return self.transcript.messages[problem.message].role if problem.message is not None else None

    def answer_to(self, call: Block) -> SentPart | None:
        """What is sent as the result of a call before the next response: what its agent adds, where there is both."""
        if id(call) not in self._parts:
            return None
        number, sent = self._parts[id(call)]
        if self._of_items:
            kind, called = CALL_FAMILY.get(type_name(sent.value) or ""), part_id(sent.value, None)
            return self._outputs.get((kind, called))
        called = part_id(as_block(sent.value), None)
        found: SentPart | None = None
        for message in self.seen.messages[number + 1 :]:
            if _is_response(message):
                break
            for part in message.parts:
                result = as_block(part.value)
                if part_type(result, None) == "result" and part_id(result, None) == called:
                    found = part if found is None or part.block is None else found
        return found

    @cached_property
    def _outputs(self) -> dict[tuple[str | None, str | None], SentPart]:
        """The kind of a call and its id -> the item that answers it: what its agent adds, where there is both."""
        found: dict[tuple[str | None, str | None], SentPart] = {}
        for part in (part for message in self.seen.messages for part in message.parts):
            if is_output_item(part.value):
                key = OUTPUT_FAMILY.get(type_name(part.value) or ""), part_id(part.value, None)
                if key not in found or part.block is None:
                    found[key] = part
        return found

    def answers_to(self, calls: Sequence[Block], problem: Problem) -> list[Block]:
        """The results of these calls in the messages after that of a problem."""
        ids = [call.id for call in calls]
        found: list[Block] = []
        for number in range((problem.message or 0) + 1, len(self.transcript.messages)):
            message = self.transcript.messages[number]
            if message.role == "assistant":
                break
            found += [block for block in message.results if block.id in ids]
        return found

    def together(self, problem: Problem) -> bool:
        """Whether the message of a problem is sent in one with the message before it."""
        at = problem.message
        if not at:
            return False
        before, after = (
            {self._parts[id(block)][0] for block in message.blocks if id(block) in self._parts}
            for message in self.transcript.messages[at - 1 : at + 1]
        )
        return bool(before & after)

    def in_place_of(self, problem: Problem) -> SentPart | None:
        """What an agent itself says in place of an empty message."""
        if problem.message is None:
            return None
        before = self._nearest(range(problem.message - 1, -1, -1))
        after = self._nearest(range(problem.message + 1, len(self.transcript.messages)))
        between = self.seen.messages[max(before, default=-1) + 1 : min(after, default=len(self.seen.messages))]
        return next((part for message in between for part in message.parts if part.block is None), None)

    def _nearest(self, numbers: Iterable[int]) -> list[int]:
        """Where the first of these messages is sent of which anything is."""
        messages = self.transcript.messages
        found = ([self._parts[id(b)][0] for b in messages[n].blocks if id(b) in self._parts] for n in numbers)
        return next(filter(None, found), [])

    # --- as it is judged ---------------------------------------------------------------------------------

    def still_wrong(self, problem: Problem) -> list[Problem]:
        """What the provider would find wrong with what is sent of this problem."""
        decided_by = RULES[problem.rule].decided_by
        blocks = blocks_of(problem) or self.message_of(problem)
        same = (problem.rule, *RULES[problem.rule].sent_as)
        found = [
            other
            for other in self._wrong_in(*self._around(blocks)).about(blocks)
            if other.rule in same or is_alike(other.rule, decided_by)
        ]
        return [problem] if not found and self._is_sent_as_it_is(problem) else found

    def _is_sent_as_it_is(self, problem: Problem) -> bool:
        """Whether nothing that is wrong in itself is changed: a rule that only the format knows is still broken."""
        if RULES[problem.rule].decided_by != "itself":
            return False
        blocks = blocks_of(problem)
        return bool(blocks) and all(self.sent_as(block) is block.value for block in blocks)

    def _around(self, blocks: Iterable[Block]) -> tuple[int, int]:
        """The messages that decide about these blocks: with the response before them, and the one after."""
        sent, end = self.seen.messages, len(self.seen.messages)
        numbers = [self._parts[id(block)][0] for block in blocks if id(block) in self._parts]
        if self._of_items or not numbers or max(numbers) - min(numbers) > _LONG:
            return 0, end
        before = range(min(numbers), -1, -1)[:_LONG]
        after = range(max(numbers) + 1, end)[:_LONG]
        first = next((number for number in before if _is_response(sent[number])), 0)
        last = next((number for number in after if _is_response(sent[number])), end - 1)
        return max(first - 1, 0), last + 1

    @cached_property
    def _known(self) -> dict[tuple[int, int], _Found]:
        return {}

    def _wrong_in(self, start: int, end: int) -> _Found:
        """What is wrong with these messages."""
        if (start, end) not in self._known:
            self._known[start, end] = self._judge(start, end)
        return self._known[start, end]

    def _judge(self, start: int, end: int) -> _Found:
        origins: dict[int, Block] = {}
        messages: list[Message] = []
        for message, blocks in self._items() if self._of_items else self._messages(start, end):
            messages.append(message)
            origins |= {id(made): block for made, block in blocks if block is not None}
        edges = self.transcript.edges
        goes_on = edges is not None and edges.after
        words = None if self._of_items or goes_on else anthropic.message_of(_NEXT_WORDS, end)
        if words is not None and end == len(self.seen.messages):
            messages.append(words)
        request = Transcript(
            tuple(messages),
            layout=self.transcript.layout,
            merged=self.transcript.merged,
            agent=self.transcript.agent,
            model=self.transcript.model,
            thinking=self.transcript.thinking,
        )
        found = _Found()
        for problem in judge(request, self.profile).problems:
            about = blocks_of(problem)
            if not about and problem.message is not None:
                about = list(request.messages[problem.message].blocks)
            found.add(problem, {id(origins[id(block)]) for block in about if id(block) in origins})
        return found

    def _items(self) -> Iterator[_Read]:
        parts = [part for sent in self.seen.messages for part in sent.parts]
        for message in item_messages.messages_of([HistoryItem(n, (), part.value) for n, part in enumerate(parts)]):
            yield message, [(block, parts[block.record].block) for block in message.blocks]

    def _messages(self, start: int, end: int) -> Iterator[_Read]:
        for number in range(start, end):
            yield from self._read(number, self.seen.messages[number])

    def _read(self, number: int, sent: SentMessage) -> Iterator[_Read]:
        """The messages that one is for the rules."""
        if self.transcript.layout == "tool_messages":
            known = {id(part.value): part.block for part in sent.parts}
            for value in messages_of(sent.role, [part.value for part in sent.parts]):
                message = openai_chat.message_of(value, number, ())
                if message is not None:
                    yield message, [(block, known.get(id(block.value))) for block in message.blocks]
            return
        values = [as_block(part.value) for part in sent.parts]
        blocks = [anthropic.block_of(value, number, ("content", place)) for place, value in enumerate(values)]
        role = _ROLES.get(sent.role, sent.role)
        message = Message(role, tuple(blocks), (number,), "blocks", {"role": role, "content": values})
        yield message, [(block, part.block) for block, part in zip(blocks, sent.parts, strict=True)]
