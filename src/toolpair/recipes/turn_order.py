"""The transcript as seen by systems that keep results and text in one user message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct, field

from toolpair.dialects.openai_chat import is_legacy
from toolpair.transcript.edits import Spot
from toolpair.transcript.model import Block, Message, Transcript

_RESULT_ROLES: Final = ("tool",)


class Turn(Struct, eq=False):
    """One message of such a system; in chat and items, the results after a response together with the
    text after them.
    """

    role: Any
    messages: list[Message]
    listed: bool
    """Its content is a list of blocks; those systems see no results in a string."""
    blocks: list[Block] = field(default_factory=list)

    @property
    def calls(self) -> list[Block]:
        return [block for block in self.blocks if is_call(block)]

    @property
    def results(self) -> list[Block]:
        return [block for block in self.blocks if block.kind == "result"]

    def front(self, before: Turn | None, transcript: Transcript) -> Spot:
        """The place before everything else in it; `before` is the turn that it follows."""
        if transcript.layout == "tool_messages" and before is not None and before.role == "assistant":
            return before.after()
        first = self.messages[0]
        return Spot("before", self.blocks[0] if first.blocks else first)

    def after(self) -> Spot:
        """The place for an answer to it."""
        return Spot("after", self.messages[-1])


def is_call(block: Block) -> bool:
    """Whether the block is a call with an id; legacy chat calls have none, and these systems do not know them."""
    return block.kind == "call" and not is_legacy(block)


def turns_of(transcript: Transcript) -> list[Turn]:
    """The turns of a transcript, in order."""
    if transcript.layout == "tool_messages":
        return _joined(transcript)
    return [
        Turn(message.role, [message], message.shape == "blocks", list(message.blocks))
        for message in transcript.messages
    ]


def _joined(transcript: Transcript) -> list[Turn]:
    """Consecutive results form one user message, including the text directly after them.

    An agent's own file may split user text over several messages: all of it is included. System messages are not part
    of any turn.
    """
    turns: list[Turn] = []
    only_results = False  # of the last turn
    for message in transcript.messages:
        if message.role not in ("assistant", "user", *_RESULT_ROLES):
            continue
        is_result = message.role in _RESULT_ROLES
        listed = is_result or message.shape == "blocks" or any(map(is_call, message.blocks))
        last = turns[-1] if turns else None
        goes_on = last is not None and last.role == "user" and message.role != "assistant"
        if last is not None and goes_on and (transcript.native or only_results):
            only_results = only_results and is_result
            last.messages.append(message)
            last.blocks.extend(message.blocks)
            last.listed = True
            continue
        role = "user" if is_result else message.role
        only_results = is_result
        turns.append(Turn(role, [message], listed, list(message.blocks)))
    return turns


def id_key(block: Block) -> object:
    """A key that is equal for equal ids of one type, and never for ids that are lists or objects."""
    id_ = block.id
    if isinstance(id_, (dict, list)):
        return ("one of a kind", id(block))
    return (type(id_).__name__, id_)


def first_of_each(results: Iterable[Block]) -> tuple[list[Block], list[tuple[Block, Block]]]:
    """The first result with each id; each further one paired with the first."""
    first: dict[object, Block] = {}
    again: list[tuple[Block, Block]] = []
    for result in results:
        known = first.setdefault(id_key(result), result)
        if known is not result:
            again.append((result, known))
    return list(first.values()), again
