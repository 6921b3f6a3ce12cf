"""The transcript as seen by systems that keep results and text in one user message."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from toolpair.dialects.openai_chat import is_legacy
from toolpair.transcript.edits import Spot
from toolpair.transcript.model import Block, Message, Transcript


class Turn(Struct, eq=False):
    """One message of such a system; in chat and items, the results after a response together with the
    text after them.
    """

    role: Any
    messages: list[Message]
    listed: bool
    """Its content is a list of blocks; those systems see no results in a string."""

    @property
    def blocks(self) -> list[Block]:
        return [block for message in self.messages for block in message.blocks]

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
        return Spot("before", first.blocks[0] if first.blocks else first)

    def after(self) -> Spot:
        """The place for an answer to it."""
        return Spot("after", self.messages[-1])


def is_call(block: Block) -> bool:
    """Whether the block is a call with an id; legacy chat calls have none, and these systems do not know them."""
    return block.kind == "call" and not is_legacy(block)


def turns_of(transcript: Transcript) -> list[Turn]:
    """The turns of a transcript, in order.

    Results that are messages form one user message with the next ones, and with the text directly after them. An
    agent's own file may split user text over several messages: all of it is included. System messages are then not
    part of any turn.
    """
    if transcript.layout != "tool_messages":
        return [Turn(message.role, [message], message.shape == "blocks") for message in transcript.messages]
    turns: list[Turn] = []
    only_results = False  # of the last turn
    for message in transcript.messages:
        if message.role not in ("assistant", "user", "tool"):
            continue
        is_result = message.role == "tool"
        last = turns[-1] if turns and turns[-1].role == "user" and message.role != "assistant" else None
        goes_on = last is not None and (transcript.native or only_results)
        only_results = is_result and (only_results or not goes_on)
        if last is not None and goes_on:
            last.messages.append(message)
            last.listed = True
        else:
            listed = is_result or message.shape == "blocks" or any(map(is_call, message.blocks))
            turns.append(Turn("user" if is_result else message.role, [message], listed))
    return turns


def id_key(block: Block) -> object:
    """A key that is equal for equal ids of one type, and never for ids that are lists or objects."""
    id_ = block.id
    if isinstance(id_, (dict, list)):
        return ("one of a kind", id(block))
    return (type(id_).__name__, id_)
