"""OpenAI's Responses API: an item each for a message, a call, an output, reasoning, which name their kind by a type."""

from __future__ import annotations

from typing import Any, Final

from toolpair.transcript.item_types import CALL_FAMILY, OUTPUT_FAMILY
from toolpair.transcript.model import Block, BlockKind

Slot = tuple[str | int, ...]

ITEMS: Final = frozenset(
    {
        *CALL_FAMILY,
        *OUTPUT_FAMILY,
        "apply_patch_call",
        "apply_patch_call_output",
        "code_interpreter_call",
        "compaction",
        "computer_call",
        "computer_call_output",
        "file_search_call",
        "image_generation_call",
        "item_reference",
        "local_shell_call_output",
        "mcp_approval_request",
        "mcp_approval_response",
        "mcp_call",
        "mcp_list_tools",
        "reasoning",
        "shell_call",
        "shell_call_output",
        "web_search_call",
    }
)
"""Types of items of the Responses API that no message of another API has."""
_NAMELESS: Final = {"local_shell_call": "local_shell", "tool_search_call": "tool_search"}
"""Calls of tools that the API names by the type of the item alone."""
OF_ASSISTANT: Final = frozenset(
    {
        "reasoning",
        "web_search_call",
        "image_generation_call",
        "compaction",
        "context_compaction",
        "compaction_summary",
    }
)
"""Further items that the model made."""


def type_of(item: Any) -> str | None:
    """The item's type, None when it is no item. Early files leave it out of messages."""
    if not isinstance(item, dict):
        return None
    type_ = item.get("type")
    if isinstance(type_, str):
        return type_
    return "message" if type_ is None and isinstance(item.get("role"), str) and "content" in item else None


def is_of_assistant(item: Any) -> bool:
    """Whether the model made the item."""
    type_ = type_of(item)
    if is_mislabelled(item):
        return False
    return type_ in CALL_FAMILY or type_ in OF_ASSISTANT or (type_ == "message" and item.get("role") == "assistant")


def block_of(item: Any, record: int, slot: Slot) -> Block:
    """The block of an item; each item is one block."""
    type_ = type_of(item)
    if is_mislabelled(item):
        return Block("result", item, record, slot, item["call_id"], family=CALL_FAMILY.get(type_ or "", "function"))
    if type_ in CALL_FAMILY and not _on_the_server(item):
        id_ = item.get("call_id")
        if id_ is None and type_ == "local_shell_call":
            id_ = item.get("id")
        name = item.get("name") if type_ not in _NAMELESS else _NAMELESS[type_]
        return Block(
            "call", item, record, slot, id_, name if isinstance(name, str) else None, family=CALL_FAMILY[type_]
        )
    if type_ in OUTPUT_FAMILY and not _on_the_server(item):
        name = item.get("name")
        return Block(
            "result",
            item,
            record,
            slot,
            item.get("call_id"),
            name if isinstance(name, str) else None,
            family=OUTPUT_FAMILY[type_],
        )
    kind: BlockKind = "text" if type_ == "message" else "thinking" if type_ == "reasoning" else "other"
    return Block(kind, item, record, slot)


def is_mislabelled(item: Any) -> bool:
    """Whether the item has what only an output has, and says that it is something else."""
    if not isinstance(item, dict) or not isinstance(item.get("call_id"), str) or "output" not in item:
        return False
    type_ = item.get("type")
    if isinstance(type_, str) and (type_ in OUTPUT_FAMILY or (type_ in ITEMS and type_ not in CALL_FAMILY)):
        return False
    return not any(key in item for key in _OF_CALLS)


_OF_CALLS: Final = ("name", "arguments", "input", "action")


def _on_the_server(item: dict[str, Any]) -> bool:
    """A tool search that the provider ran itself needs no partner; neither does one without an id."""
    if item.get("type") not in ("tool_search_call", "tool_search_output"):
        return False
    return item.get("execution") == "server" or item.get("call_id") is None


def is_call(item: Any) -> bool:
    """Whether the item asks for an output."""
    return type_of(item) in CALL_FAMILY and not is_mislabelled(item)


def is_output(item: Any) -> bool:
    """Whether the item answers a call, and so is a message of its own."""
    return type_of(item) in OUTPUT_FAMILY or is_mislabelled(item)


def texts_of(item: dict[str, Any]) -> list[str]:
    """The texts of a message's content."""
    content = item.get("content")
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
