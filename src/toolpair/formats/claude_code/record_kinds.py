"""The fields of one record of a Claude Code session file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.format import Item
from toolpair.transcript.model import Damaged

SUB_AGENT: Final = "Claude Code sub-agent"
"""A sub-agent's file is never resumed by itself, and nothing in it is ever healed."""
SUB_AGENT_FILES: Final = "agent-"
"""Prefix of the names of sub-agents' files."""
CHAIN_TYPES: Final = frozenset({"user", "assistant", "attachment", "system", "progress"})
"""The types that may be in the parentUuid chain. `progress` only continues the chain: it never ends it."""

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


class ChainNode(Struct, eq=False):
    """A record that may be in the chain. `position` counts the file's records from 0.

    Frequently used fields are read from `value` once.
    """

    position: int
    uid: int
    value: dict[str, Any]
    type: str
    uuid: str | None
    parent: str | None
    sidechain: bool
    content: Any = None
    """message.content of a user or assistant record."""
    message_id: str | None = None
    model: str | None = None
    calls: tuple[str, ...] = ()
    """The ids of its calls that are strings."""
    results: tuple[Any, ...] = ()
    """The ids that its results name, of any type."""
    only_results: bool = False
    api_error: bool = False
    """An error message written by the agent itself."""
    sent: bool = False
    """It becomes (part of) a message of the request."""
    time: float | None = None
    time_known: bool = False
    rank: int = 0
    """Its place in the agent's own list, where lines with the same uuid take the place of the first one."""

    @property
    def has_result(self) -> bool:
        return bool(self.results)

    @property
    def answers(self) -> list[str]:
        """The ids that its results name, if they are strings."""
        return [id_ for id_ in self.results if isinstance(id_, str)]

    @property
    def seconds(self) -> float | None:
        """The timestamp in seconds, None when there is no readable one."""
        if not self.time_known:
            self.time = seconds_of(self.value.get("timestamp"))
            self.time_known = True
        return self.time

    @property
    def written(self) -> str:
        """The timestamp as written: the agent compares these strings."""
        return text_or_none(self.value.get("timestamp")) or ""


def value_of(item: Item) -> Any:
    """The record as the agent reads it: for a damaged line, the record it begins with."""
    value = item.value
    return value.first if isinstance(value, Damaged) and value.first is not None else value


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def without_time(node: ChainNode) -> str:
    """What is wrong with the time of a record whose `seconds` are None: the rest of a sentence about its line."""
    written = node.value.get("timestamp")
    return "has no timestamp" if written is None else "has a timestamp that cannot be read"


def node_of(position: int, uid: int, value: Any) -> ChainNode | None:
    """The record as a chain record, None when it is not one. One without a uuid counts: results need none."""
    # Called for each record of a file: so it reads strings from `value` itself, and creates nothing temporary.
    if not isinstance(value, dict):
        return None
    get = value.get
    type_ = get("type")
    if not isinstance(type_, str) or type_ not in CHAIN_TYPES:
        return None
    uuid, parent = get("uuid"), get("parentUuid")
    node = ChainNode(
        position,
        uid,
        value,
        type_,
        uuid if isinstance(uuid, str) and uuid else None,
        parent if isinstance(parent, str) and parent else None,
        get("isSidechain") is True,
    )
    if type_ == "user" or type_ == "assistant":
        message = get("message")
        if isinstance(message, dict):
            _read_message(node, message)
    return node


def _read_message(node: ChainNode, message: dict[str, Any]) -> None:
    get = message.get
    content = node.content = get("content")
    node.message_id = text_or_none(get("id"))
    model = get("model")
    if isinstance(model, str) and model:
        node.model = model
    if isinstance(content, list):
        objects = 0
        calls: list[str] = []
        results: list[Any] = []
        for part in content:
            if not isinstance(part, dict):
                continue
            objects += 1
            kind = part.get("type")
            if kind == "tool_use":
                if isinstance(id_ := part.get("id"), str):
                    calls.append(id_)
            elif kind == "tool_result":
                results.append(part.get("tool_use_id"))
        if calls:
            node.calls = tuple(calls)
        if results:
            node.results = tuple(results)
            node.only_results = len(results) == len(content)
        speaks = objects > 0 or node.type == "assistant"
    else:
        speaks = isinstance(content, str)
    node.api_error = model == SYNTHETIC_MODEL and is_api_error(node.value)
    node.sent = speaks and not (node.api_error and node.type == "assistant")


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


def is_api_error(value: dict[str, Any]) -> bool:
    """An error message written by the agent itself. It is never sent, unlike "No response requested."."""
    return value.get("isApiErrorMessage") is True and model_of(value) == SYNTHETIC_MODEL


def same_record(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """The same record again, whatever a copy of the session adds around it."""
    return one.get("type") == other.get("type") and content_of(one) == content_of(other)


def is_compact_boundary(node: ChainNode) -> bool:
    return node.type == "system" and node.value.get("subtype") == "compact_boundary"


_LINK: Final = {"uuid", "parentUuid"}


def sniff(values: Sequence[Any]) -> int:
    """How likely these records are Claude Code's, 0 to 100. The first line shows little: it may be bookkeeping."""
    messages = keeping = of_others = 0
    for value in values:
        if not isinstance(value, dict):
            continue
        type_ = value.get("type")
        linked = any(key in value for key in ("uuid", "parentUuid", "sessionId", "isSidechain"))
        message = value.get("message")
        if isinstance(message, dict) and "parts" in message:
            of_others += 2
        elif "session_id" in value and "sessionId" not in value and "parentUuid" not in value:
            of_others += 2  # what it prints with --output-format stream-json has no links
        elif type_ in ("user", "assistant") and isinstance(message, dict) and linked:
            messages += 2 if "uuid" in value and "parentUuid" in value else 1
        else:
            keeping += is_own(value)
    if of_others and of_others >= messages:
        return 0
    if messages:
        return 95 if messages > 1 else 80
    return 40 if keeping else 0


def is_own(value: dict[str, Any]) -> bool:
    """Whether Claude Code writes such records, messages or others."""
    type_, message = value.get("type"), value.get("message")
    if isinstance(message, dict) and "parts" in message:
        return False  # Qwen Code's
    if not isinstance(type_, str) or not (
        type_ in BOOKKEEPING_TYPES or (type_ in CHAIN_TYPES and value.keys() >= _LINK)
    ):
        return False
    return "sessionId" in value or "uuid" in value or "leafUuid" in value or "messageId" in value


_NEVER_SENT: Final = frozenset({"prompt_snapshot"})
_ALWAYS_SENT: Final = frozenset({"total_tokens_reminder", "date", "hook_additional_context"})


def speaks(node: ChainNode) -> bool:
    """Whether the record is an attachment that produces text, sent in the user message it belongs to.

    Newer records contain that text; otherwise only kinds count that always produce some.
    """
    if node.type != "attachment":
        return False
    attachment = node.value.get("attachment")
    kind = attachment.get("type") if isinstance(attachment, dict) else None
    if not isinstance(kind, str) or kind in _NEVER_SENT:
        return False
    return bool(node.value.get("rendered")) or kind in _ALWAYS_SENT
