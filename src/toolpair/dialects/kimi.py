"""Kimi CLI's messages: chat messages whose thinking is a part of the content. They are read as they are sent."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any, Final, Literal

from msgspec.structs import replace

from toolpair.dialects import openai_chat
from toolpair.dialects.block_values import text_part, with_fields, words
from toolpair.dialects.openai_chat_writer import ChatWriter
from toolpair.transcript.draft import DraftBlock
from toolpair.transcript.edits import ABSENT, Edit, Remove, SetField, SetInRecord, SetValue
from toolpair.transcript.model import Block, Message

ROLES: Final = frozenset({"system", "user", "assistant", "tool"})
REASONING: Final = "reasoning_content"
"""The field of a chat message in which thinking is sent."""
_THINK: Final = "think"
_CALLS: Final = "tool_calls"
_FIELDS: Final = ("role", "name", "content", _CALLS, "tool_call_id", "partial")
"""The fields of a message that are read; others are ignored."""
_TEXTS: Final = {"text": "text", _THINK: "think"}
_MEDIA: Final = ("image_url", "audio_url", "video_url")

Fault = Literal["skipped", "stops"]
"""What becomes of a line that is not read as a message: it is skipped, or the session does not load."""


# --- what is sent ------------------------------------------------------------------------------------------


def message_of(value: dict[str, Any], record: int, waiting: Container[Any]) -> Message | None:
    """The message that is sent for a record."""
    said = as_chat(value)
    found = openai_chat.message_of(said, record, waiting)
    if found is None or found.results:
        return found
    content = value.get("content")
    shown = [at for at, part in enumerate(content) if not _thinks(part)] if isinstance(content, list) else ()
    return replace(found, blocks=tuple(_placed(block, value, shown) for block in found.blocks))


def _placed(block: Block, value: Mapping[str, Any], shown: Sequence[int]) -> Block:
    """A block of the chat message with its place in the record, whose parts at these places are sent."""
    if block.slot[0] == "content" and isinstance(at := block.slot[-1], int):
        return replace(block, slot=("content", shown[at])) if shown[at] != at else block
    if block.slot[0] == _CALLS and isinstance(value[_CALLS], dict):
        return replace(block, slot=(_CALLS,))
    return block


def as_chat(value: dict[str, Any]) -> dict[str, Any]:
    """The chat message for a record. Parts and calls stay the same objects, and so does a result."""
    if value.get("role") == "tool":
        return value
    made = {key: value[key] for key in _FIELDS if value.get(key) is not None}
    content = made.get("content", [] if "content" in value else None)
    if isinstance(content, list):
        thoughts = [part for part in content if _thinks(part)]
        content = [part for part in content if not _thinks(part)] if thoughts else content
        if thoughts:
            made[REASONING] = "".join(str(part.get(_THINK) or "") for part in thoughts)
    if content is not None:
        made["content"] = content
    if isinstance(made.get(_CALLS), dict):
        made[_CALLS] = [made[_CALLS]]
    if made.get("role") == "assistant" and made.get(_CALLS) and _is_blank(content):
        made.pop("content", None)
    return made


def without_thinking(result: dict[str, Any]) -> dict[str, Any]:
    """A result as it goes out; the same object where it has no thinking."""
    content = result.get("content")
    if not isinstance(content, list) or not any(map(_thinks, content)):
        return result
    return {**result, "content": [part for part in content if not _thinks(part)]}


def _thinks(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == _THINK


def _is_blank(content: Any) -> bool:
    """Whether it is left out beside calls."""
    if isinstance(content, list):
        return all(isinstance(p, dict) and p.get("type") == "text" and _is_blank(p.get("text")) for p in content)
    return isinstance(content, str) and not content.strip()


# --- what cannot be read -----------------------------------------------------------------------------------


def fault_of(value: Mapping[str, Any]) -> Fault | None:
    """What keeps a record with a role from being read as a message. One without content ends the reading."""
    if not isinstance(value.get("role"), str):
        return "skipped"
    if "content" not in value:
        return "stops"
    content, calls = value["content"], value.get(_CALLS)
    faults = {_part_fault(part) for part in content} if isinstance(content, list) else set()
    if "stops" in faults:
        return "stops"
    fits = (
        value["role"] in ROLES
        and isinstance(content, (str, list, type(None)))
        and not faults - {None}
        and (calls is None or (isinstance(calls, list) and all(map(_is_call, calls))))
        and all(isinstance(value.get(key), (str, type(None))) for key in ("name", "tool_call_id"))
        and isinstance(value.get("partial"), (bool, type(None)))
    )
    return None if fits else "skipped"


def _part_fault(part: Any) -> Fault | None:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return "skipped"
    kind = part["type"]
    if kind in _TEXTS:
        fits = isinstance(part.get(_TEXTS[kind]), str)
        fits = fits and (kind != _THINK or isinstance(part.get("encrypted"), (str, type(None))))
    elif kind in _MEDIA:
        held: Any = part.get(kind)
        fits = isinstance(held, dict) and isinstance(held.get("url"), str)
        fits = fits and isinstance(held.get("id"), (str, type(None)))
    else:
        return "stops"
    return None if fits else "skipped"


def _is_call(call: Any) -> bool:
    function: Any = call.get("function") if isinstance(call, dict) else None
    return (
        isinstance(function, dict)
        and isinstance(call.get("id"), str)
        and isinstance(function.get("name"), str)
        and isinstance(function.get("arguments", 0), (str, type(None)))
        and call.get("type", "function") == "function"
        and isinstance(call.get("extras"), (dict, type(None)))
    )


def mended(value: Mapping[str, Any], message: Message, but: Collection[int] = ()) -> tuple[Edit, ...]:
    """The edits with which a record is read, but for its role, the ids and names of its calls and results, and the
    calls with these id()s.
    """
    return tuple(_mended(value, message, but))


def _mended(value: Mapping[str, Any], message: Message, but: Collection[int]) -> Iterator[Edit]:
    result = next(iter(message.results), None)
    content = value.get("content", "")
    if not isinstance(content, (str, list, type(None))):
        content = words(content)
    elif isinstance(content, list) and any(map(_part_fault, content)):
        content = [_readable(part) if _part_fault(part) else part for part in content]
    odd = {
        key: ABSENT
        for key, kind in (("name", str), ("partial", bool))
        if not isinstance(value.get(key), (kind, type(None)))
    }
    if result is not None:
        if "content" not in value or content is not value["content"]:
            yield with_fields(result, content=content)
    elif isinstance(content, list) and content is not value["content"]:
        blocks = {block.slot: block for block in message.blocks}
        for number, part in enumerate(content):
            if part is not value["content"][number]:
                block = blocks.get(("content", number))
                yield (
                    SetValue(block, part)
                    if block is not None
                    else SetInRecord(message.records[0], ("content", number), part)
                )
    elif "content" not in value or content is not value["content"]:
        yield SetField(message, "content", content)
    for key in odd:
        yield SetInRecord(message.records[0], (key,), ABSENT)
    for block in message.blocks:
        if block.kind == "call" and id(block) not in but and (edit := _mended_call(block)) is not None:
            yield edit
        elif block.kind == "other":
            yield Remove(block)


def _mended_call(call: Block) -> SetValue | None:
    value = call.value
    function = value.get("function")
    if not isinstance(function, dict):
        return None
    made = dict(value)
    given = function.get("arguments", {})
    if not isinstance(given, (str, type(None))):
        made["function"] = {**function, "arguments": words(given)}
    if value.get("type", "function") != "function":
        made["type"] = "function"
    if not isinstance(value.get("extras"), (dict, type(None))):
        del made["extras"]
    return SetValue(call, made) if made != value or call.slot == (_CALLS,) else None


def _readable(part: Any) -> dict[str, Any]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in _MEDIA:
        held = part.get(kind)
        url = held.get("url") if isinstance(held, dict) else held
        if isinstance(url, str):
            return {"type": kind, kind: {"url": url}}
    if kind == _THINK:
        return {"type": _THINK, _THINK: part[_THINK] if isinstance(part.get(_THINK), str) else ""}
    text = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
    return text_part(text if isinstance(text, str) else words(part))


# --- written -----------------------------------------------------------------------------------------------


class KimiWriter(ChatWriter):
    """Parts that are not sent as content keep their places."""

    def with_blocks(self, value: Any, blocks: Iterable[DraftBlock]) -> Any:
        found = list(blocks)
        made = super().with_blocks(value, found)
        content = value.get("content")
        if not isinstance(content, list) or any(block.kind == "result" for block in found):
            return made
        shown = {block.slot[1]: block.value for block in found if block.slot and block.slot[:1] == ("content",)}
        hidden = _hidden(value, content)
        parts = [shown.get(at, part) for at, part in enumerate(content) if at in shown or at in hidden]
        same = len(parts) == len(content) and all(map(is_, parts, content))
        return {**made, "content": content if same else parts}


def _hidden(value: dict[str, Any], content: Sequence[Any]) -> Collection[int]:
    """The places of the parts that are not sent as content."""
    whole = "content" not in as_chat(value)
    return [at for at, part in enumerate(content) if whole or _thinks(part)]


def with_thinking(value: dict[str, Any], thinking: Any) -> dict[str, Any]:
    """The record with this text as its thinking; ABSENT: without any."""
    content = value.get("content")
    parts = content if isinstance(content, list) else [text_part(content)] if content else []
    others = [part for part in parts if not _thinks(part)]
    thought = [] if thinking is ABSENT else [{"type": _THINK, _THINK: thinking}]
    return {**value, "content": [*thought, *others]}


WRITER: Final = KimiWriter()
