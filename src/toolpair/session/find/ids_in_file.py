"""Where an id stands in a file: in what is sent, beside it, or anywhere in its bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from toolpair.history.conversation import Conversation
from toolpair.history.window import own_ids
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
    def beside(self) -> dict[str, Block]:
        """The same of what is not sent: other branches, what was compacted, sub-agents' records."""
        return {id_: block for block in reversed(self._conversation.inactive_blocks) for id_ in own_ids(block)}

    def elsewhere(self, id_: str) -> tuple[int | None, str] | None:
        """The line, and where that is, of an id that is not sent; None when the file does not hold it."""
        document = self._conversation.document
        block = self.beside.get(id_)
        if block is not None and block.record in document:
            return document.line_of(block.record), "on a branch that is not sent"
        if len(id_) < _SHORTEST:
            return None
        wanted = id_.encode("utf-8", "surrogatepass")
        scopes = self._conversation.transcript.scopes
        for record in document.records:
            if record.lines > 1:
                continue  # no ids stand in such lines
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
    """Whether a longer id stands there."""
    around = body[max(0, at - 1) : at] + body[at + size : at + size + 1]
    return any(byte == 0x5F or chr(byte).isalnum() for byte in around if byte < 0x80)


def reading_in(readings: Sequence[str], known: Mapping[str, Sequence[Block]]) -> str | None:
    """Of the ways to read an id the one that stands there."""
    return next((reading for reading in readings if reading in known), None)
