"""What all APIs share: a block is a bare string, or an object with a type and fields.

Functions that take a `Message` look at the object it is written as.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

import orjson

from toolpair.dialects.item_types import content_key, type_name
from toolpair.transcript.edits import Edit, SetField, SetValue
from toolpair.transcript.model import Block, Message

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TIMES: Final = ("timestamp", "ts", "created_at", "time")
_TEXTS: Final = ("text", "input_text", "output_text")
_NO_CONTENT: Final = "(no content)"
SHOWN: Final = frozenset({"image", "document", "image_url", "input_image", "input_file"})
"""Types of image and document parts, for all APIs."""


def is_object(of: Block | Message) -> bool:
    return isinstance(of.value, dict)


def field_of(of: Block | Message, name: str) -> Any:
    """The value of the field; None without it."""
    return of.value.get(name) if isinstance(of.value, dict) else None


def has_field(of: Block | Message, name: str) -> bool:
    return isinstance(of.value, dict) and name in of.value


def field_names(of: Block | Message) -> Collection[str]:
    return of.value.keys() if isinstance(of.value, dict) else ()


def extra_fields(of: Block | Message, known: frozenset[str]) -> tuple[str, ...]:
    """The names of the fields that are not in `known`, sorted."""
    if not isinstance(of.value, dict) or of.value.keys() <= known:
        return ()
    return tuple(sorted(name for name in of.value if name not in known))


def type_of(of: Block | Message) -> str | None:
    """Its `type`, if that is a string."""
    return type_name(of.value)


def written_type(of: Block | Message) -> str:
    """Its `type`, whatever the JSON value, as a string for a sentence; empty without one."""
    return str(of.value["type"]) if isinstance(of.value, dict) and "type" in of.value else ""


def same(one: Block, other: Block) -> bool:
    """Whether both have equal values."""
    return bool(one.value == other.value)


def time_of(message: Message) -> int | float | str | None:
    """The message's timestamp, as written; None without one."""
    value = message.value
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in _TIMES if isinstance(value.get(key), (int, float, str))), None)


THOUGHT_SIGNATURE: Final = "thought_signature"
"""The field of a call's value by which an edit signs it, where the signature stands beside the call."""


def signature_beside(call: Block) -> str | None:
    """What a call is signed with beside it: empty where it is not, None where its list has no place for that."""
    return getattr(call, "signature", None)


def model_of(message: Message) -> str | None:
    """The model that wrote the message, where it says so."""
    found = (field_of(message, key) for key in ("model", "modelID"))
    return next((name for name in found if isinstance(name, str) and name and not name.startswith("<")), None)


def rewritten(block: Block, call: Block) -> SetValue:
    """The edit that writes the block as its value says, where the file has another API's form of it. A result that has
    to name its tool gets the name of its call's.
    """
    unnamed = {"name": call.name} if "name" in block.value and block.value["name"] is None else {}
    return SetValue(block, {**block.value, **unnamed})


def with_fields(block: Block, **given: Any) -> SetValue:
    """The edit that sets these fields."""
    return SetValue(block, {**block.value, **given})


def without_fields(block: Block, names: Collection[str]) -> SetValue:
    """The edit that removes these fields."""
    return SetValue(block, {key: item for key, item in block.value.items() if key not in names})


def is_bare_text(block: Block) -> bool:
    """Whether it is a plain string instead of an object."""
    return isinstance(block.value, str)


def text_in(block: Block) -> Any:
    """The value in the place of a text block's text."""
    return block.value if isinstance(block.value, str) else field_of(block, "text")


def with_text(block: Block, text: str) -> SetValue:
    """The edit that replaces a text block's text."""
    kept = block.value if isinstance(block.value, dict) else {"type": "text"}
    return SetValue(block, {**kept, "text": text})


def text_part(text: str, type_: str = "text") -> dict[str, Any]:
    """A text part or block."""
    return {"type": type_, "text": text}


def as_text(block: Block, text: str) -> SetValue:
    """The edit that turns any block into a text block."""
    return SetValue(block, text_part(text))


def is_text_part(part: Any) -> bool:
    return bool(part.get("type") == "text")


def as_parts(blocks: Iterable[Block]) -> list[Any]:
    """The blocks as a content list, bare strings turned into text blocks."""
    return [{"type": "text", "text": block.value} if isinstance(block.value, str) else block.value for block in blocks]


def as_written(blocks: Iterable[Block]) -> list[Any]:
    """The blocks as a content list, as they are."""
    return [block.value for block in blocks]


def as_json(block: Block, indent: int | None = None) -> str:
    """The block as JSON; pretty-printed when `indent` is given."""
    return json.dumps(block.value, ensure_ascii=False, indent=indent)


def own_ids(block: Block) -> Iterator[str]:
    """The block's pairing id and its item id, if it has them."""
    if isinstance(block.id, str) and block.id:
        yield block.id
    item = field_of(block, "id")
    if isinstance(item, str) and item and item != block.id:
        yield item


