"""Anthropic's Messages API: content blocks, as several formats store them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.dialects.block_texts import WrittenBlock, named_block
from toolpair.dialects.block_values import as_parts, says_nothing, type_of, words, written_type
from toolpair.transcript.edits import ABSENT, SetValue
from toolpair.transcript.model import Block, BlockKind, ContentShape, EmptyObject, Message, Slot, StandIns

if TYPE_CHECKING:
    from toolpair.dialects.foreign_parts import ForeignPart

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
"""Block kind -> the key of its pairing id."""


RESULT_PARTS: Final = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
"""Types of parts that a result may hold."""
CACHE_MARK: Final = "cache_control"
BLOCK_FIELDS: Final = {
    "text": frozenset({"type", "text", "citations", CACHE_MARK}),
    "tool_use": frozenset({"type", "id", "name", "input", "caller", CACHE_MARK}),
    "tool_result": frozenset({"type", "tool_use_id", "content", "is_error", CACHE_MARK}),
    "thinking": frozenset({"type", "thinking", "signature"}),
    "redacted_thinking": frozenset({"type", "data"}),
}
"""Block type -> the fields that the API knows."""
MESSAGE_FIELDS: Final = frozenset({"role", "content"})
_DATA_URL: Final = re.compile(r"data:(?P<media>[\w.+-]+/[\w.+-]+);base64,(?P<data>.+)", re.DOTALL)
_RESULTS: Final = ("result", "server_result", "mcp_result")
_SHARED: Final = ("text", "thinking", "image", "document")
"""Types of blocks that other dialects have too."""
_ID_NAMES: Final = frozenset({"tool_use_id", "tool_call_id", "call_id"})
_TEXTS: Final = ("text", "thinking")
"""Keys of a text or a thinking block that a result does not have."""


def is_result(value: dict[str, Any]) -> bool:
    """Whether the block has the fields that only a result has, whatever its type says."""
    if not isinstance(value.get("tool_use_id"), str) or "content" not in value:
        return False
    return "input" not in value and not ("name" in value and value.get("type") == "tool_use")


def block_of(value: Any, record: int, slot: Slot, link: str | None = None) -> Block:
    """The block for a value at `slot`. A value that is not a block gets kind "other"."""
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
    if kind == "other" and (found := _foreign(value)) is not None:
        return foreign_block(found, record, slot)
    id_key = _ID_KEYS.get(kind)
    if id_key is None:
        return WrittenBlock(kind, value, record, slot, None, None, value.get("is_error") is True, link)
    failed = value.get("is_error") is True
    return named_block(kind, value, record, slot, value.get(id_key), value.get("name"), is_error=failed, link=link)


def blocks_of(content: Any, record: int, slot: Slot) -> tuple[tuple[Block, ...], ContentShape]:
    """The blocks of a message's content, and the content's shape. `slot` is where the content is in its record."""
    if isinstance(content, str):
        return (WrittenBlock("text", content, record, slot),), "string"
    if isinstance(content, list):
        return tuple([block_of(value, record, (*slot, index)) for index, value in enumerate(content)]), "blocks"
    if content is None:
        return (), "null"
    return (WrittenBlock("other", content, record, slot),), "other"


def message_of(value: Any, record: int) -> Message | None:
    """The message in a record; None when there is none."""
    if not isinstance(value, dict) or isinstance(value, EmptyObject):
        return None
    if _may_be_part(value) and (found := _foreign(value)) is not None:
        role = "assistant" if found.kind == "call" else "user"
        return Message(role, (foreign_block(found, record, (), whole=True),), (record,), "blocks", value)
    calls = tuple(
        foreign_block(found, record, ("tool_calls", number))
        for number, call in enumerate(_listed(value.get("tool_calls")))
        if (found := _foreign(call)) is not None and found.kind == "call"
    )
    if calls and not value.get("content"):
        return Message(value.get("role"), calls, (record,), "blocks", value)
    if "content" not in value:
        return Message(value.get("role"), (), (record,), "absent", value)
    blocks, shape = blocks_of(value["content"], record, ("content",))
    return Message(value.get("role"), (*blocks, *calls), (record,), shape, value)


def message_as_result(message: dict[str, Any], record: int, slot: Slot) -> Block | None:
    """The result that a whole message is, where it is written as another API spells it; None for any other message."""
    found = _foreign(message)
    if found is None or found.kind != "result":
        return None
    return foreign_block(found, record, slot, whole=True)


def _foreign(value: Any) -> ForeignPart | None:
    from toolpair.dialects.foreign_parts import foreign_part  # few files need it

    return foreign_part(value)


def _may_be_part(value: dict[str, Any]) -> bool:
    """Whether an element of a list may be a call or a result of another API's: it is no message of a known role."""
    return value.get("role") not in ("user", "assistant", "system", "developer")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def in_another_form(part: Any, value: Any, record: int, slot: Slot) -> Block | None:
    """The call or the result that a part of a dialect with Anthropic's blocks is, where it is in another API's form: in
    Anthropic's, too, unless the dialect itself has spelled it so, as `value`. None for all others.
    """
    if not isinstance(part, dict):
        return None
    if (value is not part or part.get("type") in _SHARED) and _ID_NAMES.isdisjoint(part):
        return None
    found = _foreign(part)
    return foreign_block(found, record, slot) if found is not None else None


TEXT_RESULT: Final = "a text of the next message"
"""`Block.form` of a result that an agent wrote as a text."""


