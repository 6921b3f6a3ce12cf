"""pi's messages: parts of types of its own, a result as a message with role `toolResult`.

They are read as the blocks of Anthropic's Messages API, which all rules know, and written back from these.
"""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects import anthropic
from toolpair.dialects.block_texts import WrittenBlock, named_block
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.transcript.model import Block, Slot

RESULT: Final = "toolResult"
_CALL: Final = "toolCall"
_OF_RESULT: Final = frozenset(
    {"role", "content", "toolCallId", "toolName", "isError", "details", "timestamp", "usage", "tool_use_id", "is_error"}
)
"""Fields of a result's message that pi knows."""
JOINED: Final = ("openai-responses", "openai-codex-responses", "azure-openai-responses")
"""APIs of whose calls pi keeps two ids, joined by `|`: the first is the one that makes the pair."""
_RENAMED: Final = {
    "tool_use": (_CALL, {"input": "arguments"}),
    "thinking": ("thinking", {"signature": "thinkingSignature"}),
    "redacted_thinking": ("thinking", {"data": "thinkingSignature"}),
}
"""Type of a block -> pi's type, and the fields that pi calls otherwise."""


def blocks_of(content: Any, record: int, slot: Slot, api: Any = None) -> tuple[Block, ...]:
    """The blocks of a user's or an assistant's content that stands at `slot`."""
    if isinstance(content, str):
        return (WrittenBlock("text", content, record, slot),)
    parts = content if isinstance(content, list) else []
    return tuple(part_block(part, record, (*slot, number), api) for number, part in enumerate(parts))


def part_block(part: Any, record: int, slot: Slot, api: Any = None) -> Block:
    """The block that a part of a user's or an assistant's content is."""
    value = _spelled(part, api)
    if (foreign := anthropic.in_another_form(part, value, record, slot)) is not None:
        return anthropic.with_name(foreign)
    block = anthropic.block_of(value, record, slot)
    return WrittenBlock("other", block.value, record, slot) if block.kind in ("result", "server_result") else block


def result_block(message: dict[str, Any], record: int, slot: Slot, api: Any = None, content: Any = None) -> Block:
    """The block that a result's message is; `content` stands in for its own."""
    given = message.get("content") if content is None else content
    value: dict[str, Any] = {key: field for key, field in message.items() if key not in _OF_RESULT}
    value |= {"type": "tool_result", "content": _parts(given)}
    if "toolCallId" in message:
        value["tool_use_id"] = short_id(message["toolCallId"], api)
    failed = message.get("isError") is True
    if failed:
        value["is_error"] = True
    return named_block(
        "result", value, record, slot, value.get("tool_use_id"), message.get("toolName"), is_error=failed
    )


def short_id(id_: Any, api: Any) -> Any:
    """The id that the API is sent."""
    return id_.partition("|")[0] if api in JOINED and isinstance(id_, str) else id_


def stored_id(value: Any) -> Any:
    """The whole id of a call, or of a result's message, as it stands in the file; None for other values."""
    return value.get("toolCallId" if value.get("role") == RESULT else "id") if isinstance(value, dict) else None


def _parts(content: Any) -> Any:
    """A content's parts; the same list where pi writes them as Anthropic does."""
    if not isinstance(content, list):
        return [] if content is None else content
    made = [_spelled(part, None) for part in content]
    return content if all(new is old for new, old in zip(made, content, strict=True)) else made


def _spelled(part: Any, api: Any) -> Any:
    match type_name(part):
        case "toolCall":
            kept = {"type": "tool_use", "name": part.get("name"), "input": part.get("arguments")}
            if kept["input"] is None:
                kept["input"] = {}
            return {**kept, "id": short_id(part["id"], api)} if "id" in part else kept
        case "thinking" if part.get("redacted"):
            return {"type": "redacted_thinking", "data": part.get("thinkingSignature")}
        case "thinking":
            signature = part.get("thinkingSignature")
            return {
                "type": "thinking",
                "thinking": part.get("thinking"),
                **({"signature": signature} if signature else {}),
            }
        case "image" if "source" not in part:
            source = {"type": "base64", "media_type": part.get("mimeType"), "data": part.get("data")}
            return {"type": "image", "source": source}
        case "text" if part.keys() != {"type", "text"}:
            return {"type": "text", "text": part.get("text")}
    return part


def part_of(value: Any, was: Block | None, raw: Any) -> Any:
    """A block as a part of pi's; what did not change since it was read as `was`, from `raw`, is the same object."""
    if was is not None and value is was.value:
        return raw
    if was is not None and was.form:
        was = raw = None
    if isinstance(value, str):
        return {"type": "text", "text": value}
    kind = type_name(value)
    if kind == "image" and isinstance(value.get("source"), dict):
        source = value["source"]
        return {"type": "image", "data": source.get("data", ""), "mimeType": source.get("media_type", "")}
    if not isinstance(value, dict):
        return {"type": "text", "text": words(value)}
    own, renamed = _RENAMED.get(kind or "", (kind, {}))
    known = was.value if was is not None and isinstance(was.value, dict) and type_name(was.value) == kind else {}
    if known is raw or (not known and kind not in _RENAMED):
        return value  # no part that pi spells otherwise
    made = dict(raw) if known and isinstance(raw, dict) else {"type": own}
    for key in known.keys() - value.keys():
        made.pop(renamed.get(key, key), None)
    for key, field in value.items():
        if (key != "type" or kind is None) and (key not in known or known[key] is not field):
            made[renamed.get(key, key)] = _joined(field, made.get("id"), known.get("id")) if key == "id" else field
    return made


def result_of(value: dict[str, Any], was: Block | None, raw: dict[str, Any]) -> dict[str, Any]:
    """A result as a message of pi's; `raw` is the message that it was read from as `was`, or what a new one has."""
    known = was.value if was is not None else {}
    made = dict(raw)
    if value.get("tool_use_id") != known.get("tool_use_id") or "toolCallId" not in made:
        made["toolCallId"] = _joined(value.get("tool_use_id"), made.get("toolCallId"), known.get("tool_use_id"))
    if value.get("content") is not known.get("content") or "content" not in made:
        content = value.get("content")
        parts = content if isinstance(content, list) else [content] if content else []
        same = _written_as(known.get("content"), raw.get("content"))
        made["content"] = [same[id(part)] if id(part) in same else part_of(part, None, None) for part in parts]
    if value.get("name") != known.get("name"):
        made["toolName"] = value.get("name")
    if value.get("is_error", False) != known.get("is_error", False) or "isError" not in made:
        made["isError"] = value.get("is_error") is True
    return made


def _written_as(read: Any, written: Any) -> dict[int, Any]:
    """id() of each part as it was read -> the part that pi wrote."""
    both = zip(read, written, strict=True) if isinstance(read, list) and isinstance(written, list) else ()
    return {id(part): own for part, own in both if isinstance(part, dict)}


def _joined(id_: Any, old: Any, read: Any) -> Any:
    """A new id with the second one of the old, where that was read as its first one alone."""
    if not isinstance(id_, str) or not isinstance(old, str) or old == read or "|" not in old:
        return id_
    return f"{id_}|{old.partition('|')[2]}"