def words(value: Any) -> str:
    """A value as JSON text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def text_or_words(value: Any) -> str:
    """A text as it is, another value as JSON text, nothing for None."""
    return value if isinstance(value, str) else "" if value is None else words(value)


def listed(content: Any) -> list[Any]:
    """The parts of a content, which may be one alone, or none."""
    return content if isinstance(content, list) else [] if content is None else [content]


def says_nothing(part: Any) -> bool:
    """Whether the part is a blank text."""
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return isinstance(text, str) and not text.strip()


def mended_parts(content: list[Any], kind: str) -> list[Any] | None:
    """The content with only objects as parts and only strings as texts (new parts: type `kind`); None if it is so
    already.
    """
    parts = [_mended_part(part, kind) for part in content]
    return None if all(made is part for made, part in zip(parts, content, strict=True)) else parts


def _mended_part(part: Any, kind: str) -> Any:
    if not isinstance(part, dict):
        return {"type": kind, "text": part if isinstance(part, str) else words(part)}
    if part.get("type") in _TEXTS and not isinstance(part.get("text"), str):
        return {**part, "text": words(part["text"]) if part.get("text") is not None else _NO_CONTENT}
    return part


def said(part: Any) -> str:
    """A part's text, for any API; JSON for a part that is not text."""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str):
        return str(part["text"])
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


# Results


def hands_back_tools(result: Block) -> bool:
    """Whether the result returns tool definitions instead of text (the result of a tool search)."""
    return bool(field_of(result, "type") == "tool_search_output")


def is_output(result: Block) -> bool:
    """Whether its content is under `output`, as in items of the Responses API."""
    return content_key(result.value) == "output"


def text_type(result: Block) -> str:
    """The type of a text part inside this result."""
    return "input_text" if is_output(result) else "text"


def saying(result: Block, content: Any, **given: Any) -> SetValue:
    """The edit that replaces a result's content and sets these fields."""
    return SetValue(result, {**result.value, **given, content_key(result.value): content})


def with_output(result: Block, content: Any, is_error: bool) -> SetValue:
    """The edit that replaces a placeholder with a real output and its error flag."""
    kept = {key: value for key, value in result.value.items() if key != "is_error"}
    key = "output" if "output" in kept and "content" not in kept else "content"
    return SetValue(result, {**kept, key: content, **({"is_error": True} if is_error else {})})


# Lone surrogates, which no API's JSON reader accepts


def is_cut_in_character(block: Block) -> bool:
    """Whether any of its strings holds half of a surrogate pair."""
    return holds_lone_surrogate(block.value)


def with_whole_characters(message: Message, block: Block) -> Edit:
    """The edit that replaces each lone surrogate with U+FFFD."""
    if message.shape == "string" and len(message.records) <= 1 and block.slot[-1:] == ("content",):
        return SetField(message, "content", whole_characters(block.value))
    return SetValue(block, whole_characters(block.value))


def holds_lone_surrogate(value: Any) -> bool:
    """Whether any string or key in the JSON value holds half of a surrogate pair."""
    if isinstance(value, str):
        return not value.isascii() and _SURROGATE.search(value) is not None
    try:
        # orjson refuses lone surrogates, and is many times quicker than walking through the value.
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        # orjson refuses other things too.
        return _walk_finds_one(value)
    return False


def _walk_finds_one(value: Any) -> bool:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            if not found.isascii() and _SURROGATE.search(found):
                return True
        elif isinstance(found, dict):
            stack.extend(found)
            stack.extend(found.values())
        elif isinstance(found, list):
            stack.extend(found)
    return False


def whole_characters(value: Any) -> Any:
    """The value with U+FFFD for each lone surrogate; parts without any stay the same objects."""
    if not holds_lone_surrogate(value):
        return value
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        made: dict[Any, Any] = {}
        for key, item in value.items():
            new = whole_characters(key)
            while new is not key and (new in value or new in made):
                new += "\ufffd"
            made[new] = whole_characters(item)
        return made
    return [whole_characters(item) for item in value]


_ESCAPES: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


def whole_escapes(json_text: str) -> str:
    """JSON in a string with U+FFFD for each escape of half a character; the same object where it has none."""
    new = _ESCAPES.sub(lambda found: "\\ufffd" if found[1] else found[0], json_text)
    return json_text if new == json_text else new


def without_halves(part: Any) -> Any:
    """A text, or a part that says one, without each half; the same object where it has none."""
    if isinstance(part, str):
        return part if part.isascii() else _SURROGATE.sub("", part)
    for key in ("text", "thinking"):
        said = part.get(key) if isinstance(part, dict) else None
        if isinstance(said, str) and (whole := without_halves(said)) != said:
            part = {**part, key: whole}
    return part
