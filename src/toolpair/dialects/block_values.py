"""What is the same in all APIs: a block is an object with a type, its fields, or a bare text.

What is asked of a message is asked of the object that it is written as.
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
"""Types of parts that show something, in the words of all APIs."""


def is_object(of: Block | Message) -> bool:
    return isinstance(of.value, dict)


def field_of(of: Block | Message, name: str) -> Any:
    """What the object has there; None without it."""
    return of.value.get(name) if isinstance(of.value, dict) else None


def has_field(of: Block | Message, name: str) -> bool:
    return isinstance(of.value, dict) and name in of.value


def field_names(of: Block | Message) -> Collection[str]:
    """The names of its fields."""
    return of.value.keys() if isinstance(of.value, dict) else ()


def extra_fields(of: Block | Message, known: frozenset[str]) -> tuple[str, ...]:
    """The names of its fields that are not known, in the order of the alphabet."""
    if not isinstance(of.value, dict) or of.value.keys() <= known:
        return ()
    return tuple(sorted(name for name in of.value if name not in known))


def type_of(of: Block | Message) -> str | None:
    """Its type, where that is a word."""
    return type_name(of.value)


def written_type(of: Block | Message) -> str:
    """Its type, whatever is written there, for a sentence; empty without one."""
    return str(of.value["type"]) if isinstance(of.value, dict) and "type" in of.value else ""


def same(one: Block, other: Block) -> bool:
    """Whether both are written alike."""
    return bool(one.value == other.value)


def time_of(message: Message) -> int | float | str | None:
    """When it was written, where it says so."""
    value = message.value
    if not isinstance(value, dict):
        return None
    return next((value[key] for key in _TIMES if isinstance(value.get(key), (int, float, str))), None)


def with_fields(block: Block, **given: Any) -> SetValue:
    """The edit that gives the object these fields."""
    return SetValue(block, {**block.value, **given})


def without_fields(block: Block, names: Collection[str]) -> SetValue:
    """The edit that takes these fields away."""
    return SetValue(block, {key: item for key, item in block.value.items() if key not in names})


def is_bare_text(block: Block) -> bool:
    """Whether it is a text that stands in no object."""
    return isinstance(block.value, str)


def text_in(block: Block) -> Any:
    """What stands where a text block has its text."""
    return block.value if isinstance(block.value, str) else field_of(block, "text")


def with_text(block: Block, text: str) -> SetValue:
    """The edit that gives a text block another text."""
    kept = block.value if isinstance(block.value, dict) else {"type": "text"}
    return SetValue(block, {**kept, "text": text})


def text_part(text: str, type_: str = "text") -> dict[str, Any]:
    """A part, or a block, that says this."""
    return {"type": type_, "text": text}


def as_text(block: Block, text: str) -> SetValue:
    """The edit that makes a text block of any other."""
    return SetValue(block, text_part(text))


def is_text_part(part: Any) -> bool:
    """Whether an object says that it is a text."""
    return bool(part.get("type") == "text")


def as_parts(blocks: Iterable[Block]) -> list[Any]:
    """The blocks as a content; bare texts are made text blocks."""
    return [{"type": "text", "text": block.value} if isinstance(block.value, str) else block.value for block in blocks]


def as_written(blocks: Iterable[Block]) -> list[Any]:
    """The blocks as a content, each as it is written."""
    return [block.value for block in blocks]


def as_json(block: Block, indent: int | None = None) -> str:
    """As the file has it; with `indent` on lines of its own, to be read."""
    return json.dumps(block.value, ensure_ascii=False, indent=indent)


def own_ids(block: Block) -> Iterator[str]:
    """The block's pairing id and its item id."""
    if isinstance(block.id, str) and block.id:
        yield block.id
    item = field_of(block, "id")
    if isinstance(item, str) and item and item != block.id:
        yield item


def words(value: Any) -> str:
    """A value as text."""
    return json.dumps(value, ensure_ascii=False, default=str)


def says_nothing(part: Any) -> bool:
    """Whether a part is a blank text."""
    text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None
    return isinstance(text, str) and not text.strip()


def mended_parts(content: list[Any], kind: str) -> list[Any] | None:
    """The content where all parts are objects and all texts text, `kind` the type of new ones; None if it is so."""
    parts = [_mended_part(part, kind) for part in content]
    return None if all(made is part for made, part in zip(parts, content, strict=True)) else parts


def _mended_part(part: Any, kind: str) -> Any:
    if not isinstance(part, dict):
        return {"type": kind, "text": part if isinstance(part, str) else words(part)}
    if part.get("type") in _TEXTS and not isinstance(part.get("text"), str):
        return {**part, "text": words(part["text"]) if part.get("text") is not None else _NO_CONTENT}
    return part


def said(part: Any) -> str:
    """What a part of any API says."""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text") and isinstance(part.get("text"), str):
        return str(part["text"])
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


# Results


def hands_back_tools(result: Block) -> bool:
    """A search for tools hands back tools, not words."""
    return bool(field_of(result, "type") == "tool_search_output")


def is_output(result: Block) -> bool:
    """Whether what it says stands where items of the Responses API have it."""
    return content_key(result.value) == "output"


def text_type(result: Block) -> str:
    """The type of a text among the parts of a result."""
    return "input_text" if is_output(result) else "text"


def saying(result: Block, content: Any, **given: Any) -> SetValue:
    """The edit that gives a result another content, and these fields."""
    return SetValue(result, {**result.value, **given, content_key(result.value): content})


def with_output(result: Block, content: Any, is_error: bool) -> SetValue:
    """The edit that puts an output in the place of a placeholder, with what it says of an error."""
    kept = {key: value for key, value in result.value.items() if key != "is_error"}
    key = "output" if "output" in kept and "content" not in kept else "content"
    return SetValue(result, {**kept, key: content, **({"is_error": True} if is_error else {})})


# Characters that no JSON reader of an API takes


def is_cut_in_character(block: Block) -> bool:
    """Whether any of its strings has half of a surrogate pair."""
    return holds_lone_surrogate(block.value)


def with_whole_characters(message: Message, block: Block) -> Edit:
    """The edit that puts U+FFFD in the place of each half."""
    if isinstance(block.value, str) and len(message.records) <= 1:
        return SetField(message, "content", _whole(block.value))
    return SetValue(block, _whole(block.value))


def holds_lone_surrogate(value: Any) -> bool:
    """Whether any string of the JSON value, or any key in it, has half of a surrogate pair."""
    if isinstance(value, str):
        return not value.isascii() and _SURROGATE.search(value) is not None
    try:
        # It refuses half characters, and is many times quicker than a walk through the value.
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        # Other things that it refuses are no half characters.
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


def _whole(value: Any) -> Any:
    """The value with U+FFFD for each half; parts that have none stay the same objects."""
    if not holds_lone_surrogate(value):
        return value
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        made: dict[Any, Any] = {}
        for key, item in value.items():
            new = _whole(key)
            while new is not key and (new in value or new in made):
                new += "\ufffd"
            made[new] = _whole(item)
        return made
    return [_whole(item) for item in value]


def without_halves(part: Any) -> Any:
    """A text, or a part that says one, without each half; the same object where it has none."""
    if isinstance(part, str):
        return part if part.isascii() else _SURROGATE.sub("", part)
    for key in ("text", "thinking"):
        said = part.get(key) if isinstance(part, dict) else None
        if isinstance(said, str) and (whole := without_halves(said)) != said:
            part = {**part, key: whole}
    return part
