"""The text of blocks, for all APIs: results, arguments, media."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.besides import said_besides
from toolpair.dialects.item_types import content_key, is_output_item, output_content
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Block, BlockKind, Slot
from toolpair.transcript.placeholders import known_placeholder

MEDIA: Final = ("image", "image_url", "document", "file", "input_audio", "input_image", "input_file")
"""Types of parts that hold something other than text, for all providers.

A tuple, not a set, because a part's type may be an unhashable list or object.
"""
_FIELDS: Final = frozenset(
    {"type", "role", "tool_use_id", "tool_call_id", "call_id", "id", "name", "content", "is_error"}
)
"""Fields of a result whose text, if they have one, is known."""


class WrittenBlock(Block, frozen=True, eq=False):
    """A block in an API's spelling. Its text is worked out on each access and never kept."""

    @property
    def text(self) -> str:
        return _block_text(self)


def named_block(kind: BlockKind, value: Any, record: int, slot: Slot, id_: Any, name: Any, **more: Any) -> Block:
    """The block of a call or a result; a name that is no string is none."""
    return WrittenBlock(kind, value, record, slot, id_, name if isinstance(name, str) else None, **more)


def text_of(content: Any) -> str:
    """A result's or message's content as text; media appear as names in brackets."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list):
        return "\n".join([_part_text(part) for part in content])
    if isinstance(content, dict):
        return _part_text(content) if content else ""
    return json.dumps(content, ensure_ascii=False)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        text = part.get("text")
        if isinstance(text, str):
            return text
        kind = part.get("type")
        if kind in MEDIA:
            return f"[{kind}]"
        if kind == "tool_reference":
            return f"[tool {part.get('tool_name', '')}]"
    return json.dumps(part, ensure_ascii=False)


def glance(content: Any) -> str:
    """A message's content as short text, calls and results included, to recognise the message by."""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(filter(None, map(_glance, parts)))


def _glance(part: Any) -> str:
    if not isinstance(part, dict):
        return text_of(part)
    if isinstance(part.get("name"), str):
        return f"{part['name']} {json.dumps(part.get('input'), ensure_ascii=False, default=str)}"
    return text_of(part.get("content", [part]))


def is_placeholder_text(text: str) -> bool:
    """Whether the text is one that toolpair or another system writes in place of a missing result."""
    return known_placeholder(text) is not None


def result_content(block: Block) -> Any:
    """The content of a result block: a string, a list of blocks, None, or any other JSON value."""
    value = block.value
    if not isinstance(value, dict):
        return None
    type_ = value.get("type")
    # Neither Anthropic's nor chat's results are Responses items, so the item tables can be skipped.
    if type_ == "tool_result" or "tool_use_id" in value:
        return value.get("content")
    if content_key(value) == "content" and (type_ is None or not is_output_item(value)):
        return value.get("content")
    return output_content(value)


def result_text(block: Block) -> str:
    content = result_content(block)
    return content if isinstance(content, str) else text_of(content)


def without_media(content: Any) -> Any:
    """The content without images and documents. JSON in a wrapper is unwrapped, so that both forms compare equal."""
    if not isinstance(content, list):
        return content
    media = {id(part) for part in media_of(content)}
    return [_json_of(part) for part in content if id(part) not in media]


def _json_of(part: Any) -> Any:
    return part["json"] if isinstance(part, dict) and part.keys() == {"json"} else part


def media_of(content: Any) -> list[dict[str, Any]]:
    """The non-text parts of a content: images, documents."""
    parts = content if isinstance(content, list) else [content]
    return [part for part in parts if isinstance(part, dict) and part.get("type") in MEDIA]


def own_media(block: Block) -> list[dict[str, Any]]:
    """The block itself in a list if it is an image or a document, else an empty list."""
    return media_of(block.value) if isinstance(block.value, dict) else []


def media_key(part: Any) -> str:
    """A SHA-256 of a part, to tell images and documents apart."""
    import hashlib

    return hashlib.sha256(json.dumps(part, sort_keys=True, default=repr).encode("utf-8", "replace")).hexdigest()


def output_key(block: Block) -> tuple[str, ...]:
    """A key that tells outputs apart: the text, then a hash of each image."""
    content = result_content(block)
    return (text_of(content), *map(media_key, media_of(content)))


def output_lines(results: Sequence[Block]) -> str:
    """The size of the results for a sentence: "88 lines"."""
    return plural(sum(len(result_text(result).splitlines()) for result in results), "line")


