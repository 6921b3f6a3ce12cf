"""The ids that make pairs in one message, for all APIs, without reading the message into blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_OF_PARTS: Final = {"tool_use": "id", "tool_result": "tool_use_id"}


def pair_ids(message: Any) -> Iterator[str]:
    """The ids of its calls and results, in order."""
    if not isinstance(message, dict):
        return
    content = message.get("content")
    if isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and isinstance(kind := part.get("type"), str) and kind in _OF_PARTS:
                id_ = part.get(_OF_PARTS[kind])
                if isinstance(id_, str):
                    yield id_
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(id_ := call.get("id"), str):
            yield id_
    for key in ("tool_call_id", "call_id"):
        if isinstance(id_ := message.get(key), str):
            yield id_


def is_of_model(message: Any) -> bool:
    """Whether the model said it: an assistant message, or an item that is no output."""
    if not isinstance(message, dict):
        return False
    if "role" in message:
        return bool(message["role"] == "assistant")
    return "output" not in message and isinstance(message.get("type"), str)


def without_pair_ids(message: Any) -> Any:
    """The message with every such id removed: equal for messages that differ only in them."""
    if not isinstance(message, dict):
        return message
    made = {key: value for key, value in message.items() if key not in ("tool_call_id", "call_id")}
    if isinstance(content := message.get("content"), list):
        made["content"] = [_without(part, _key(part)) for part in content]
    if isinstance(calls := message.get("tool_calls"), list):
        made["tool_calls"] = [_without(call, "id") for call in calls]
    return made


def _key(part: Any) -> str | None:
    kind = part.get("type") if isinstance(part, dict) else None
    return _OF_PARTS.get(kind) if isinstance(kind, str) else None


def _without(value: Any, key: str | None) -> Any:
    if key is None or not isinstance(value, dict):
        return value
    return {name: inner for name, inner in value.items() if name != key}
