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

    def pair_of(self, step: Step) -> Pair | None:
        if step.pair < 0:
            return None
        return self.inherited_pairs[step.pair] if step.inherited else self.conversation.pairs[step.pair]

    def block_of(self, step: Step) -> Block:
        """The block of a step that is no pair; of a pair its call, or its first result."""
        messages = self.inherited if step.inherited else self.conversation.transcript.messages
        return messages[step.message].blocks[step.block]

    def line_of(self, step: Step) -> int | None:
        """The line of the file that the step stands in."""
        return None if step.inherited else self.conversation.document.line_of(self.block_of(step).record)

    def row_of(self, step: Step) -> int | None:
        """The row of the pair list that shows it."""
        if step.inherited:
            return None
        places = self.conversation.places
        return places.of_pair(step.pair) if step.pair >= 0 else places.of_message(step.message)


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
