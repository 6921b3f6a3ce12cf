"""What LangGraph's checkpoints hold, read by their structure: nothing in them makes an object of any class."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import orjson

_PYDANTIC: Final = (4, 5)
"""The codes of objects that are written as (module, class, fields, …); those below are (module, name, argument, …)."""
_DIFFERENCES: Final = 7
_DEEPEST: Final = 100
"""Objects within objects."""
_NAMES: Final = frozenset(
    {"human", "ai", "tool", "system", "function", "AIMessageChunk", "HumanMessageChunk", "ToolMessageChunk", "chat"}
)
"""The types of messages."""


class Differences:
    """In place of a value that was kept as what differs from an earlier one."""


def loaded(kind: str, stored: bytes) -> Any:
    """What was stored, of plain values alone. Raises ValueError."""
    if kind in ("null", "bytes", "bytearray"):
        return None
    if kind not in ("json", "msgpack") or not isinstance(stored, bytes):
        raise ValueError("it is written in another way")
    try:
        return orjson.loads(stored) if kind == "json" else _decoded(stored, 0)
    except (msgspec.MsgspecError, RecursionError, MemoryError, OverflowError, TypeError) as error:
        raise ValueError(str(error) or type(error).__name__) from None


def _decoded(stored: bytes | memoryview, depth: int) -> Any:
    def of_object(code: int, data: memoryview) -> Any:
        if depth > _DEEPEST:
            raise ValueError("objects within objects without end")
        if code == _DIFFERENCES:
            return Differences()
        try:
            parts = _decoded(data, depth + 1)
        except msgspec.DecodeError:
            return None
        return parts[2] if isinstance(parts, list) and len(parts) > 2 and code <= max(_PYDANTIC) else None

    return msgspec.msgpack.decode(stored, ext_hook=of_object)


def messages_in(value: Any) -> list[Any] | None:
    """The messages that a value is a list of, or is one; None for any other value."""
    found = value if isinstance(value, list) else [value]
    return found if found and all(map(_is_message, found)) else None


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return ("content" in value and value.get("type") in _NAMES) or (value.get("lc") in (1, 2) and "kwargs" in value)


def key_of(message: dict[str, Any]) -> object:
    """What a message has in common with one that replaces it; with none if it has no id."""
    fields = message.get("kwargs")
    id_ = (fields if isinstance(fields, dict) else message).get("id")
    return id_ if isinstance(id_, str) else object()


def texts_in(message: dict[str, Any]) -> Iterator[str]:
    """What a user's message says; nothing of any other."""
    fields = message.get("kwargs")
    message = fields if isinstance(fields, dict) else message
    content = message.get("content")
    if message.get("type") == "human":
        for part in content if isinstance(content, list) else [content]:
            text = part.get("text") if isinstance(part, dict) else part
            if isinstance(text, str):
                yield text


def as_json(message: Any) -> bytes:
    """The message as JSON. Raises ValueError."""
    try:
        return orjson.dumps(message, default=_plain, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _plain(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, (bytes, bytearray)) else str(value)