def output_bytes(results: Sequence[Block]) -> int:
    """The size of the results' text in UTF-8 bytes."""
    return sum(len(result_text(result).encode("utf-8", "replace")) for result in results)


def is_real_output(block: Block) -> bool:
    """Whether it is a result with real output: not empty, not a known placeholder."""
    return block.kind == "result" and (says_something_real(result_text(block)) or _says_more(block))


def _says_more(result: Block) -> bool:
    """Whether a result without real output has a text in a field where none is expected."""
    if not isinstance(result.value, dict) or result.value.keys() <= _FIELDS:
        return False
    return bool(said_besides(result))


def is_output(block: Block) -> bool:
    """Whether it is a result that a tool returned: real output, or nothing, which a tool that ran may well return."""
    return block.kind == "result" and not is_placeholder_text(result_text(block))


def says_something_real(text: str) -> bool:
    """Whether a result's text is real output: not blank, not a known placeholder."""
    return bool(text.strip()) and known_placeholder(text) is None


def _block_text(block: Block) -> str:
    value = block.value
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return text_of(value)
    match block.kind:
        case "result" | "server_result" | "mcp_result":
            return result_text(block)
        case "call" | "server_call" | "mcp_call":
            return json.dumps(arguments(block), ensure_ascii=False, indent=2)
        case "thinking":
            thinking = value.get("thinking")
            if value.get("type") == "reasoning":
                return text_of(value.get("summary")) or "[encrypted reasoning]"
            return thinking if isinstance(thinking, str) else "[redacted thinking]"
        case _ if value.get("type") == "message" or ("content" in value and "role" in value):
            return text_of(value.get("content"))
        case _:
            return _part_text(value)


def arguments(block: Block) -> Any:
    """A call's arguments: the object, or the raw string if it does not parse (chat stores JSON in a string)."""
    return arguments_in(block.value)


def arguments_in(value: Any) -> Any:
    """Those of a call that is written so."""
    if not isinstance(value, dict):
        return None
    if "input" in value:
        return value["input"]
    if value.get("type") == "local_shell_call":
        return value.get("action")
    custom = value.get("custom")
    if isinstance(custom, dict):
        return custom.get("input")
    raw = _argument_holder(value).get("arguments")
    if isinstance(raw, str):
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            return raw
    return raw


def written_arguments(block: Block) -> str | None:
    """The arguments that are written as JSON in a string; None where they are written as a value."""
    raw = _argument_holder(block.value).get("arguments")
    return raw if isinstance(raw, str) else None


def argument_slots(block: Block) -> tuple[Slot, ...]:
    """Where in the record of a call its arguments may stand as a value."""
    slot = block.slot
    return (*slot, "input"), (*slot, "arguments"), (*slot, "function", "arguments"), (*slot, "action")


def _argument_holder(value: Any) -> dict[str, Any]:
    held = value if isinstance(value, dict) else {}
    function = held.get("function")
    return function if isinstance(function, dict) else held


def argument_text(block: Block) -> str:
    """A call's arguments as text: a string as it is, anything else as JSON."""
    given = arguments(block)
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


_TELLING: Final = (
    "file_path",
    "path",
    "command",
    "cmd",
    "pattern",
    "query",
    "url",
    "notebook_path",
    "description",
    "prompt",
)


_TELLING_LISTS: Final = ("commands", "files", "file_paths")


def _listed(given: Any) -> str | None:
    """What a list of commands or files says; None when it says something else."""
    found = given if isinstance(given, list) else ()
    names = [one.get("path") if isinstance(one, dict) else one for one in found]
    texts = [" ".join(name.split()) for name in names if isinstance(name, str) and name]
    return "; ".join(texts) if texts and len(texts) == len(names) else None


def call_summary(block: Block) -> str:
    """One line that identifies a call among others: its path, command or query."""
    given = arguments(block)
    if isinstance(given, dict):
        for key in _TELLING:
            if isinstance(given.get(key), str) and given[key]:
                return " ".join(given[key].split())
        for key in _TELLING_LISTS:
            if (said := _listed(given.get(key))) is not None:
                return said
        for value in given.values():
            if isinstance(value, str) and value:
                return " ".join(value.split())
        return "" if not given else json.dumps(given, ensure_ascii=False)
    return "" if given is None else " ".join(str(given).split())
