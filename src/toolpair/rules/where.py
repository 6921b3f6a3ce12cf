"""Where a problem is, and which calls, results and messages it is about."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from toolpair.transcript.model import Block, Message
from toolpair.transcript.pairing import Pair


class Where(Struct, frozen=True, kw_only=True):
    """The place of a problem. Without `record`, it is the call's, else the result's, else the message's first one."""

    at: tuple[int, int | None] | None = None
    """The message and its block, counted from 0; the block is None for the whole message."""
    pairs: Sequence[Pair | None] = ()
    call: Block | None = None
    result: Block | None = None
    others: tuple[Block, ...] = ()
    about: Message | None = None
    record: int | None = None
    until: int | None = None
    """The uid of the last record, if there are several consecutive ones."""


class NamedPlace(Struct, frozen=True):
    """What an error text points at, as the transcript counts; without a message, the conversation."""

    message: int | None = None
    block: int | None = None
    """None for the whole message."""
    part: int | None = None
    """Of a result that holds several parts, the one."""
    measured: bool = False
    """What is named is too large: what is surely small enough is not meant."""

    def blocks(self, message: Message) -> tuple[Block, ...]:
        """Those of its message that it means."""
        return message.blocks if self.block is None else message.blocks[self.block : self.block + 1]


def at_call(pair: Pair, *, pairs: Sequence[Pair] = (), others: tuple[Block, ...] = ()) -> Where:
    return Where(at=pair.call_at, pairs=pairs or (pair,), call=pair.call, result=pair.result, others=others)


def at_result(
    pair: Pair,
    result: Block | None = None,
    *,
    pairs: Sequence[Pair] = (),
    others: tuple[Block, ...] = (),
    about: Message | None = None,
) -> Where:
    """Its first result, or `result` of several."""
    number = 0 if result is None else pair.results.index(result)
    result = pair.results[number]
    return Where(
        at=pair.results_at[number],
        pairs=pairs or (pair,),
        call=pair.call,
        result=result,
        others=others,
        about=about,
        record=result.record,
    )


def at_message(number: int, message: Message) -> Where:
    return Where(at=(number, None), about=message)


def at_block(number: int, position: int, message: Message, *others: Block) -> Where:
    """`others` are further blocks that it is about."""
    block = message.blocks[position]
    return Where(at=(number, position), others=(block, *others), about=message, record=block.record)


def at_item(
    block: Block | None,
    at: tuple[int, int | None] | None,
    pair: Pair | None,
    record: int,
    *,
    others: tuple[Block, ...] = (),
    about: Message | None = None,
) -> Where:
    """A record that is at most one block, which may be a call or a result."""
    call, result = (block if block is not None and block.kind == kind else None for kind in ("call", "result"))
    return Where(at=at, pairs=(pair,), call=call, result=result, others=others, about=about, record=record)
