"""Histories of turns, one record each, results too: as messages, and as the request that an agent makes of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from toolpair.dialects.besides import content_elsewhere
from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.format import Fate, SentMessage, SentPart, SentRequest
from toolpair.transcript.model import Block, Message, Transcript


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
    run: list[Turn] = []
    for turn in turns:
        if run and turn.role != "result":
            yield _message("user", run)
            run = []
        if turn.role == "result":
            run.append(turn)
        elif not turn.broken_off:
            yield _message(turn.role, [turn])
    if run:
        yield _message("user", run)


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


class Sending(ABC):
    """What an agent makes of each part before it sends it."""

    @abstractmethod
    def part(self, turn: Turn, block: Block) -> Any:
        """The part as it goes out; the same object when nothing is changed, None when it is left out."""

    @abstractmethod
    def id_of(self, turn: Turn, call: Block) -> Any:
        """The id that a call goes out with."""

    def key_of(self, turn: Turn, block: Block, value: Any) -> Any:
        """What a call and its result have in common; the id that goes out, unless its agent compares others.

        `value` is what goes out of the block.
        """
        return value.get("tool_use_id") if block.kind == "result" else self.id_of(turn, block)

    def behind(self, part: SentPart) -> Sequence[Any]:
        """What goes out of a result after all results of its turn."""
        return ()

    @abstractmethod
    def no_result(self, id_: Any) -> Any:
        """What goes out as the result of a call that has none."""


def request_of(
    turns: Sequence[Turn],
    transcript: Transcript,
    sending: Sending,
    agent: str,
    version: str | None,
    refuses: str | None = None,
) -> SentRequest:
    """The request of an agent that sends results where they stand, and fills those up that are missing."""
    own = blocks_by_key(transcript)
    sent: list[tuple[str, list[SentPart]]] = []
    for role, parts in _prepared(turns, own, sending):
        if role == "result" and sent and sent[-1][0] == "result":
            sent[-1][1].extend(parts)
        elif parts:
            sent.append((role, parts))
    for role, parts in sent:
        if role == "result":
            parts.extend([SentPart(value) for part in parts for value in sending.behind(part)])
    messages = tuple(SentMessage("user" if role == "result" else role, tuple(parts)) for role, parts in sent)
    return SentRequest(agent, version, messages, fates_of(own.values(), messages), refuses)


def fates_of(blocks: Iterable[Block], messages: Iterable[SentMessage]) -> dict[int, Fate]:
    """id() of each block -> what happens to it in a request of these messages."""
    fates: dict[int, Fate] = {id(b): "dropped" for b in blocks if b.kind in ("call", "result") or is_blank(b)}
    for part in (part for message in messages for part in message.parts):
        if part.block is not None:
            fates[id(part.block)] = "sent" if part.value is part.block.value else "changed"
    return fates


def _prepared(
    turns: Sequence[Turn], own: Mapping[Any, Block], sending: Sending
) -> Iterator[tuple[str, list[SentPart]]]:
    """What goes out, turn by turn: a call that nothing answered is answered before anybody says something else."""
    waiting: list[tuple[str, Any]] = []
    answered: set[str] = set()
    for turn in turns:
        if turn.role != "result":
            yield "result", [SentPart(sending.no_result(id_)) for key, id_ in waiting if key not in answered]
            waiting, answered = [], set()
            if turn.broken_off:
                continue
        parts = []
        if turn.answers is not None and not turn.blocks:
            parts.append(SentPart(sending.no_result(turn.answers)))
            answered.add(repr(parts[0].value.get("tool_use_id")))
        for block in turn.blocks:
            value = sending.part(turn, block)
            if turn.role == "result":
                answered.add(repr(sending.key_of(turn, block, value)))
            elif block.kind == "call":
                waiting.append((repr(sending.key_of(turn, block, value)), sending.id_of(turn, block)))
            if value is not None:
                parts.append(SentPart(value, own.get((block.record, block.slot), block)))
        yield turn.role, parts
    yield "result", [SentPart(sending.no_result(id_)) for key, id_ in waiting if key not in answered]


def is_blank(block: Block) -> bool:
    """Whether it is a text without words."""
    text = block.value if isinstance(block.value, str) else block.value.get("text") if block.kind == "text" else "."
    return isinstance(text, str) and not text.strip()
