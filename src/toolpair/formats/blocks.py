"""Anthropic content blocks, as several formats write them."""

from __future__ import annotations

from typing import Any

from toolpair.transcript.model import Block, BlockKind, ContentShape

_KINDS: dict[str, BlockKind] = {
    "text": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
    "server_tool_use": "server_call",
    "mcp_tool_use": "mcp_call",
    "mcp_tool_result": "mcp_result",
    "image": "media",
    "document": "media",
}


def block_of(value: Any, record: int, slot: tuple[str | int, ...], link: str | None = None) -> Block:
    """The block that stands at `slot`. A value that is no block at all has kind "other"."""
    if isinstance(value, str):
        return Block("text", value, record, slot)
    if not isinstance(value, dict):
        return Block("other", value, record, slot)
    type_ = value.get("type")
    kind = _KINDS.get(type_, "other") if isinstance(type_, str) else "other"
    if kind == "other" and isinstance(type_, str) and type_.endswith("_tool_result"):
        kind = "server_result"
    id_: Any = None
    name: str | None = None
    if kind in ("call", "server_call", "mcp_call"):
        id_ = value.get("id")
        raw_name = value.get("name")
        name = raw_name if isinstance(raw_name, str) else None
    elif kind in ("result", "server_result", "mcp_result"):
        id_ = value.get("tool_use_id")
        raw_name = value.get("name")
        name = raw_name if isinstance(raw_name, str) else None
    return Block(kind, value, record, slot, id_, name, value.get("is_error") is True, link)


def blocks_of(content: Any, record: int, slot: tuple[str | int, ...]) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of a message's content that stands at `slot` of its record, and the shape it has."""
    if isinstance(content, str):
        return (Block("text", content, record, slot),), "string"
    if isinstance(content, list):
        return tuple(block_of(value, record, (*slot, index)) for index, value in enumerate(content)), "blocks"
    if content is None:
        return (), "null"
    return (Block("other", content, record, slot),), "other"
