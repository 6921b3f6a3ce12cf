"""Gemini's `contents` with Anthropic's blocks.

In a list of contents (`as_anthropic`), a call without an id gets one of its function and its number. In a session
(`blocks_of`), each part is a block at its own place, which `part_of` spells as a part again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolpair.dialects import anthropic
from toolpair.dialects.block_texts import WrittenBlock, named_block, text_of
from toolpair.dialects.block_values import words
from toolpair.dialects.item_types import type_name
from toolpair.transcript.model import Block, Slot

CALL: Final = ("functionCall", "function_call")
RESPONSE: Final = ("functionResponse", "function_response")
_SIGNATURE: Final = ("thoughtSignature", "thought_signature")
_WORDS: Final = ("output", "error")
"""Fields of a response whose text is all that a function says."""
_OF_RESPONSE: Final = (
    "id",
    "name",
    "response",
    "parts",
    "willContinue",
    "will_continue",
    "scheduling",
    "content",
    "is_error",
)
_ROLES: Final = {"model": "assistant", "function": "user", None: "user"}
_MEDIA: Final = ("inlineData", "inline_data", "fileData", "file_data")


def is_content(value: Any) -> bool:
    """Whether it is an element of `contents`."""
    return isinstance(value, dict) and isinstance(value.get("parts"), list) and "content" not in value


def as_anthropic(contents: Iterable[Any]) -> list[Any]:
    """The contents as messages, each at its own place; what is no content stays as it is."""
    ids = _Ids()
    return [_message(content, ids) if is_content(content) else content for content in contents]


def _message(content: dict[str, Any], ids: _Ids) -> dict[str, Any]:
    role = content.get("role")
    known = role is None or isinstance(role, str)
    if role == "model":
        ids.next_exchange()
    blocks = [block for part in content["parts"] for block in _blocks(part, ids)]
    return {"role": _ROLES.get(role, role) if known else role, "content": blocks}


def _blocks(part: Any, ids: _Ids) -> Iterator[Any]:
    if not isinstance(part, dict):
        yield part
    elif isinstance(call := part.get("functionCall", part.get("function_call")), dict):
        id_ = ids.of_call(call)
        yield {"type": "tool_use", "id": id_, "name": call.get("name"), "input": call.get("args") or {}}
    elif isinstance(result := part.get("functionResponse", part.get("function_response")), dict):
        said = result.get("response")
        text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, default=str)
        yield {"type": "tool_result", "tool_use_id": ids.of_result(result), "content": text}
    elif "text" in part and not part.get("thought"):
        yield {"type": "text", "text": part["text"]}
    elif media := next(
        (part[key] for key in ("inlineData", "inline_data", "fileData", "file_data") if key in part), None
    ):
        yield {"type": "image", "source": media}


class _Ids:
    """Gives an id to calls and results that have none: a result without one answers a call by its function's name."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: list[tuple[Any, str]] = []
        """Name and made id of each call of this exchange that has no result yet."""

    def next_exchange(self) -> None:
        self._waiting.clear()

    def of_call(self, call: dict[str, Any]) -> Any:
        if call.get("id") is not None:
            return call["id"]
        made = self._made(call.get("name"))
        self._waiting.append((call.get("name"), made))
        return made

    def of_result(self, result: dict[str, Any]) -> Any:
        if result.get("id") is not None:
            return result["id"]
        for place, (name, made) in enumerate(self._waiting):
            if name == result.get("name"):
                del self._waiting[place]
                return made
        return self._made(result.get("name"))

    def _made(self, name: Any) -> str:
        self._count += 1
        return f"{name if isinstance(name, str) else 'function'}_{self._count}"


# --- a session's parts as blocks ---------------------------------------------------------------------------


def blocks_of(content: Any, record: int, slot: Slot) -> tuple[Block, ...]:
    """The blocks of a content at `slot`: a list of parts, one part, or a text."""
    if isinstance(content, str):
        return (WrittenBlock("text", content, record, slot),)
    if isinstance(content, list):
        return tuple(part_block(part, record, (*slot, number)) for number, part in enumerate(content))
    return () if content is None else (part_block(content, record, slot),)


def part_block(part: Any, record: int, slot: Slot) -> Block:
    """The block that a part is."""
    value = spelled(part)
    if (foreign := anthropic.in_another_form(part, value, record, slot)) is not None:
        return anthropic.with_name(foreign)
    block = anthropic.block_of(value, record, slot)
    if block.kind == "result":
        given = _field(part, RESPONSE)[1]  # None: a result as Anthropic's API has it
        return _result(value, record, slot, given.get("name") if isinstance(given, dict) else None)
    known = value is not part or block.kind in ("text", "other")
    return block if known else WrittenBlock("other", part, record, slot)


def call_block(call: Mapping[str, Any], record: int, slot: Slot) -> Block:
    """The block of a call that stands there without a part around it."""
    return anthropic.block_of(_call(call), record, slot)


def written_result(said: Any, call: Mapping[str, Any], record: int, slot: Slot) -> Block:
    """The block of a call's result that is no part but a value."""
    value: dict[str, Any] = {"type": "tool_result", "content": said if isinstance(said, str) else text_of(said)}
    if "id" in call:
        value["tool_use_id"] = call["id"]
    return _result(value, record, slot, call.get("name"))


def _result(value: dict[str, Any], record: int, slot: Slot, name: Any) -> Block:
    failed = value.get("is_error") is True
    return named_block("result", value, record, slot, value.get("tool_use_id"), name, is_error=failed)


