"""What formats do alike when they read records: texts, scopes, calls and results, messages in a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from toolpair.formats.format import Item
from toolpair.transcript.model import Block, Damaged, Message, Scope, Transcript

T = TypeVar("T")


def as_key(value: Any) -> Any:
    """An id as a set may hold it: of a list or an object, which is no id, how it is written."""
    return repr(value) if isinstance(value, (list, dict)) else value


def as_text(value: Any) -> str | None:
    """The value if it is a text."""
    return value if isinstance(value, str) else None


def first_text(values: Iterable[Any]) -> str | None:
    """The first of these values that is a text and not empty."""
    return next((value for value in values if isinstance(value, str) and value), None)


def facts_of(transcript: Transcript, kind: type[T]) -> T:
    """What the format of this transcript has found out about its agent's file."""
    assert isinstance(transcript.agent_facts, kind)
    return transcript.agent_facts


def malformed_in(items: Iterable[Item]) -> dict[int, Scope]:
    """The scopes to begin with: those of the records that cannot be read."""
    return {item.uid: "malformed" for item in items if isinstance(item.value, Damaged)}


def pairs_in(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The calls and results among these blocks."""
    return tuple(block for block in blocks if block.kind in ("call", "result"))


def blocks_by_key(transcript: Transcript) -> dict[Any, Block]:
    """The blocks of a transcript by their places in the file."""
    return {block.key: block for message in transcript.messages for block in message.blocks}


def joined(messages: Sequence[Message]) -> Message:
    """Messages of one role in a row as the one that is sent."""
    if len(messages) == 1:
        return messages[0]
    blocks = tuple(block for message in messages for block in message.blocks)
    records = tuple(uid for message in messages for uid in message.records)
    return replace(messages[0], blocks=blocks, records=records, shape="blocks")
