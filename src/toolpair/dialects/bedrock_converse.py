"""Bedrock's Converse API: its messages with Anthropic's blocks, and the part of a result that only this API has."""

from __future__ import annotations

import json
from typing import Any, Final

from toolpair.dialects.block_values import text_part

PARTS: Final = frozenset(
    {"text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "cachePoint"}
)
"""Keys of a part, which has one of them and no type."""


def holds_json(part: Any) -> bool:
    """Whether it is a `json` part, which only this API has."""
    return isinstance(part, dict) and "json" in part


def is_json_object(part: dict[str, Any]) -> bool:
    """Whether a `json` part holds an object, as the API requires."""
    return isinstance(part["json"], dict)


def json_as_text(part: dict[str, Any]) -> dict[str, Any]:
    return text_part(json.dumps(part["json"], ensure_ascii=False))


def is_part(part: Any) -> bool:
    """Whether it is a part as this API spells it."""
    return isinstance(part, dict) and "type" not in part and not PARTS.isdisjoint(part)


def as_anthropic(message: Any) -> Any:
    """The message with Anthropic's blocks; what is no message of this API stays as it is."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return message
    return {**message, "content": [block for part in content for block in _blocks(part)]}


def _blocks(part: Any) -> list[Any]:
    if not is_part(part):
        return [part]
    if isinstance(call := part.get("toolUse"), dict):
        kind = "server_tool_use" if _is_of_server(call) else "tool_use"
        return [_named(call, {"type": kind}, {"toolUseId": "id", "name": "name", "input": "input"})]
    if isinstance(result := part.get("toolResult"), dict):
        kind = "server_tool_result" if _is_of_server(result) else "tool_result"
        made = _named(result, {"type": kind}, {"toolUseId": "tool_use_id"})
        content = result.get("content")
        made["content"] = [_result_part(inner) for inner in content] if isinstance(content, list) else content
        return [made | ({"is_error": True} if result.get("status") == "error" else {})]
    if isinstance(reasoning := part.get("reasoningContent"), dict):
        said = reasoning.get("reasoningText")
        if isinstance(said, dict):
            return [{"type": "thinking", "thinking": said.get("text"), "signature": said.get("signature")}]
        return [{"type": "redacted_thinking", "data": reasoning.get("redactedContent")}]
    if "text" in part:
        return [{"type": "text", "text": part["text"]}]
    return [_media(kind, part[kind]) for kind in ("image", "document") if kind in part]


def _is_of_server(value: dict[str, Any]) -> bool:
    """Whether the tool runs at the provider, so that the model's own message holds its result."""
    return isinstance(value.get("type"), str)


def _result_part(part: Any) -> Any:
    if not isinstance(part, dict) or "type" in part or "json" in part:
        return part
    return _media("image", part["image"]) if "image" in part else {"type": "text", **part}


def _media(kind: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "source": value.get("source") if isinstance(value, dict) else value}


def _named(value: dict[str, Any], made: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The fields under other names; one that is absent stays absent."""
    return made | {name: value[key] for key, name in names.items() if key in value}
