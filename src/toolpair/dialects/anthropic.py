"""Anthropic's Messages API: content blocks, as several formats write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects.block_texts import WrittenBlock
from toolpair.dialects.block_values import as_parts, says_nothing, type_of, with_fields, words, written_type
from toolpair.transcript.edits import ABSENT, SetValue
from toolpair.transcript.model import Block, BlockKind, ContentShape, EmptyObject, Message, StandIns

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
_ID_KEYS: dict[BlockKind, str] = {
    "call": "id",
    "server_call": "id",
    "mcp_call": "id",
    "result": "tool_use_id",
    "server_result": "tool_use_id",
    "mcp_result": "tool_use_id",
}
"""Of blocks that make pairs: where their id stands."""


RESULT_PARTS: Final = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
"""Types of what a result may hold."""
_CACHE: Final = "cache_control"
BLOCK_FIELDS: Final = {
    "text": frozenset({"type", "text", "citations", _CACHE}),
    "tool_use": frozenset({"type", "id", "name", "input", "caller", _CACHE}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", _CACHE}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
"""Type of a block -> the fields that the API knows."""
MESSAGE_FIELDS: Final = frozenset({"role", "content"})
_DATA_URL: Final = re.compile(r"data:(?P<media>[\w.+-]+/[\w.+-]+);base64,(?P<data>.+)", re.DOTALL)
_RESULTS: Final = ("result", "server_result", "mcp_result")


def is_result(value: dict[str, Any]) -> bool:
    """Whether a block has what only a result has, whatever it says that it is."""
    if not isinstance(value.get("tool_use_id"), str) or "content" not in value:
        return False
    return not isinstance(value.get("text"), str) and "input" not in value and "name" not in value


def block_of(value: Any, record: int, slot: tuple[str | int, ...], link: str | None = None) -> Block:
    """The block that stands at `slot`. A value that is no block at all has kind "other"."""
    if not isinstance(value, dict):
        return WrittenBlock("text" if isinstance(value, str) else "other", value, record, slot)
    type_ = value.get("type")
    kind: BlockKind = "other"
    if isinstance(type_, str):
        kind = _KINDS.get(type_, "other")
        if kind == "other" and type_.endswith("_tool_result"):
            kind = "server_result"
    if kind not in _RESULTS and is_result(value):
        kind = "result"
    id_key = _ID_KEYS.get(kind)
    if id_key is None:
        return WrittenBlock(kind, value, record, slot, None, None, value.get("is_error") is True, link)
    name = value.get("name")
    return WrittenBlock(
        kind,
        value,
        record,
        slot,
        value.get(id_key),
        name if isinstance(name, str) else None,
        value.get("is_error") is True,
        link,
    )


def blocks_of(content: Any, record: int, slot: tuple[str | int, ...]) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of a message's content that stands at `slot` of its record, and the shape it has."""
    if isinstance(content, str):
        return (WrittenBlock("text", content, record, slot),), "string"
    if isinstance(content, list):
        return tuple([block_of(value, record, (*slot, index)) for index, value in enumerate(content)]), "blocks"
    if content is None:
        return (), "null"
    return (WrittenBlock("other", content, record, slot),), "other"


def message_of(value: Any, record: int) -> Message | None:
    """The message that a record holds; None when it holds none."""
    if not isinstance(value, dict) or isinstance(value, EmptyObject):
        return None
    if "content" not in value:
        return Message(value.get("role"), (), (record,), "absent", value)
    blocks, shape = blocks_of(value["content"], record, ("content",))
    return Message(value.get("role"), blocks, (record,), shape, value)


def _stand_in(role: str) -> Message:
    value = {"role": role, "content": "."}
    return Message(role, (WrittenBlock("text", ".", -1, ("content",)),), (), "string", value)


_USER: Final = _stand_in("user")
STAND_INS: Final = StandIns((_USER,), (_stand_in("assistant"), _USER))
"""The messages around a window; Chat Completions spell them the same."""


def image_at(address: str) -> dict[str, Any]:
    """The image at an address, which may be its data."""
    data = _DATA_URL.fullmatch(address)
    source = (
        {"type": "base64", "media_type": data["media"], "data": data["data"]}
        if data
        else {"type": "url", "url": address}
    )
    return {"type": "image", "source": source}


def is_signed(block: Block) -> bool:
    """Whether a thinking block carries what the API checks."""
    value: Any = block.value
    if not isinstance(value, dict):
        return False
    if value.get("type") == "redacted_thinking":
        return bool(value.get("data"))
    return bool(value.get("signature"))


def input_of(call: Block) -> Any:
    """What a call gives its tool, an object where all is well; ABSENT without it."""
    return call.value.get("input", ABSENT)


def joined_content(messages: Iterable[Message]) -> list[Any]:
    """The blocks of all of them, results in front, without blank texts."""
    blocks = [block for message in messages for block in message.blocks]
    ordered = sorted(blocks, key=lambda block: block.kind != "result")
    return [part for part in as_parts(ordered) if not says_nothing(part)]


def as_text_block(block: Block) -> SetValue:
    """The edit that makes a bare text a block."""
    return SetValue(block, {"type": "text", "text": block.value})


def type_meant(block: Block) -> str:
    """The type of a block; a result is one, whatever it says that it is."""
    return "tool_result" if block.kind == "result" else written_type(block)


def says_that_it_is_a_result(block: Block) -> bool:
    return type_of(block) == "tool_result"


def as_result(block: Block) -> SetValue:
    """The edit that makes it say so."""
    return with_fields(block, type="tool_result")


def is_typed(block: Block) -> bool:
    """Whether it is an object with a type, as every block has to be."""
    return isinstance(block.value, dict) and isinstance(block.value.get("type"), str)


def has_no_text(block: Block) -> bool:
    """Whether it is a text block whose text is something else."""
    text = block.value.get("text")
    return block.value["type"] == "text" and text is not None and not isinstance(text, str)


def text_as_words(block: Block) -> SetValue:
    """The edit that makes a text of what stands in its place."""
    return SetValue(block, {**block.value, "text": words(block.value["text"])})


def as_block(block: Block) -> SetValue:
    """The edit that makes it the block that it was: by the keys that only a call or a result has, else its text."""
    return SetValue(block, _as_block(block.value))


def _as_block(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        if isinstance(value.get("tool_use_id"), str):
            return {**value, "type": "tool_result"}
        if isinstance(value.get("id"), str) and isinstance(value.get("name"), str) and "input" in value:
            return {**value, "type": "tool_use"}
        if isinstance(value.get("text"), str):
            return {**value, "type": "text"}
    return {"type": "text", "text": words(value)}