def _field(part: Any, names: Iterable[str]) -> tuple[str, Any]:
    """The first of these fields that the part has an object in, and its name."""
    found = part if isinstance(part, dict) else {}
    return next(((name, found[name]) for name in names if isinstance(found.get(name), dict)), ("", None))


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    args = call.get("args")
    made: dict[str, Any] = {"type": "tool_use", "name": call.get("name"), "input": {} if args is None else args}
    return {**made, "id": call["id"]} if "id" in call else made


_NAMES: Final = frozenset({*CALL, *RESPONSE, *_MEDIA, "text"})
"""By which a part may be one of Gemini's."""


def spelled(part: Any) -> Any:
    """A part as Anthropic's block; the part itself where there is none like it."""
    if not isinstance(part, dict) or part.keys().isdisjoint(_NAMES):
        return part
    if (call := _field(part, CALL)[1]) is not None:
        return _call(call)
    if (response := _field(part, RESPONSE)[1]) is not None:
        return _response(response)
    if "text" in part and part.get("thought"):
        signature = next((part[key] for key in _SIGNATURE if part.get(key)), None)
        made = {"type": "thinking", "thinking": part["text"]}
        return made if signature is None else {**made, "signature": signature}
    if "text" in part:
        return {"type": "text", "text": part["text"]}
    if (media := _field(part, _MEDIA)[1]) is not None:
        return _medium(media)
    return part


def _medium(media: Mapping[str, Any]) -> dict[str, Any]:
    mime = media.get("mimeType", media.get("mime_type"))
    address = media.get("fileUri", media.get("file_uri"))
    source = {"type": "base64", "media_type": mime, "data": media.get("data")}
    kind = "image" if isinstance(mime, str) and mime.startswith("image/") else "document"
    return {"type": kind, "source": source if address is None else {"type": "url", "url": address}}


def _response(response: Mapping[str, Any]) -> dict[str, Any]:
    """A response as a result. What it says beside its words is kept as JSON."""
    said: Any = response.get("response")
    key = next((key for key in _WORDS if isinstance(said, dict) and said.keys() == {key}), None)
    content: Any = said[key] if key is not None else said
    if not isinstance(content, str):
        content = "" if content is None else json.dumps(content, ensure_ascii=False, default=str)
    parts = response.get("parts")
    if isinstance(parts, list) and parts:
        content = [*([{"type": "text", "text": content}] if content else []), *map(spelled, parts)]
    made: dict[str, Any] = {key: field for key, field in response.items() if key not in _OF_RESPONSE}
    made |= {"type": "tool_result", "content": content}
    if "id" in response:
        made["tool_use_id"] = response["id"]
    return {**made, "is_error": True} if key == "error" else made


def part_of(value: Any, was: Block | None, raw: Any) -> Any:
    """A block as a part; what did not change since it was read as `was`, from `raw`, is the same object."""
    if was is not None and value is was.value:
        return raw
    if was is not None and was.form:
        was = raw = None
    if isinstance(value, str):
        return {"text": value}
    kind = type_name(value)
    known: Any = was.value if was is not None and type_name(was.value) == kind else {}
    part = raw if known and isinstance(raw, dict) else {}
    match kind:
        case "text":
            return {**part, "text": value.get("text")}
        case "thinking":
            signature = value.get("signature")
            made = {**part, "text": value.get("thinking"), "thought": True}
            return made if signature is None else {**made, _SIGNATURE[0]: signature}
        case "tool_use":
            name, call = _field(part, CALL)
            return {**part, name or CALL[0]: call_of(value, known, call or {})}
        case "tool_result":
            name, response = _field(part, RESPONSE)
            return {**part, name or RESPONSE[0]: _response_of(value, known, response or {})}
        case "image" | "document":
            return _medium_of(value)
    return value if isinstance(value, dict) else {"text": words(value)}


def call_of(value: Mapping[str, Any], known: Mapping[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """A call's object with what changed since it was read as `known`."""
    made = dict(call)
    for key, own in (("id", "id"), ("name", "name"), ("input", "args")):
        if key in value and (key not in known or known[key] is not value[key]):
            made[own] = value[key]
    return made


def _response_of(value: Mapping[str, Any], known: Mapping[str, Any], response: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(response)
    if "id" not in made or value.get("tool_use_id") != known.get("tool_use_id"):
        made = {"id": value.get("tool_use_id"), **{key: field for key, field in made.items() if key != "id"}}
    if "name" not in made or value.get("name", made["name"]) != made["name"]:
        made["name"] = value.get("name") or "unknown"
    failed = value.get("is_error") is True
    if known and value.get("content") is known.get("content") and failed == (known.get("is_error") is True):
        return made
    content = value.get("content")
    parts = content if isinstance(content, list) else []
    media = [part_of(part, None, None) for part in parts if type_name(part) in ("image", "document")]
    said = text_of([part for part in parts if type_name(part) not in ("image", "document")] if parts else content)
    made["response"] = {"error" if failed else "output": said}
    made.pop("parts", None)
    return {**made, "parts": media} if media else made


def _medium_of(value: Mapping[str, Any]) -> dict[str, Any]:
    source = value.get("source")
    held = source if isinstance(source, dict) else {}
    if held.get("type") == "base64":
        return {"inlineData": {"mimeType": held.get("media_type", ""), "data": held.get("data", "")}}
    kind = "image/*" if type_name(value) == "image" else "application/pdf"
    return {"fileData": {"mimeType": kind, "fileUri": held.get("url", "")}}
