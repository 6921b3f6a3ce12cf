"""Where an id occurs in a file: in what is sent, outside it, or anywhere in the bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from toolpair.dialects.block_values import own_ids
from toolpair.history.conversation import Conversation
from toolpair.transcript.model import Block

_SHORTEST: Final = 4
_NAMED_BY_DAMAGE: Final = "where some of it cannot be read"


class ConversationIds:
    """The ids of one conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    @property
    def sent(self) -> Mapping[str, Sequence[Block]]:
        """Id -> the blocks of the active history that have it: calls, results, items with an id of their own."""
        return self._conversation.by_id

    @cached_property
    def unsent(self) -> dict[str, Block]:
        """The same for what is not sent: other branches, compacted history, sub-agents' records."""
        return {id_: block for block in reversed(self._conversation.inactive_blocks) for id_ in own_ids(block)}

    def elsewhere(self, id_: str) -> tuple[int | None, str] | None:
        """The line, and a description of the place, of an id that is not sent; None when the file does not have it."""
        document = self._conversation.document
        block = self.unsent.get(id_)
        if block is not None and block.record in document:
            return document.line_of(block.record), "on a branch that is not sent"
        if len(id_) < _SHORTEST:
            return None
        wanted = id_.encode("utf-8", "surrogatepass")
        scopes = self._conversation.transcript.scopes
        for record in document.records:
            if record.lines > 1:
                continue  # such lines hold no ids
            body = bytes(record.body)
            at = body.find(wanted)
            if at < 0 or _goes_on(body, at, len(wanted)):
                continue
            scope = scopes.get(record.uid, "active")
            where = {"inactive": "on a branch that is not sent", "malformed": _NAMED_BY_DAMAGE}.get(
                scope, "but not in any call or result that is sent"
            )
            line = record.line + body.count(b"\n", 0, at) if record.line is not None else None
            return line, where
        return None


def _goes_on(body: bytes, at: int, size: int) -> bool:
    """Whether it is part of a longer id."""
    around = body[max(0, at - 1) : at] + body[at + size : at + size + 1]
    return any(byte == 0x5F or chr(byte).isalnum() for byte in around if byte < 0x80)


def reading_in(readings: Sequence[str], known: Mapping[str, Sequence[Block]]) -> str | None:
    """The reading of an id that is one of the known ids."""
    return next((reading for reading in readings if reading in known), None)
