"""What no table says of pairs. A table names one of these; a user's table can name them, and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.transcript.model import Block, Message

_IDS: Final = ("call_", "toolu_", "tooluse_", "chatcmpl-tool-")
"""What ids begin with that no tool is called by."""


class NamesInOrder:
    """Gemini's calls and responses without ids: they belong together by name and order, within one exchange.

    Each gets an id that is not in the file, made from the number of its record, so that a part of a list is given the
    ids that the whole would be. docker-agent writes the id of the call, which the call itself lacks, as the name of its
    response: then the order alone is left.
    """

    def __init__(self, taken: Collection[str] = ()) -> None:
        self._taken = taken
        self._waiting: list[tuple[str, tuple[str | None, ...]]] = []
        self._record = self._count = -1

    @property
    def waiting(self) -> list[str]:
        return [id_ for id_, _ in self._waiting]

    def speaks(self) -> None:
        """A message with calls begins: what was called before has no more results."""
        self._waiting.clear()

    def call(self, id_: str | None, name: str | None, record: int) -> str:
        given = self._fresh(name, record) if id_ is None else id_
        self._waiting.append((given, (name, id_)))
        return given

    def result(self, id_: str | None, name: str | None, record: int) -> str:
        if id_ is not None:
            self._waiting = [one for one in self._waiting if one[0] != id_]
            return id_
        found = next((one for one in self._waiting if name in one[1]), None)
        if found is None and self._waiting and name is not None and name.startswith(_IDS):
            found = self._waiting[0]
        if found is None and not name and len(self._waiting) == 1:
            found = self._waiting[0]  # it answers the only call there is
        if found is None:
            return self._fresh(name, record)
        self._waiting.remove(found)
        return found[0]

    def _fresh(self, name: str | None, record: int) -> str:
        self._count = self._count + 1 if record == self._record else 1
        self._record = record
        while (id_ := f"{name or 'function'}_{record}_{self._count}") in self._taken:
            self._count += 1
        return id_

    def paired(self, messages: Sequence[Message]) -> list[Message]:
        made: list[Message] = []
        for message in messages:
            if message.calls:
                self.speaks()
            blocks = tuple(map(self._given, message.blocks))
            same = all(a is b for a, b in zip(blocks, message.blocks, strict=True))
            made.append(message if same else replace(message, blocks=blocks))
        return made

    def _given(self, block: Block) -> Block:
        if block.kind not in ("call", "result"):
            return block
        pairs = self.call if block.kind == "call" else self.result
        id_ = pairs(block.id, block.name, block.record)
        return block if id_ == block.id else replace(block, id=id_)


PAIR: Final[Mapping[str, type[NamesInOrder]]] = {"names_in_order": NamesInOrder}
