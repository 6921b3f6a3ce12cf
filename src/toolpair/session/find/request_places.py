"""A message as the request counts it, found in a conversation: after its agent's merges and drops, then as the file has
it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

from toolpair.history.conversation import Conversation
from toolpair.history.sent_rows import messages_sent
from toolpair.rules.errors.message_counting import Counted, counted, counted_transcript, way_of
from toolpair.rules.where import NamedPlace
from toolpair.transcript.model import Block


class Pointed(Struct, frozen=True, eq=False):
    """A message or a block that a place may mean."""

    how: str
    """In words."""
    blocks: Sequence[Block]
    message: int | None
    """The transcript's number of a message that is meant as a whole."""
    exact: bool
    """Whether the place names it, and not only what is next to it."""
    named: NamedPlace = NamedPlace()


class Asked(Struct, frozen=True):
    """A place, counted from 0."""

    message: int
    block: int | None = None
    part: int | None = None
    call: int | None = None
    base: int = 0
    """What it was counted from."""
    behind: bool = False
    """It may be the message after the call."""


def place_of(block: Block) -> Hashable:
    """The same for a block that was read in a window and with the whole."""
    return block.kind, block.key


class RequestPlaces:
    """The messages of a conversation as one provider counts them."""

    def __init__(self, conversation: Conversation, provider: str) -> None:
        self._conversation = conversation
        self._provider = provider

    @cached_property
    def _countings(self) -> tuple[Counted, ...]:
        """The messages as the provider counts them: as sent, then as in the file."""
        # The whole conversation is read and judged at once: only when messages must be counted.
        judged, provider = self._conversation.judged, self._provider
        as_sent = counted(
            ((message.role, [part.block for part in message.parts]) for message in messages_sent(judged)), provider
        )
        return (as_sent,) if judged.seen is None else (as_sent, counted_transcript(judged.transcript, provider))

    def pointed(self, asked: Asked) -> Iterator[Pointed]:
        """Where a place may point, the likeliest first."""
        for counts in self._countings:
            shown = f"item {asked.message}" if counts.way == "items" else f"message {asked.message + asked.base}"
            for shift in self._shifts():
                yield from self._in(counts, asked, asked.message - shift, shown)

    def _in(self, counts: Counted, asked: Asked, number: int, shown: str) -> Iterator[Pointed]:
        blocks = counts.blocks(number)
        home = self._number(counts, number)
        whole = NamedPlace(home)
        before = counts.blocks(number - 1)
        calls = [block for block in before if block.kind in ("call", "server_call", "mcp_call")]
        next_message = f"{shown}, the call is in {number - 1}"
        if asked.behind:
            if calls:
                yield Pointed(next_message, calls, None, True, self.named(calls[0]))
            yield Pointed(shown, blocks, home, not calls, whole)
        elif asked.block is not None and asked.block < len(blocks):
            one = blocks[asked.block]
            how = f"{shown}, block {asked.block + asked.base}"
            yield Pointed(how, (one,), None, True, self.named(one, asked.part))
            yield Pointed(shown, blocks, None, False, whole)
        elif asked.call is not None and counts.way == "messages":
            own = [block for block in blocks if block.kind == "call"][asked.call : asked.call + 1]
            yield Pointed(f"{shown}, call {asked.call}", own, None, True, self.named(own[0]) if own else whole)
            yield Pointed(shown, blocks, None, False, whole)
        else:
            yield Pointed(shown, blocks, home, True, whole)
        if calls:
            yield Pointed(next_message, calls, None, False, self.named(calls[0]))

    def _shifts(self) -> tuple[int, ...]:
        """Possible offsets of the request's count: an agent's own instructions are not in the file."""
        way = way_of(self._provider)
        if way == "items" and self._conversation.judged.seen is not None:
            return 1, 0
        if self._conversation.reading.request is not None:
            return (0,)  # it is the body of a request, with all of its messages
        roles = {str(message.role) for message in self._conversation.transcript.messages[:3]}
        return (0, 1) if way == "messages" and roles.isdisjoint(("system", "developer")) else (0,)

    def _number(self, counts: Counted, number: int) -> int | None:
        """The transcript's number for a counted message."""
        blocks = counts.blocks(number)
        if blocks:
            return self.home(blocks[0])
        if counts is self._countings[-1] and 0 <= number < len(counts.sources):
            return counts.sources[number]
        return None

    def home(self, block: Block) -> int | None:
        """The number of the block's message in the transcript."""
        return self.named(block).message

    def named(self, block: Block, part: int | None = None) -> NamedPlace:
        """The block's place in the transcript."""
        messages = self._conversation.transcript.messages
        for number in self._conversation.messages_of({block.record}):
            at = next((at for at, one in enumerate(messages[number].blocks) if place_of(one) == place_of(block)), None)
            if at is not None:
                return NamedPlace(number, at, part)
        return NamedPlace()
