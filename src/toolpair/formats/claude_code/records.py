"""What stands in one record of a Claude Code session file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

CHAIN_TYPES: Final = frozenset({"user", "assistant", "attachment", "system", "progress"})
"""The types that may stand in the parentUuid chain. `progress` only carries the chain on: it is never its end."""

BOOKKEEPING_TYPES: Final = frozenset(
    {
        "summary",
        "custom-title",
        "ai-title",
        "last-prompt",
        "mode",
        "permission-mode",
        "queue-operation",
        "file-history-snapshot",
        "api-request-blob",
        "api-request",
        "content-replacement",
    }
)

SYNTHETIC_MODEL: Final = "<synthetic>"


@dataclass(slots=True, eq=False)
class Node:
    """One record that may stand in the chain. `position` counts the file's records from 0."""

    position: int
    uid: int
    value: dict[str, Any]
    type: str
    uuid: str | None
    time: float | None = None
    time_known: bool = False

    @property
    def sidechain(self) -> bool:
        return self.value.get("isSidechain") is True

    @property
    def parent(self) -> str | None:
        return text_or_none(self.value.get("parentUuid"))

    @property
    def seconds(self) -> float | None:
        """The timestamp in seconds, None when there is none that can be read."""
        if not self.time_known:
            self.time = seconds_of(self.value.get("timestamp"))
            self.time_known = True
        return self.time


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def seconds_of(timestamp: Any) -> float | None:
    if not isinstance(timestamp, str):
        return None
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def node_of(position: int, uid: int, value: Any) -> Node | None:
    """The record as a chain record, None when it is none. One without uuid is one too: results need none."""
    if not isinstance(value, dict):
        return None
    type_ = value.get("type")
    if not isinstance(type_, str) or type_ not in CHAIN_TYPES:
        return None
    return Node(position, uid, value, type_, text_or_none(value.get("uuid")))


def content_of(value: dict[str, Any]) -> Any:
    """message.content, None when there is no message."""
    message = value.get("message")
    return message.get("content") if isinstance(message, dict) else None


def message_id(value: dict[str, Any]) -> str | None:
    message = value.get("message")
    return text_or_none(message.get("id")) if isinstance(message, dict) else None


def model_of(value: dict[str, Any]) -> str | None:
    message = value.get("message")
    return text_or_none(message.get("model")) if isinstance(message, dict) else None


def parts_of_type(value: dict[str, Any], type_: str) -> list[dict[str, Any]]:
    content = content_of(value)
    if not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict) and part.get("type") == type_]


def result_ids(value: dict[str, Any]) -> list[Any]:
    return [part.get("tool_use_id") for part in parts_of_type(value, "tool_result")]


def call_ids(value: dict[str, Any]) -> list[Any]:
    return [part.get("id") for part in parts_of_type(value, "tool_use")]


def has_result(value: dict[str, Any]) -> bool:
    content = content_of(value)
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    )


def only_results(value: dict[str, Any]) -> bool:
    content = content_of(value)
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and part.get("type") == "tool_result" for part in content)
    )


def is_api_error(value: dict[str, Any]) -> bool:
    """An error message that the agent wrote itself. It is never sent, unlike "No response requested."."""
    if value.get("isApiErrorMessage") is True:
        return True
    if model_of(value) != SYNTHETIC_MODEL:
        return False
    texts = [part.get("text") for part in parts_of_type(value, "text")]
    return any(isinstance(text, str) and text.startswith("API Error") for text in texts)


def is_sent(node: Node) -> bool:
    """Whether the record becomes (a part of) a message of the request."""
    if node.type == "assistant":
        return not is_api_error(node.value) and isinstance(content_of(node.value), (str, list))
    if node.type != "user":
        return False
    content = content_of(node.value)
    if isinstance(content, str):
        return True
    return isinstance(content, list) and any(isinstance(part, dict) for part in content)


def is_compact_boundary(node: Node) -> bool:
    return node.type == "system" and node.value.get("subtype") == "compact_boundary"


def sniff(values: Sequence[Any]) -> int:
    """How surely these records are Claude Code's, 0 to 100. The first line says little: bookkeeping may stand there."""
    messages = keeping = 0
    for value in values:
        if not isinstance(value, dict):
            continue
        type_ = value.get("type")
        linked = any(key in value for key in ("uuid", "parentUuid", "sessionId", "isSidechain"))
        message = value.get("message")
        if isinstance(message, dict) and "parts" in message:
            return 0
        if type_ in ("user", "assistant") and isinstance(message, dict) and linked and "parts" not in message:
            messages += 2 if "uuid" in value and "parentUuid" in value else 1
        elif isinstance(type_, str) and (type_ in BOOKKEEPING_TYPES or (type_ in CHAIN_TYPES and "uuid" in value)):
            keeping += "sessionId" in value or "uuid" in value or "leafUuid" in value or "messageId" in value
    if messages:
        return 95 if messages > 1 else 80
    return 40 if keeping else 0
