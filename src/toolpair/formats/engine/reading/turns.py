"""Histories of turns, one record each, results too, and the messages that they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from msgspec import Struct

from toolpair.dialects.besides import content_elsewhere
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.transcript.model import Block, Message


class Turn(Struct, eq=False):
    """One record of the history as what it says. A result is a turn of its own."""

    role: str
    """"user", "assistant" or "result"."""
    node: Node
    blocks: tuple[Block, ...]
    time: str | None = None
    summary: bool = False
    broken_off: bool = False
    """The agent sends neither what it says nor its calls."""
    instead: int | None = None
    """uid of the record whose content is sent in the place of its own."""
    answers: Any = None
    """The id of the call that a result is sent for, where its agent pairs them; without blocks, a placeholder is."""


def messages_of(turns: Iterable[Turn]) -> Iterator[Message]:
    """Results in a row are one message of the user's, as they are sent."""
    for are_results, run in groupby(turns, lambda turn: turn.role == "result"):
        if are_results:
            yield _message("user", list(run))
        else:
            yield from (_message(turn.role, [turn]) for turn in run if not turn.broken_off)


def _message(role: str, turns: Sequence[Turn]) -> Message:
    blocks = tuple(block for turn in turns for block in turn.blocks)
    records = [uid for turn in turns for uid in (turn.node.uid, turn.instead) if uid is not None]
    whole = len(blocks) == 1 and isinstance(blocks[0].value, str)
    value = {"role": role, "content": blocks[0].value if whole else [block.value for block in blocks]}
    own = turns[0].node.value.get("message") if not blocks and isinstance(turns[0].node.value, dict) else None
    if isinstance(own, dict):
        value |= {key: own[key] for key in content_elsewhere(own)}
    if turns[0].time is not None:
        value["timestamp"] = turns[0].time
    note = "summary" if turns[0].summary else None
    return Message(role, blocks, tuple(records), "string" if whole else "blocks", value, note)