def text_as_result(block: Block, id_: Any, name: str | None, output: str = "") -> Block:
    """A text as the result that it is, word for word. `output`: what the next text has of it."""
    value = {"type": "tool_result", "tool_use_id": id_, "content": "\n".join(filter(None, (block.text, output)))}
    return WrittenBlock("result", value, block.record, block.slot, id_, name, form=TEXT_RESULT)


def with_name(foreign: Block) -> Block:
    """A result of another API's with the name of its tool, where results have one; None is filled in from its call."""
    return foreign if foreign.kind == "call" else replace(foreign, value={**foreign.value, "name": foreign.name})


def foreign_block(found: ForeignPart, record: int, slot: Slot, *, whole: bool = False) -> Block:
    """A call or a result of another API's as the block that it says. `whole`: it is a message of its own there, which
    keeps its times and numbers.
    """
    value: dict[str, Any] = {}
    if found.kind == "call":
        value = {"type": "tool_use", "id": found.id, "name": found.name, "input": found.input}
    else:
        value = {"type": "tool_result", "tool_use_id": found.id, "content": found.said}
        if found.is_error:
            value["is_error"] = True
    value |= found.said_beside if whole else found.left
    return WrittenBlock(found.kind, value, record, slot, found.id, found.name, found.is_error, form=found.what)


def _stand_in(role: str) -> Message:
    value = {"role": role, "content": "."}
    return Message(role, (WrittenBlock("text", ".", -1, ("content",)),), (), "string", value)


_USER: Final = _stand_in("user")
STAND_INS: Final = StandIns((_USER,), (_stand_in("assistant"), _USER))
"""Messages around a window; also used for Chat Completions, which spells them the same."""


def image_at(address: str) -> dict[str, Any]:
    """An image block for an address, which may be a data URL."""
    data = _DATA_URL.fullmatch(address)
    source = (
        {"type": "base64", "media_type": data["media"], "data": data["data"]}
        if data
        else {"type": "url", "url": address}
    )
    return {"type": "image", "source": source}


def is_signed(block: Block) -> bool:
    """Whether a thinking block has the signature (or sealed data) that the API verifies."""
    value: Any = block.value
    if not isinstance(value, dict):
        return False
    if value.get("type") == "redacted_thinking":
        return bool(value.get("data"))
    return bool(value.get("signature"))


def cache_marked(block: Block) -> bool:
    """Whether it, or a part of its content, has a cache mark."""
    return isinstance(block.value, dict) and any(CACHE_MARK in part for part in (block.value, *_parts_in(block)))


def _parts_in(block: Block) -> list[dict[str, Any]]:
    content = block.value.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def marks_empty_text(result: Block) -> bool:
    """Whether a result has a cache mark on a text that says nothing."""
    return isinstance(result.value, dict) and any(
        CACHE_MARK in part and says_nothing(part) for part in _parts_in(result)
    )


def without_cache_marks(block: Block) -> SetValue:
    """The edit that removes its cache marks."""
    made = _unmarked(block.value)
    if _parts_in(block):
        made = {**made, "content": [_unmarked(part) for part in made["content"]]}
    return SetValue(block, made)


def _unmarked(part: Any) -> Any:
    if not isinstance(part, dict) or CACHE_MARK not in part:
        return part
    return {key: field for key, field in part.items() if key != CACHE_MARK}


def input_of(call: Block) -> Any:
    """A call's input: an object in a valid call; ABSENT when there is none."""
    return call.value.get("input", ABSENT)


def joined_content(messages: Iterable[Message]) -> list[Any]:
    """The blocks of all the messages as one content list: results first, blank texts left out."""
    blocks = [block for message in messages for block in message.blocks]
    ordered = sorted(blocks, key=lambda block: block.kind != "result")
    return [part for part in as_parts(ordered) if not says_nothing(part)]


def as_text_block(block: Block) -> SetValue:
    """The edit that turns a bare string into a text block."""
    return SetValue(block, {"type": "text", "text": block.value})


def type_meant(block: Block) -> str:
    """The block's written type, but "tool_result" for anything recognised as a result."""
    return "tool_result" if block.kind == "result" else written_type(block)


def _said(part: Any) -> str:
    return part if isinstance(part, str) else words(part)


def says_that_it_is_a_result(block: Block) -> bool:
    return type_of(block) == "tool_result"


def as_result(block: Block) -> SetValue:
    """The edit that makes it a block of the type tool_result. A text beside its content follows that."""
    made = {key: field for key, field in block.value.items() if key not in _TEXTS} | {"type": "tool_result"}
    said = [text for key in _TEXTS if isinstance(text := block.value.get(key), str) and text.strip()]
    if said:
        content = made["content"]
        parts = content if isinstance(content, list) else [content] if content else []
        texts = (part if isinstance(part, dict) else {"type": "text", "text": _said(part)} for part in (*parts, *said))
        made["content"] = list(texts)
    return SetValue(block, made)


def is_typed(block: Block) -> bool:
    """Whether the block is an object with a string type, as the API requires."""
    return isinstance(block.value, dict) and isinstance(block.value.get("type"), str)


def has_no_text(block: Block) -> bool:
    """Whether it is a text block whose text is not a string."""
    text = block.value.get("text")
    return block.value["type"] == "text" and text is not None and not isinstance(text, str)


def text_as_words(block: Block) -> SetValue:
    """The edit that turns a text block's non-string text into a string."""
    return SetValue(block, {**block.value, "text": words(block.value["text"])})


def as_block(block: Block) -> SetValue:
    """The edit that restores the type of a broken block: from keys that only a call or a result has, else as text."""
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
