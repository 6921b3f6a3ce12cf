"""The steps in which agents make a request of their history: what several do alike, their differences as arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from toolpair.formats.format import Fate, SentMessage, SentPart, SentRequest
from toolpair.transcript.model import Block

P = TypeVar("P", bound=SentPart)
Said = tuple[str, list[SentPart]]
"""A role, and what is sent in it."""


def request(
    agent: str,
    version: str | None,
    said: Iterable[tuple[str, Sequence[SentPart]]],
    blocks: Iterable[Block],
    refuses: str | None = None,
    *,
    changed: Collection[int] | None = None,
    missed: Collection[str] = ("call", "result"),
    shortened: frozenset[int] = frozenset(),
) -> SentRequest:
    """The request with these messages. `blocks` are those of the transcript; the other options as in `fates_of`."""
    messages = tuple(SentMessage(role, tuple(parts)) for role, parts in said)
    return SentRequest(agent, version, messages, fates_of(blocks, messages, changed, missed), refuses, shortened)


def fates_of(
    blocks: Iterable[Block],
    messages: Iterable[SentMessage],
    changed: Collection[int] | None = None,
    missed: Collection[str] = ("call", "result"),
) -> dict[int, Fate]:
    """id() of each block -> what happens to it in a request of these messages.

    `changed`: id() of each block that says something else there; None: those whose value is another object.
    `missed`: the kinds of blocks that are called dropped, besides blank texts, if they are not sent.
    """
    fates: dict[int, Fate] = {id(block): "dropped" for block in blocks if block.kind in missed or is_blank(block)}
    for part in (part for message in messages for part in message.parts):
        if (block := part.block) is not None:
            other = part.value is not block.value if changed is None else id(block) in changed
            fates[id(block)] = "changed" if other else "sent"
    return fates


def merged(said: Iterable[tuple[str, list[P]]], kind: Callable[[str, list[P]], Any]) -> list[tuple[str, list[P]]]:
    """Neighbours of the same kind as one message; those whose kind is None are left alone."""
    made: list[tuple[str, list[P]]] = []
    last = None
    for role, parts in said:
        own = kind(role, parts)
        if made and own is not None and own == last:
            made[-1][1].extend(parts)
        else:
            made.append((role, list(parts)))
        last = own
    return made


def no_result(id_: Any, content: Any) -> dict[str, Any]:
    """What goes out as the result of a call that has none."""
    return {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": True}


def with_id(value: dict[str, Any], id_: Any) -> dict[str, Any]:
    """A call or a result with this id; the same object if it has it."""
    key = "tool_use_id" if value.get("type") == "tool_result" else "id"
    return value if value.get(key) == id_ else {**value, key: id_}


def as_javascript(value: Any) -> str:
    """The value as JavaScript writes it as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_blank(block: Block) -> bool:
    """Whether it is a text without words."""
    text = block.value if isinstance(block.value, str) else block.value.get("text") if block.kind == "text" else "."
    return isinstance(text, str) and not text.strip()
