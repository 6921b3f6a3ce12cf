"""What ADK sends of a session: measured on google-adk 2.13.0 (`_get_contents`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.agent import Library
from toolpair.formats.engine.sending import request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.formats.google_adk.detection import DATA, event_in
from toolpair.transcript.model import Block, Message, Transcript

TITLE: Final = "Google ADK"
VERSION: Final = "2.13.0"
LIBRARY: Final = Library("google-adk", TITLE)
"""ADK itself, of which only what it does with a session is known."""
_SHAPING: Final = (
    "branch", "isolation_scope", "isolationScope", "input_transcription", "inputTranscription", "output_transcription",
    "outputTranscription",
)  # fmt: skip
_ACTIONS: Final = (
    "compaction", "rewind_before_invocation_id", "rewindBeforeInvocationId", "requested_tool_confirmations",
    "requestedToolConfirmations", "requested_auth_configs", "requestedAuthConfigs",
)  # fmt: skip
"""Fields of an event, and of its actions, by which it shapes what is sent of others: what is made of these is not known
here.
"""
_OWN_CALLS: Final = "adk_"
"""What the names of ADK's own calls begin with, such as `adk_request_credential`."""


class _Event(Struct, eq=False):
    """An event with what is left of it."""

    role: str
    blocks: list[Block]
    author: Any
    invocation: Any

    def of(self, kind: str) -> list[Block]:
        return [block for block in self.blocks if block.kind == kind]


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest | None:
    """None where the history is cut, compacted or divided among agents: then it depends on the program."""
    values: dict[int, Any] = {item.uid: event_in(item.value).get(DATA) for item in items if event_in(item.value)}
    if not all(map(is_plain, values.values())):
        return None
    events = [_event(message, values[message.records[0]]) for message in transcript.messages if message.records]
    authors = [event.author for event in events if event.role == "model"]
    named = [block.id for event in events for block in event.blocks]
    if any(isinstance(one, (dict, list)) for one in (*authors, *named)) or len({*authors}) > 1:
        return None
    kept = list(_answering([event for event in events if _is_seen(event)]))
    sent = list(_answered(_arranged(kept), {id_ for value in values.values() for id_ in _waiting(value)}))
    said = ((event.role, list(map(SentPart.of, event.blocks))) for event in sent)
    return request(TITLE, VERSION, said, (block for message in transcript.messages for block in message.blocks))


def is_plain(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    actions = value.get("actions")
    return not any(map(value.get, _SHAPING)) and not (isinstance(actions, dict) and any(map(actions.get, _ACTIONS)))


def _event(message: Message, value: dict[str, Any]) -> _Event:
    content = value.get("content")
    role = content.get("role") if isinstance(content, dict) else None
    invocation = value.get("invocation_id", value.get("invocationId"))
    return _Event(role if isinstance(role, str) else "", list(message.blocks), value.get("author"), invocation)


def _is_seen(event: _Event) -> bool:
    """Whether it holds more than thoughts and empty texts, and is none of ADK's own."""
    own = any((block.name or "").startswith(_OWN_CALLS) for block in event.blocks)
    return bool(event.role) and not own and any(map(_says, event.blocks))


def _says(block: Block) -> bool:
    if block.kind == "text":
        return bool(block.value.get("text"))
    return block.kind != "thinking"


def _answering(events: Sequence[_Event]) -> Iterator[_Event]:
    """Without responses whose call does not come before them."""
    called: set[Any] = set()
    for event in events:
        had = bool(event.of("result"))
        event.blocks = [b for b in event.blocks if b.kind != "result" or (b.id if b.id else b.name) in called]
        if event.blocks or not had:
            yield event
        called |= {block.id or block.name for block in event.of("call")}


def _arranged(events: Sequence[_Event]) -> list[_Event]:
    """Each call followed by the event with its last response, and no response elsewhere."""
    calls: dict[Any, int] = {}
    of_call: dict[tuple[Any, int], list[int]] = {}
    for number, event in enumerate(events):
        for block in event.of("result"):
            if block.id in calls:
                of_call.setdefault((block.id, calls[block.id]), []).append(number)
        if not event.of("result"):
            calls |= {block.id: number for block in event.of("call")}
    stale = {number for found in of_call.values() for number in _between(events, found)}
    made: list[_Event] = []
    for number, event in enumerate(events):
        if number in stale or event.of("result"):
            continue
        made.append(event)
        last = {found[-1] for block in event.of("call") if (found := of_call.get((block.id, number)))}
        made += [_merged([events[one] for one in sorted(last)])] if last else []
    return made


def _between(events: Sequence[_Event], found: Sequence[int]) -> Iterator[int]:
    """What the model said between two responses to one call, as long as that ran."""
    for first, second in pairwise(found):
        one, other, run = events[first], events[second], range(first + 1, second)
        same = (one.author, one.invocation) == (other.author, other.invocation)
        if same and all(_is_reply(events[number], one) for number in run):
            yield from run


def _is_reply(event: _Event, beside: _Event) -> bool:
    said = any(block.kind in ("text", "thinking") for block in event.blocks)
    return event.role == "model" and said and event.invocation == beside.invocation and not event.of("call")


def _merged(events: Sequence[_Event]) -> _Event:
    """Several events with responses as one: of two to one call, the later in the place of the earlier."""
    first, *others = events
    blocks = list(first.blocks)
    for block in (block for event in others for block in event.blocks):
        at = next(
            (n for n, one in enumerate(blocks) if one.kind == block.kind == "result" and one.id == block.id), None
        )
        if at is None:
            blocks.append(block)
        else:
            blocks[at] = block
    return _Event(first.role, blocks, first.author, first.invocation)


def _waiting(value: dict[str, Any]) -> Sequence[Any]:
    """The ids of calls whose response may come much later."""
    found = value.get("long_running_tool_ids", value.get("longRunningToolIds"))
    return found if isinstance(found, list) else ()


def _answered(events: Sequence[_Event], waiting: set[Any]) -> Iterator[_Event]:
    """Without calls that no response names; one without an id stays."""
    answered = {block.id for event in events for block in event.of("result")} | waiting
    for event in events:
        had = bool(event.of("call"))
        event.blocks = [b for b in event.blocks if b.kind != "call" or not b.id or b.id in answered]
        if event.blocks or not had:
            yield event
