"""goose's messages: a list of blocks of types of its own; results are blocks of a user's message.

They are read as the blocks of Anthropic's Messages API, which all rules know, and written back from these.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final

from toolpair.dialects import anthropic
from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.transcript.model import Block, Slot

CALL: Final = "toolRequest"
RESULT: Final = "toolResponse"
_OF_RESULT: Final = ("type", "toolResult", "status", "value", "error", "content", "isError", "_meta", "metadata")
"""Fields of a result that say what goose knows of it."""
NO_CALL: Final = "unparseable_tool_call"
"""The name under which goose sends a call that it could not parse."""


def blocks_of(content: Any, record: int, slot: Slot) -> tuple[Block, ...]:
    """The blocks of a message's content that stands at `slot`."""
    parts = content if isinstance(content, list) else []
    return tuple(_block(part, record, (*slot, number)) for number, part in enumerate(parts))


def _block(part: Any, record: int, slot: Slot) -> Block:
    value = spelled(part)
    if (foreign := anthropic.in_another_form(part, value, record, slot)) is not None:
        return foreign
    if type_name(part) not in _SPELLED:
        return WrittenBlock("other", part, record, slot)
    return anthropic.block_of(value, record, slot)


def spelled(part: Any) -> Any:
    """A part in the spelling of Anthropic's blocks; the same object where that is not another."""
    spell = _SPELLED.get(type_name(part) or "")
    return spell(part) if spell is not None else part


def _call(part: dict[str, Any]) -> dict[str, Any]:
    said = _object(part.get("toolCall"))
    value = _object(said.get("value"))
    name, given = value.get("name"), value.get("arguments")
    if said.get("status") == "error":
        name, given = NO_CALL, {}
    made = {"type": "tool_use", "name": name, "input": {} if given is None else given}
    return {**made, "id": part["id"]} if "id" in part else made


def _result(part: dict[str, Any]) -> dict[str, Any]:
    said = _object(part.get("toolResult"))
    content, failed = said.get("value"), said.get("status") == "error"
    if failed:
        content = [{"type": "text", "text": said.get("error")}]
    elif isinstance(content, dict):
        failed = content.get("isError") is True
        content = content.get("content")
    parts = [_part(one) for one in content] if isinstance(content, list) else [] if content is None else content
    made: dict[str, Any] = {key: field for key, field in part.items() if key not in ("id", *_OF_RESULT)}
    if not parts:
        made |= {key: field for key, field in said.items() if key not in _OF_RESULT}
        made |= {key: field for key, field in _object(said.get("value")).items() if key not in _OF_RESULT}
    made |= {"type": "tool_result", "content": parts}
    if "id" in part:
        made["tool_use_id"] = part["id"]
    return {**made, "is_error": True} if failed else made


def _part(one: Any) -> Any:
    """A part of a result."""
    if type_name(one) == "resource":
        return {"type": "text", "text": resource_text(one)}
    return spelled(one) if type_name(one) in ("text", "image") else one


def resource_text(part: dict[str, Any]) -> str:
    """The text of a resource in a result."""
    resource = _object(part.get("resource"))
    if isinstance(resource.get("text"), str):
        return str(resource["text"])
    try:
        return base64.b64decode(str(resource.get("blob", "")), validate=True).decode()
    except (binascii.Error, ValueError):
        return f"[Binary content ({resource.get('mimeType')})]"


def _thinking(part: dict[str, Any]) -> dict[str, Any]:
    made = {"type": "thinking", "thinking": part.get("thinking")}
    return {**made, "signature": part["signature"]} if part.get("signature") else made


def _redacted(part: dict[str, Any]) -> dict[str, Any]:
    return {"type": "redacted_thinking", "data": part.get("data")}


def _media(part: dict[str, Any]) -> dict[str, Any]:
    source = {"type": "base64", "media_type": part.get("mimeType"), "data": part.get("data")}
    return {"type": part["type"], "source": source}


def _text(part: dict[str, Any]) -> dict[str, Any]:
    return part if part.keys() == {"type", "text"} else {"type": "text", "text": part.get("text")}


_SPELLED: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "text": _text,
    "image": _media,
    "document": _media,
    "thinking": _thinking,
    "redactedThinking": _redacted,
    CALL: _call,
    RESULT: _result,
}
"""goose's type of a part -> how it is spelled as a block."""


def part_of(value: Any, was: Block | None, raw: Any) -> Any:
    """A block as a part of goose's; what did not change since it was read as `was`, from `raw`, is the same object."""
    if was is not None and value is was.value:
        return raw
    if was is not None and was.form:
        was = raw = None
    if not isinstance(value, dict):
        return {"type": "text", "text": value if isinstance(value, str) else words(value)}
    known = was.value if was is not None and isinstance(was.value, dict) and isinstance(raw, dict) else {}
    old = raw if known.get("type") == value.get("type") else {}
    match type_name(value):
        case "tool_use":
            return _as_call(value, known, old)
        case "tool_result":
            return _as_result(value, known, old)
        case "thinking":
            signature = value.get("signature") or ""
            return {**old, "type": "thinking", "thinking": value.get("thinking"), "signature": signature}
        case "redacted_thinking":
            return {**old, "type": "redactedThinking", "data": value.get("data")}
        case "image" | "document" as kind if isinstance(value.get("source"), dict):
            source = value["source"]
            return {"type": kind, "data": source.get("data", ""), "mimeType": source.get("media_type", "")}
        case "text":
            return {**old, "type": "text", "text": value.get("text")}
    return value


def _as_call(value: dict[str, Any], known: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    made = {**(old or {"type": CALL}), "id": value.get("id")}
    same = all(value.get(key) is known.get(key) for key in ("name", "input"))
    if "toolCall" not in made or not same:
        inner = _object(_object(made.get("toolCall")).get("value"))
        called = {**inner, "name": value.get("name"), "arguments": value.get("input", {})}
        made["toolCall"] = {"status": "success", "value": called}
    return made


def _as_result(value: dict[str, Any], known: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    made = {**(old or {"type": RESULT}), "id": value.get("tool_use_id")}
    content, failed = value.get("content"), value.get("is_error") is True
    if "toolResult" in made and content is known.get("content") and failed == (known.get("is_error") is True):
        return made
    if failed and isinstance(content, str):
        made["toolResult"] = {"status": "error", "error": content}
        return made
    given = content if isinstance(content, list) else [content] if content else []
    inner = _object(_object(made.get("toolResult")).get("value"))
    kept = {key: field for key, field in inner.items() if key not in ("content", "structuredContent", "isError")}
    parts = [part_of(part, None, None) for part in given]
    made["toolResult"] = {"status": "success", "value": {**kept, "content": parts, "isError": failed}}
    return made


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
