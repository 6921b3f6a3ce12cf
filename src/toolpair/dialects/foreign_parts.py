"""Calls and results that stand among the messages of another API: one table of how each API spells them.

The dialects write what they say in their own spelling. The table is asked about a value only where the dialect of its
list knows no such block.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from msgspec import Struct

from toolpair.dialects.block_texts import is_placeholder_text, text_of
from toolpair.dialects.block_values import text_or_words, words
from toolpair.dialects.neutral import ERROR


class _Spelling(Struct, frozen=True):
    """How an API spells a call or a result. Keys are of the value, or of the object that it holds under `under`."""

    kind: Literal["call", "result"]
    what: str
    """What it is called, after "written as"."""
    id: str
    said: tuple[str, ...]
    """Keys of a call's arguments, or of a result's output; the first that is there counts."""
    names: tuple[str, ...] = ()
    under: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()
    """Types, and roles, that tell it. One without any of them is told by its keys: the id's and one of `said`."""
    own: frozenset[str] = frozenset()
    """Keys that say no more about it."""

    def holder(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """The object with its fields; None where the value is no such call or result."""
        if self.under:
            inner: dict[str, Any] = next((value[key] for key in self.under if isinstance(value.get(key), dict)), {})
            return inner if any(isinstance(inner.get(key), str) for key in (self.id, *self.names)) else None
        type_, said = value.get("type"), any(key in value for key in self.said)
        if not isinstance(value.get(self.id), str):
            return value if self.kind == "result" and said and isinstance(type_, str) and type_ in self.types else None
        if any(isinstance(name, str) and name in self.types for name in (type_, value.get("role"))):
            return value
        if self.kind == "call":
            said = said and any(key in value for key in self.names)
        return value if said else None

    def left(self, value: dict[str, Any], holder: dict[str, Any]) -> dict[str, Any]:
        """Its fields beside those that the table reads."""
        inside = {"id", self.id, *self.names, *self.said, *self.own}
        fields = {key: field for key, field in holder.items() if key not in inside}
        around = {} if holder is value else {key: field for key, field in value.items() if key not in self.under}
        return {key: field for key, field in (fields | around).items() if key not in ("id", "type")}


_SPELLINGS: Final = (
    _Spelling(
        "result",
        "a tool_result block of Anthropic's API",
        "tool_use_id",
        ("content",),
        types=frozenset({"tool_result"}),
        own=frozenset({"is_error"}),
    ),
    _Spelling(
        "call", "a tool_use block of Anthropic's API", "id", ("input",), ("name",), types=frozenset({"tool_use"})
    ),
    _Spelling(
        "result",
        "a tool message of OpenAI's Chat Completions API",
        "tool_call_id",
        ("content",),
        ("name",),
        types=frozenset({"tool"}),
        own=frozenset({"role"}),
    ),
    _Spelling("call", "a call of OpenAI's Chat Completions API", "id", ("arguments",), ("name",), ("function",)),
    _Spelling("call", "a call of OpenAI's Chat Completions API", "id", ("input",), ("name",), ("custom",)),
    _Spelling(
        "result",
        "an output item of OpenAI's Responses API",
        "call_id",
        ("output",),
        types=frozenset({"function_call_output", "custom_tool_call_output"}),
        own=frozenset({"status"}),
    ),
    _Spelling(
        "call",
        "a call item of OpenAI's Responses API",
        "call_id",
        ("arguments", "input"),
        ("name",),
        types=frozenset({"function_call", "custom_tool_call"}),
        own=frozenset({"status"}),
    ),
    _Spelling(
        "result",
        "a functionResponse part of Gemini's API",
        "id",
        ("response",),
        ("name",),
        ("functionResponse", "function_response"),
    ),
    _Spelling(
        "call", "a functionCall part of Gemini's API", "id", ("args",), ("name",), ("functionCall", "function_call")
    ),
    _Spelling(
        "result",
        "a toolResult block of Bedrock's Converse API",
        "toolUseId",
        ("content",),
        under=("toolResult",),
        own=frozenset({"status"}),
    ),
    _Spelling("call", "a toolUse block of Bedrock's Converse API", "toolUseId", ("input",), ("name",), ("toolUse",)),
    _Spelling(
        "result",
        "a tool_result block of Bedrock's Converse API",
        "tool_use_id",
        ("content",),
        under=("tool_result",),
        own=frozenset({"status"}),
    ),
    _Spelling(
        "call", "a tool_use block of Bedrock's Converse API", "tool_use_id", ("input",), ("name",), ("tool_use",)
    ),
    _Spelling("result", "a tool-result part of the AI SDK", "toolCallId", ("output", "result"), ("toolName",)),
    _Spelling("call", "a tool-call part of the AI SDK", "toolCallId", ("input", "args"), ("toolName",)),
)
_WORDS: Final = ("output", "error", "result")
"""Fields of an object whose text is all that an output says."""


class ForeignPart(Struct, frozen=True):
    """A call or a result in another spelling, read as a block."""

    kind: Literal["call", "result"]
    what: str
    id: Any
    name: str | None
    said: Any
    """A call's arguments as they are written; a result's content as text or Anthropic's blocks."""
    is_error: bool
    left: dict[str, Any]
    """What else it says, by field."""

    @property
    def said_beside(self) -> dict[str, Any]:
        """What else it says that may be words."""
        return {key: field for key, field in self.left.items() if isinstance(field, (str, list, dict))}

    @property
    def input(self) -> dict[str, Any]:
        """A call's arguments as an object."""
        given = self.said
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                given = {"input": self.said}
        return given if isinstance(given, dict) else {} if given is None else {"input": given}


def foreign_part(value: Any) -> ForeignPart | None:
    """The call or the result that a value is in any of these spellings; None where it is none."""
    if not isinstance(value, dict):
        return None
    for spelling in _SPELLINGS:
        holder = spelling.holder(value)
        if holder is not None:
            return _read(spelling, value, holder)
    return None


def with_error(found: ForeignPart, said: Any, kind: str) -> Any:
    """A result's content that says that it is an error, where the API has no field for it. `kind`: of a text part."""
    if not found.is_error or is_placeholder_text(text_of(said)):
        return said
    return f"{ERROR}{said}" if isinstance(said, str) else [{"type": kind, "text": ERROR.strip()}, *said]


def left_of(value: dict[str, Any]) -> dict[str, Any]:
    """What stays of a message that is itself such a call or result: what says nothing."""
    found = foreign_part(value)
    left = found.left if found is not None else {}
    return {key: field for key, field in left.items() if not isinstance(field, (str, list, dict))}


def _read(spelling: _Spelling, value: dict[str, Any], holder: dict[str, Any]) -> ForeignPart:
    said = next((holder[key] for key in spelling.said if key in holder), None)
    name = next((found for key in spelling.names if isinstance(found := holder.get(key), str) and found), None)
    id_ = holder[spelling.id] if spelling.id in holder else value.get(spelling.id)
    failed = holder.get("is_error") is True or holder.get("status") == "error"
    if spelling.kind == "result":
        failed = failed or (isinstance(said, dict) and said.keys() == {"error"})
        said = _content(said)
    return ForeignPart(spelling.kind, spelling.what, id_, name, said, failed, spelling.left(value, holder))


def _content(said: Any) -> Any:
    """An output as text, or as Anthropic's blocks."""
    if isinstance(said, list):
        return [_block(part) for part in said]
    if isinstance(said, dict):
        if said.keys() == {"type", "value"}:
            return _content(said["value"])
        key = next((key for key in _WORDS if said.keys() == {key}), None)
        return _content(said[key]) if key is not None else words(said)
    return text_or_words(said)


def _block(part: Any) -> Any:
    if not isinstance(part, dict):
        return {"type": "text", "text": part if isinstance(part, str) else words(part)}
    if part.get("type") in (None, "input_text", "output_text") and isinstance(part.get("text"), str):
        return {**part, "type": "text"}
    if part.keys() == {"json"}:
        return {"type": "text", "text": words(part["json"])}
    image = part.get("image")
    if "type" not in part and isinstance(image, dict) and isinstance(source := image.get("source"), dict):
        media = f"image/{image.get('format')}"
        return {"type": "image", "source": {"type": "base64", "media_type": media, "data": source.get("bytes")}}
    return part if isinstance(part.get("type"), str) else {"type": "text", "text": words(part)}
