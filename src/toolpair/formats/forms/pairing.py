"""What no table says of pairs. A table names one of these; a user's table can name them, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.transcript.model import Block, Message

_IDS: Final = ("call_", "toolu_", "tooluse_", "chatcmpl-tool-")
"""What ids begin with that no tool is called by."""


def names_in_order(messages: Sequence[Message]) -> list[Message]:
    """Gemini's calls and responses without ids: they belong together by name and order, within one exchange.

    Each gets an id that is not in the file. docker-agent writes the id of the call, which the call itself lacks, as
    the name of its response: then the order alone is left.
    """
    taken = {block.id for message in messages for block in message.blocks if isinstance(block.id, str)}
    made: list[Message] = []
    waiting: list[tuple[str, tuple[str | None, ...]]] = []
    count = 0

    def fresh(name: str | None) -> str:
        nonlocal count
        while (id_ := f"{name or 'function'}_{(count := count + 1)}") in taken:
            pass
        return id_

    def given(block: Block) -> Block:
        if block.kind == "call":
            id_ = block.id if block.id is not None else fresh(block.name)
            waiting.append((id_, (block.name, block.id)))
            return block if block.id is not None else replace(block, id=id_)
        if block.kind != "result" or block.id is not None:
            waiting[:] = [one for one in waiting if block.kind != "result" or one[0] != block.id]
            return block
        found = next((one for one in waiting if block.name in one[1]), None)
        if found is None and waiting and block.name is not None and block.name.startswith(_IDS):
            found = waiting[0]
        if found is None:
            return replace(block, id=fresh(block.name))
        waiting.remove(found)
        return replace(block, id=found[0])

    for message in messages:
        if message.calls:
            waiting.clear()
        blocks = tuple(map(given, message.blocks))
        same = all(a is b for a, b in zip(blocks, message.blocks, strict=True))
        made.append(message if same else replace(message, blocks=blocks))
    return made


PAIR: Final[Mapping[str, Callable[[Sequence[Message]], list[Message]]]] = {"names_in_order": names_in_order}
