"""What OpenHands sends of a conversation: measured on openhands-sdk 1.58.2, and on 1.21.0, which is that of its command
line 1.16.0 (`View.from_events`, `Agent.step`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from toolpair.formats.engine.reading.reading import blocks_by_key
from toolpair.formats.engine.reading.tree_history import Node
from toolpair.formats.engine.sending import request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.openhands.detection import DATA, EVENT, event_in
from toolpair.formats.openhands.format import (
    ACTION,
    NOT_LOADED,
    OBSERVED,
    STOPS_THERE,
    TITLE,
    call_id,
    form,
    kind_of,
    log_of,
    response_of,
    second_thoughts,
    unmatched,
)
from toolpair.transcript.model import Transcript

VERSION: Final = "1.58.2"
BEFORE: Final = "1.21.0"
KEEPS_ITS_VIEW: Final = (1, 25)
"""From which version on what is left out stays so when a call runs again."""
_KNOWS_LINKS: Final = (1, 31)
_NEW_OUTPUT: Final = "(what the tool says when it runs again)"


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    """With a prompt that follows; what a call says that runs again stands behind it."""
    log, version = log_of(transcript), transcript.agent_version
    named = BEFORE if is_before(version, KEEPS_ITS_VIEW) else VERSION
    blocks = [block for message in transcript.messages for block in message.blocks]
    unknown = is_before(version, _KNOWS_LINKS) and any("parent_id" in event_in(node.value) for node in log.path)
    if unknown or not log.is_loaded:
        return request(TITLE, named, (), blocks, f"{NOT_LOADED}.")
    again = unmatched(log.path)
    new = list(map(_new_output, again)) if named == BEFORE else []
    kept = enforced([*log.view, *new], [*log.path, *new])
    again = [node for node, output in zip(again, new, strict=True) if output in kept] if new else again
    kept = [node for node in kept if node not in new]
    by_uid, by_key = {item.uid: item for item in items}, blocks_by_key(transcript)
    said = [
        (str(message.role), [SentPart.of(by_key.get(block.key, block)) for block in message.blocks])
        for message in form().read([by_uid[node.uid] for node in kept]).messages
    ]
    told = [SentPart({"type": "tool_result", "tool_use_id": call_id(node), "content": _NEW_OUTPUT}) for node in again]
    if told:
        said.append(("user", told))
    return request(TITLE, named, said, blocks, f"{STOPS_THERE}." if any(second_thoughts(kept)) else None)


def is_before(version: str | None, other: tuple[int, int]) -> bool:
    found = re.match(r"(\d+)\.(\d+)", version or VERSION)
    return found is not None and (int(found[1]), int(found[2])) < other


def _new_output(call: Node) -> Node:
    """The event of what a call says when it runs again. Its uid is no record's."""
    event = {"kind": OBSERVED[0], "tool_call_id": call_id(call), "action_id": call.id}
    return Node(-1 - call.uid, call.place, None, None, {EVENT: {DATA: event}})


def runs_again(transcript: Transcript) -> set[int]:
    """uids of the calls that are run when the conversation goes on."""
    log = log_of(transcript)
    return {node.uid for node in unmatched(log.path)} if log.is_loaded else set()


# --- what is left out ----------------------------------------------------------------------------------------


def enforced(view: Sequence[Node], path: Sequence[Node]) -> list[Node]:
    """What is left of a view: whatever breaks a rule of OpenHands' is taken out until nothing does."""
    left = list(view)
    while gone := next((found for rule in _RULES if (found := set(rule(left, path)))), None):
        left = [node for node in left if node.uid not in gone]
    return left


def _second_outputs(left: Sequence[Node], path: Sequence[Node]) -> Iterator[int]:
    seen: set[Any] = set()
    for node in left:
        if kind_of(node) in OBSERVED:
            if call_id(node) in seen:
                yield node.uid
            seen.add(call_id(node))


def _parts_of_responses(left: Sequence[Node], path: Sequence[Node]) -> Iterator[int]:
    """Calls of a response of which another call is gone."""
    there = {node.uid for node in left}
    torn = {response_of(node) for node in path if node.uid not in there} - {None}
    yield from (node.uid for node in left if response_of(node) in torn)


def _halves_of_pairs(left: Sequence[Node], path: Sequence[Node]) -> Iterator[int]:
    calls = {call_id(node) for node in left if kind_of(node) == ACTION}
    outputs = {call_id(node) for node in left if kind_of(node) in OBSERVED}
    for node in left:
        kind = kind_of(node)
        if (kind == ACTION and call_id(node) not in outputs) or (kind in OBSERVED and call_id(node) not in calls):
            yield node.uid


def _parts_of_loops(left: Sequence[Node], path: Sequence[Node]) -> Iterator[int]:
    """A call with signed thinking and what follows it, up to the next words: all of it, or nothing."""
    there = {node.uid for node in left}
    for loop in _loops(path):
        if not loop <= there:
            yield from loop & there


def _loops(path: Sequence[Node]) -> Iterator[set[int]]:
    loop: set[int] = set()
    for node in path:
        kind = kind_of(node)
        if kind == ACTION and event_in(node.value).get("thinking_blocks"):
            yield loop
            loop = {node.uid}
        elif kind == ACTION or kind in OBSERVED:
            loop |= {node.uid} if loop else set()
        else:
            yield loop
            loop = set()
    yield loop


_RULES: Final[Sequence[Callable[[Sequence[Node], Sequence[Node]], Iterator[int]]]] = (
    _second_outputs,
    _parts_of_responses,
    _halves_of_pairs,
    _parts_of_loops,
)
