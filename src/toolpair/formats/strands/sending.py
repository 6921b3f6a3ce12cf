"""What Strands sends of a session: measured on strands-agents 1.62.0 (`RepositorySessionManager`, `Agent`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.agent import Library
from toolpair.formats.engine.sending import no_result, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.transcript.model import Transcript

TITLE: Final = "Strands"
VERSION: Final = "1.62.0"
LIBRARY: Final = Library("strands", TITLE)
"""Strands itself, of which only what it does with a session is known."""
_FILLED: Final = "Tool was interrupted."
Said = tuple[str, list[SentPart]]


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """With a prompt that follows, as when a session goes on."""
    said = [(str(one.role), list(map(SentPart.of, one.blocks))) for one in transcript.messages]
    sent = _filled(_without_orphans(said))
    return request(TITLE, VERSION, sent, (block for message in transcript.messages for block in message.blocks))


def _ids(said: Said, kind: str) -> list[Any]:
    return [_id(part) for part in said[1] if part.block is not None and part.block.kind == kind]


def _id(part: SentPart) -> Any:
    """The id of a call or result; what no set can hold is compared as it is written."""
    id_ = part.block.id if part.block is not None else None
    return str(id_) if isinstance(id_, (dict, list)) else id_


def _without_orphans(said: Sequence[Said]) -> list[Said]:
    """Without results in messages that no message with calls is right before."""
    made: list[Said] = []
    before: Said = ("", [])
    for one in said:
        if one[0] != "user" or not _ids(one, "result") or _ids(before, "call"):
            made.append(one)
        elif left := [part for part in one[1] if part.block is None or part.block.kind != "result"]:
            made.append((one[0], left))
        before = one
    return made


def _filled(said: Sequence[Said]) -> list[Said]:
    """Each message with calls followed by exactly their results, unless the ids are those already."""
    made: list[Said] = []
    todo = list(said)
    for place, one in enumerate(todo):
        made.append(one)
        calls = _ids(one, "call")
        if not calls:
            continue
        following = todo[place + 1] if place + 1 < len(todo) else ("user", [])
        results = {_id(part): part for part in following[1] if part.block and part.block.kind == "result"}
        if results.keys() == set(calls):
            continue
        own = [results.get(id_) or SentPart(no_result(id_, _FILLED)) for id_ in calls]
        others = [part for part in following[1] if part.block is None or part.block.kind != "result"]
        if place + 1 == len(todo) or (others and not results):
            made.append(("user", own))
        else:
            todo[place + 1] = (following[0], own + others)
    return made
