"""Records of an agent that are a window of its session, read between messages that stand for what is around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.anthropic import STAND_INS
from toolpair.formats.format import SentMessage, SentPart
from toolpair.transcript.model import StandIns, Transcript

_OTHERS: Final = frozenset(id(block) for message in (*STAND_INS.before, *STAND_INS.after) for block in message.blocks)


class Between(Struct, eq=False):
    spills: bool = False
    by_block: bool = False

    @property
    def around(self) -> StandIns:
        return STAND_INS

    def theirs(self, sent: Sequence[SentMessage]) -> Sequence[SentMessage] | None:
        """Those of the messages that are the window's; None where one is only in part."""
        whose = [{id(part.block) in _OTHERS for part in message.parts} for message in sent]
        if any(len(one) > 1 for one in whose):
            return None
        return [message for message, one in zip(sent, whose, strict=True) if False in one]


BETWEEN: Final = Between()


def said_around(transcript: Transcript) -> tuple[list[Any], list[Any]]:
    """What is said before and after the records of a window, for a format that sends these and not its messages."""
    edges = transcript.edges
    before, after = edges is not None and edges.before, edges is not None and edges.after
    return _said(STAND_INS.before if before else ()), _said(STAND_INS.after if after else ())


def _said(messages: Sequence[Any]) -> list[Any]:
    return [(str(message.role), [*map(SentPart.of, message.blocks)]) for message in messages]
