"""The second stage of a resume: records become messages, and each call gets a result after it or is left out."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

from toolpair.dialects.block_values import holds_lone_surrogate
from toolpair.formats.claude_code.sending.parts import (
    MISSING,
    NO_CONTENT,
    ORPHANED,
    USE_INTERRUPTED,
    Draft,
    RequestPart,
    error_result,
    is_blank,
    key_of,
    text_part,
)

_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")


def merged(drafts: Sequence[Draft]) -> list[Draft]:
    """Consecutive user records as one message, and one assistant message per response."""
    messages: list[list[Draft]] = []
    # Responses since the last user text, by message id: further parts are searched for only among these.
    open_responses: dict[str, list[Draft]] = {}
    answering = False
    for draft in drafts:
        last = messages[-1] if messages else None
        if draft.role == "user":
            if last is not None and last[0].role == "user":
                last.append(draft)
            else:
                messages.append([draft])
                answering = False
            answering = answering or draft.answers
            if not answering:
                open_responses = {}
            continue
        response = open_responses.get(draft.message_id) if draft.message_id is not None else None
        if response is not None:
            response.append(draft)
        else:
            messages.append([draft])
            if draft.message_id is not None:
                open_responses[draft.message_id] = messages[-1]
    return [_joined(found) for found in messages]


def _joined(records: Sequence[Draft]) -> Draft:
    first = records[0]
    if len(records) == 1 and not first.noted:
        return first
    parts = [part for draft in records for part in draft.parts]
    if first.role == "user" and [part.type for part in parts].count("tool_result") < len(parts):
        parts.sort(key=lambda part: part.type != "tool_result")
    whole = first.whole and len(records) == 1
    return Draft(
        first.role, parts, first.message_id, first.model, whole, first.made_up, noted_before=first.noted_before
    )


def calls_last(message: Draft) -> None:
    """Move what follows a call before it."""
    if message.role == "assistant" and len(message.parts) > 1:
        message.parts.sort(key=lambda part: part.type == "tool_use")


def renamed(message: Draft) -> None:
    """Send calls of renamed tools under the new name."""
    for part in message.parts:
        if part.type == "tool_use" and part.value.get("name") == "Task":
            part.value = {**part.value, "name": "Agent"}


def paired(messages: Sequence[Draft]) -> list[Draft]:
    """Give each call one result in the very next message. A call whose id was used before is left out."""
    sent: list[Draft] = []
    used: set[Any] = set()
    at = 0
    while at < len(messages):
        message = messages[at]
        at += 1
        if message.role != "assistant":
            _orphans_out(message, sent)
            continue
        calls = _calls_once(message, used)
        sent.append(message)
        follower = messages[at] if at < len(messages) and messages[at].role == "user" else None
        results = _first_of_each(follower, calls) if follower is not None else {}
        added = [error_result(calls[key], MISSING) for key in calls if key not in results]
        if follower is None:
            if added:
                sent.append(Draft("user", added, made_up=True))
            continue
        at += 1
        _answer(follower, results, added)
        sent.append(follower)
    return sent


def _orphans_out(message: Draft, sent: list[Draft]) -> None:
    """Add the message to `sent`, without its results if it does not follow an assistant message."""
    if message.answers:
        message.parts = [part for part in message.parts if part.type != "tool_result"]
        if not message.parts and not sent and not message.noted_before:
            message.parts = [text_part(ORPHANED)]
        if not message.parts:
            return
    sent.append(message)


def _calls_once(message: Draft, used: set[Any]) -> dict[Any, Any]:
    """Remove results, calls whose id was used before, and server calls without results. Returns (id as a key) -> id."""
    answered: set[Any] | None = None
    calls: dict[Any, Any] = {}
    kept: list[RequestPart] = []
    for part in message.parts:
        if part.type == "tool_result":
            continue
        if part.type == "tool_use":
            key = key_of(part.call_id)
            if key in used:
                continue
            used.add(key)
            calls[key] = part.call_id
        elif part.type in _SERVER_CALLS:
            if answered is None:
                answered = {key_of(part.result_id) for part in message.parts if _has(part, "tool_use_id")}
            if key_of(part.call_id) not in answered:
                continue
        kept.append(part)
    if not kept and message.parts:
        kept = [text_part(USE_INTERRUPTED)]
    message.parts = kept
    return calls


def _has(part: RequestPart, key: str) -> bool:
    return isinstance(part.value, dict) and key in part.value


def _first_of_each(follower: Draft, wanted: Container[Any]) -> dict[Any, RequestPart]:
    found: dict[Any, RequestPart] = {}
    for part in follower.parts:
        if part.type == "tool_result" and (key := key_of(part.result_id)) in wanted:
            found.setdefault(key, part)
    return found


def _answer(follower: Draft, results: dict[Any, RequestPart], added: list[RequestPart]) -> None:
    """Build the message after the calls: made-up results first, then its own content without results of other calls."""
    wanted = {id(part) for part in results.values()}
    kept = [part for part in follower.parts if part.type != "tool_result" or id(part) in wanted]
    if len(kept) == len(follower.parts) and not added:
        return
    follower.whole = follower.whole and not added
    follower.parts = [*added, *kept] or [text_part(NO_CONTENT)]


def without_empty(messages: Sequence[Draft]) -> list[Draft]:
    """Remove blank texts of the user, but not of a response; an empty message gets a text that marks it as empty."""
    for message in messages:
        if message.whole:
            continue
        if message.role == "user":
            message.parts = [part for part in message.parts if part.type != "text" or not is_blank(part)]
        if not message.parts:
            message.parts = [text_part(NO_CONTENT)]
    return list(messages)


def as_sent(part: RequestPart) -> Any:
    """The value in the request: other kinds of content as JSON text, no image in an error, no half surrogates."""
    value = whole_characters(part.value)
    if isinstance(value, str):
        return {"type": "text", "text": value}
    if part.type != "tool_result" or "content" not in value:
        return value
    content = value["content"]
    if content is not None and not isinstance(content, (str, list)):
        return {**value, "content": json.dumps(content, ensure_ascii=False, separators=(",", ":"))}
    if value.get("is_error") is True and isinstance(content, list):
        kept = [piece for piece in content if not isinstance(piece, dict) or piece.get("type") == "text"]
        if len(kept) != len(content):
            return {**value, "content": kept}
    return value


def whole_characters(value: Any) -> Any:
    """The JSON value with U+FFFD for each half of a surrogate pair; the same object if there is none."""
    return _replaced(value) if holds_lone_surrogate(value) else value


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_replaced(key): _replaced(item) for key, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list) else value
