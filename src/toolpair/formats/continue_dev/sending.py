"""What Continue would send, as read in its own code and compared with what it sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects import continue_dev as dialect
from toolpair.dialects.item_types import type_name
from toolpair.formats.continue_dev.detection import CONTEXT, ROLES
from toolpair.formats.continue_dev.history import NEWEST, NO_LIST, STOPS, TITLE, UnfoldedHistory, has_context
from toolpair.formats.engine.reading.between import said_around
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.sending import Said, request
from toolpair.formats.format import Item, SentPart, SentRequest
from toolpair.transcript.model import Damaged, Message, Transcript


def sees(items: Sequence[Item], transcript: Transcript) -> SentRequest:
    facts = facts_of(transcript, UnfoldedHistory)
    if facts.marked or any(isinstance(item.value, Damaged) for item in items):  # a new session is begun in its place
        blocks = [block for message in transcript.messages for block in message.blocks]
        return request(TITLE, NEWEST, (), blocks, missed={block.kind for block in blocks})
    before, after = said_around(transcript)
    sent: list[Said] = [*before]
    parts = {(part.item.uid, part.slot): part for part in facts.parts}
    for item in facts.items:
        own = parts[item.uid, (dialect.MESSAGE,)]
        if own.message is not None:
            sent.append((str(own.value.get("role")), _said(own.message, item.value)))
        for number, state in enumerate(dialect.states_of(item.value)):
            result = parts.get((item.uid, (dialect.STATES, number)))
            if result is not None and result.message is not None:
                sent.append(("tool", [*map(SentPart.of, result.message.blocks)]))
            elif isinstance(state, dict):
                sent.append(("tool", [SentPart(dialect.state_as_chat(state))]))
    refuses = None if all(map(_can_be_sent, facts.items)) else STOPS
    if refuses is None and not all(has_context(item.value) for item in facts.items):
        refuses = NO_LIST
    return request(TITLE, NEWEST, [*sent, *after], (), refuses)


def _said(message: Message, item: dict[str, Any]) -> list[SentPart]:
    """What a message says: a user's begins with what was attached to it."""
    context = "".join(map(_attached, _contexts(item)))
    if not context or not isinstance(message.value.get("content"), str):
        return [SentPart(dialect.sent_call(b.value) if b.kind == "call" else b.value, b) for b in message.blocks]
    return [SentPart(context + block.value, block) for block in message.blocks] or [SentPart(context)]


def _contexts(item: dict[str, Any]) -> Sequence[Any]:
    found = item.get(CONTEXT) if item[dialect.MESSAGE].get("role") == "user" else None
    return found if isinstance(found, list) else ()


def _attached(one: Any) -> str:
    given = one if isinstance(one, dict) else {}
    return f'<context name="{given.get("name")}">\n{given.get("content")}\n</context>\n\n'


def _can_be_sent(item: Item) -> bool:
    """Whether Continue starts with this entry of a history."""
    message = dialect.message_of(item.value)
    if message is None or message.get("role") not in ROLES:
        return False
    content, calls = message.get("content"), message.get("toolCalls")
    if message["role"] in ("user", "assistant", "thinking") and not isinstance(content, str):
        kinds = ("text", "imageUrl")
        if not isinstance(content, list) or not all(type_name(part) in kinds for part in content):
            return False
        if any(type_name(part) == "imageUrl" and not isinstance(part.get("imageUrl"), dict) for part in content):
            return False
    if message["role"] == "assistant" and isinstance(calls, list) and any(call is None for call in calls):
        return False
    states = item.value.get(dialect.STATES)
    if states and not isinstance(states, (list, str)):
        return False
    return all(_is_read(state) for state in dialect.states_of(item.value))


def _is_read(state: Any) -> bool:
    output = state.get("output") if isinstance(state, dict) else None
    texts_alone = not isinstance(output, str) or not output
    return state is not None and texts_alone and not (isinstance(output, list) and None in output)
