"""A history as a row of steps, each with the hashes that it is compared by: what was said, called, returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from sys import intern
from typing import Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import arguments, output_key
from toolpair.dialects.block_values import as_json
from toolpair.history.conversation import Conversation
from toolpair.history.passing import passages
from toolpair.transcript.model import Block, Message, Transcript
from toolpair.transcript.pairing import Pair, pair

StepKind = Literal["pair", "text", "thinking", "other"]
NO_CALL: Final = "no call"
"""The name of a pair that is a result alone, or whose call has no name."""


class Step(Struct, frozen=True, gc=False):
    """A pair, where its call stands, or a block of a message that belongs to no pair. The hashes hold for one run of
    the program.
    """

    kind: StepKind
    name: str
    """The tool; else who speaks."""
    asked: int
    """The arguments of the call; else what is said."""
    answered: int
    """What the results say."""
    id: int
    """The id of the call; of a result alone, its own."""
    result_ids: int
    spread: int
    """How far each result stands from its call."""
    message: int
    block: int
    pair: int = -1
    """The number of the pair."""
    inherited: bool = False
    """It stands in another session's file, which this one continues; numbers count in what is inherited."""

    @property
    def content(self) -> tuple[str, str, int, int]:
        """What makes two steps the same, whatever their ids are."""
        return self.kind, self.name, self.asked, self.answered

    @property
    def deed(self) -> tuple[str, str, int]:
        """What was done, whatever came of it."""
        return self.kind, self.name, self.asked


class History(Struct, frozen=True, eq=False):
    """The steps of a conversation, and what they were made of."""

    conversation: Conversation
    steps: Sequence[Step]
    inherited: Sequence[Message] = ()
    inherited_pairs: Sequence[Pair] = ()

    def at(self, number: int) -> DiffStep:
        """One of the steps, with what the history says of it."""
        return DiffStep(self, self.steps[number])


class DiffStep(Struct, frozen=True, eq=False):
    """One step of a history: a call with its results, or something else that a message says."""

    history: History
    step: Step

    @property
    def kind(self) -> StepKind:
        return self.step.kind

    @property
    def name(self) -> str:
        """The tool; else who speaks."""
        return self.step.name

    @property
    def line(self) -> int | None:
        """The line of the file, from 1."""
        return None if self.inherited else self.history.conversation.document.line_of(self._block.record)

    @property
    def message(self) -> int:
        return self.step.message

    @property
    def inherited(self) -> bool:
        """It stands in another session's file, which this one continues; numbers count in what is inherited."""
        return self.step.inherited

    @property
    def pair(self) -> int | None:
        """The number of the pair; None for what is no pair."""
        return self.step.pair if self.step.pair >= 0 else None

    @property
    def paired(self) -> Pair | None:
        """The pair itself."""
        if self.pair is None:
            return None
        return (self.history.inherited_pairs if self.inherited else self.history.conversation.pairs)[self.pair]

    @property
    def blocks(self) -> list[Block]:
        """The call and its results; else the block that the step is."""
        pair = self.paired
        return [self._block] if pair is None else [each for each in (pair.call, *pair.results) if each is not None]

    @property
    def _block(self) -> Block:
        """The first of them."""
        messages = self.history.inherited if self.inherited else self.history.conversation.transcript.messages
        return messages[self.step.message].blocks[self.step.block]

    @property
    def call_id(self) -> object:
        """The id of the call; any JSON value may be in its place."""
        pair = self.paired
        return pair.call.id if pair is not None and pair.call is not None else None

    @property
    def result_ids(self) -> tuple[object, ...]:
        pair = self.paired
        return tuple(result.id for result in pair.results) if pair is not None else ()

    @property
    def ids(self) -> list[str]:
        """All ids as text, each once."""
        ids = [block.id for block in self.blocks] if self.pair is not None else []
        return list(dict.fromkeys(str(id_) for id_ in ids if id_ is not None))

    @property
    def call(self) -> str | None:
        """What the call says."""
        pair = self.paired
        return pair.call.text if pair is not None and pair.call is not None else None

    @property
    def results(self) -> tuple[str, ...]:
        """What the results say."""
        pair = self.paired
        return tuple(result.text for result in pair.results) if pair is not None else ()

    @property
    def text(self) -> str | None:
        """What is said, where it is no pair."""
        return self._block.text if self.pair is None else None


def history_of(conversation: Conversation, on_progress: Callable[[int], None] | None = None) -> History:
    """Read the whole conversation. `on_progress` is called with the number of messages read; it may raise to end it."""
    steps: list[Step] = []
    before = inherited_by(conversation)
    pairs = _pairs_of(before)
    steps.extend(_steps(before, pairs, 0, len(before), 0, 0, True))
    for passage in passages(conversation):
        found = _steps(
            passage.messages, passage.pairs, passage.lead, passage.end, passage.first, passage.first_pair, False
        )
        steps.extend(found)
        if on_progress is not None:
            on_progress(passage.first + passage.end)
    return History(conversation, steps, before, pairs)


def inherited_by(conversation: Conversation) -> Sequence[Message]:
    """The messages of another session that this one continues, where its file does not repeat them."""
    format = conversation.format
    if format.continues is None or conversation.fixes_are_local:
        return ()
    return format.continues(conversation.judged.transcript)


def _pairs_of(messages: Sequence[Message]) -> Sequence[Pair]:
    return pair(Transcript(tuple(messages))).pairs if messages else ()


def _steps(
    messages: Sequence[Message],
    pairs: Sequence[Pair],
    start: int,
    end: int,
    add: int,
    add_pair: int,
    inherited: bool,
) -> Iterator[Step]:
    of_start = {found.start: found for found in pairs}
    for number in range(start, end):
        role = intern(str(messages[number].role))
        for place, block in enumerate(messages[number].blocks):
            at = number + add, place
            if block.kind in ("call", "result"):
                found = of_start.get((number, place))
                if found is not None:  # else it is a result of another step
                    yield _pair_step(found, *at, found.index + add_pair, inherited)
            elif block.kind == "text":
                text = block.text
                if text.strip():
                    yield Step("text", role, hash(text), 0, 0, 0, 0, *at, inherited=inherited)
            else:
                kind: StepKind = "thinking" if block.kind == "thinking" else "other"
                yield Step(kind, role, hash(as_json(block)), 0, 0, 0, 0, *at, inherited=inherited)


def _pair_step(found: Pair, message: int, block: int, index: int, inherited: bool) -> Step:
    call = found.call
    at = found.start[0]
    return Step(
        "pair",
        intern(str(call.name)) if call is not None and call.name else NO_CALL,
        _hash(arguments(call)) if call is not None else 0,
        hash(tuple([(result.is_error, *output_key(result)) for result in found.results])),
        _hash([call.id if call is not None else found.results[0].id]),
        _hash([result.id for result in found.results]),
        hash(tuple([number - at for number, _ in found.results_at])),
        message,
        block,
        index,
        inherited,
    )


def _hash(value: object) -> int:
    return hash(value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=repr))
