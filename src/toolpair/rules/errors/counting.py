"""How an API counts the messages of a request: the N of `messages.N`, `messages[N]`, `input[N]`, `contents[N]`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.transcript.model import Block, Transcript

Way = Literal["turns", "messages", "items"]
Source = tuple[str, Sequence[Block | None]]
"""A message's role and its blocks; None for a block that its agent adds."""

_WAYS: Final[dict[str, Way]] = {
    "anthropic": "turns",
    "vertex-anthropic": "turns",
    "bedrock-converse": "turns",
    "gemini": "turns",
    "minimax": "turns",
    "claude-code": "turns",
    "openai-responses": "items",
}
_SYSTEM: Final = ("system", "developer")
_TOOL: Final = ("tool", "function")


class Counted(Struct, frozen=True, eq=False):
    """Messages as one API counts them, from 0.

    "turns": without system messages, all results of a turn in one message. "messages": as chat counts, system messages
    too, each result a message. "items": each call, result and message an item.
    """

    way: Way
    messages: tuple[tuple[Block | None, ...], ...]
    sources: tuple[int, ...]
    """For each the number of the message (its first one) that it is made of."""
    places: dict[int, tuple[int, int]]
    """id() of a block -> which message, and where in it."""
    calls: dict[int, int]
    """id() of a call -> which of the calls of its message it is."""
    sent: Container[int] | None = None
    """id() of the blocks that are sent; the others, and `sources`, are numbered as the transcript has them."""

    def blocks(self, number: int) -> tuple[Block, ...]:
        """The blocks of a message; none when there is no such message."""
        if not 0 <= number < len(self.messages):
            return ()
        return tuple(block for block in self.messages[number] if block is not None)

    def place(self, block: Block) -> tuple[int, int] | None:
        return self.places.get(id(block))

    def shifted(self, sent: int, others: int) -> Shifted:
        """The same behind so many messages, as they are sent and as the transcript has them."""
        return Shifted(self, sent, others)

    def call_number(self, block: Block) -> int:
        """The K of `tool_calls[K]`; 0 for what is no call, or is not counted."""
        return self.calls.get(id(block), 0)

    def first_of(self, source: int) -> int | None:
        """What number the message `source` has; None when it is not counted."""
        at = bisect_left(self.sources, source)
        return at if at < len(self.sources) and self.sources[at] == source else None


class Shifted(Struct, frozen=True):
    """Where the blocks of a window stand in the whole."""

    counted: Counted
    before: int
    """Messages that are sent in front of it."""
    others: int
    """Messages of the transcript in front of it."""

    def place(self, block: Block) -> tuple[int, int] | None:
        found, sent = self.counted.place(block), self.counted.sent
        if found is None:
            return None
        return found[0] + (self.before if sent is None or id(block) in sent else self.others), found[1]

    def first_of(self, source: int) -> int | None:
        found = self.counted.first_of(source)
        return None if found is None else found + (self.before if self.counted.sent is None else self.others)


def way_of(provider: str) -> Way:
    return _WAYS.get(provider, "messages")


def counted_transcript(transcript: Transcript, provider: str) -> Counted:
    return counted(((str(message.role), message.blocks) for message in transcript.messages), provider)


def counted_as_sent(transcript: Transcript, sent: Iterable[Source], provider: str) -> Counted:
    """What an agent sends, counted; blocks that it leaves out have the places that they would have."""
    before, now = counted_transcript(transcript, provider), counted(sent, provider)
    return replace(
        now,
        sources=before.sources,
        places={**before.places, **now.places},
        calls={**before.calls, **now.calls},
        sent=now.places,
    )


def counted(sources: Iterable[Source], provider: str) -> Counted:
    """The messages in the order of the request, as `provider` counts them."""
    way = way_of(provider)
    messages: list[list[Block | None]] = []
    starts: list[int] = []
    before = ""
    for number, (role, blocks) in enumerate(sources):
        if way == "turns":
            if role in _SYSTEM:
                continue
            if role in _TOOL and before in _TOOL:
                messages[-1].extend(blocks)
                continue
            parts = [list(blocks)]
        elif way == "messages":
            parts = _as_chat(role, blocks)
        else:
            parts = _as_items(blocks)
        before = role
        messages += parts
        starts += [number] * len(parts)
    places = {
        id(block): (number, at)
        for number, parts in enumerate(messages)
        for at, block in enumerate(parts)
        if block is not None
    }
    calls = {
        id(call): at
        for parts in messages
        for at, call in enumerate(block for block in parts if block is not None and block.kind == "call")
    }
    return Counted(way, tuple(map(tuple, messages)), tuple(starts), places, calls)


def _as_chat(role: str, blocks: Sequence[Block | None]) -> list[list[Block | None]]:
    results: list[Block | None] = [block for block in blocks if block is not None and block.kind == "result"]
    if role in ("assistant", *_TOOL) or not results:
        return [list(blocks)]
    rest = [block for block in blocks if block is None or block.kind != "result"]
    return [*([result] for result in results), *([rest] if rest else [])]


def _as_items(blocks: Sequence[Block | None]) -> list[list[Block | None]]:
    items: list[list[Block | None]] = []
    for block in blocks:
        words = block is not None and block.kind in ("text", "media")
        before = items[-1][-1] if items else None
        if words and before is not None and before.kind in ("text", "media") and _one_message(before, block):
            items[-1].append(block)
        else:
            items.append([block])
    return items


def _one_message(before: Block, block: Block | None) -> bool:
    return block is not None and before.record == block.record
