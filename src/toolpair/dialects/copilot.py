"""Copilot CLI's events: calls are in `toolRequests` of a response, and each result is an event of its own.

They are read as the blocks of Anthropic's Messages API, which all rules know, and written back from these.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolpair.dialects.block_texts import WrittenBlock, named_block, text_of
from toolpair.dialects.media import HeldMedia, described
from toolpair.transcript.model import Block

USER: Final = "user.message"
RESPONSE: Final = "assistant.message"
RESULT: Final = "tool.execution_complete"
SUMMARY: Final = "session.compaction_complete"
ROLES: Final = {USER: "user", RESPONSE: "assistant", RESULT: "result"}
"""Type of an event that is sent -> who says it."""
CALLS: Final = "toolRequests"
ATTACHED: Final = "attachments"
ASSET: Final = "session.binary_asset"
"""Type of an event with the bytes of what others name by their hash. (Images of results are not sent again.)"""
Assets = Mapping[str, Any]
"""Id of an asset -> its content in Base64."""


def blocks_of(kind: Any, data: dict[str, Any], record: int, assets: Assets) -> tuple[Block, ...]:
    """The blocks of an event of one of the types in `ROLES`."""
    if kind == RESULT:
        return (result_block(data, record),)
    if kind == USER:
        key = user_key(data)
        return (WrittenBlock("text", str(data.get(key) or ""), record, ("data", key)), *_media(data, record, assets))
    words, calls = data.get("content"), data.get(CALLS)
    said = (WrittenBlock("text", words, record, ("data", "content")),) if isinstance(words, str) and words else ()
    listed = calls if isinstance(calls, list) else ()
    return (*said, *(call_block(call, record, number) for number, call in enumerate(listed)))


def _media(data: dict[str, Any], record: int, assets: Assets) -> Iterator[Block]:
    """The images and documents that are sent with the user's words."""
    attached = data.get(ATTACHED)
    for number, part in enumerate(attached if isinstance(attached, list) else ()):
        if is_media(part):
            kind = "image" if part["mimeType"].startswith("image/") else "document"
            content = part["data"] if "data" in part else assets.get(str(part["assetId"]), "")
            media = {"type": kind, "source": {"type": "base64", "media_type": part["mimeType"], "data": content}}
            yield WrittenBlock("media", HeldMedia.of(media, part), record, ("data", ATTACHED, number))


def is_media(attached: Any) -> bool:
    """Whether the bytes of what is attached are sent. Of a file without them a line of text is sent."""
    return (
        isinstance(attached, dict)
        and isinstance(attached.get("mimeType"), str)
        and ("data" in attached or "assetId" in attached)
    )


def attachment_of(media: dict[str, Any], was: Block | None, raw: dict[str, Any]) -> dict[str, Any]:
    """An image or a document as an attachment; `raw` is the one that it was read from as `was`."""
    if was is not None and media is was.value:
        return raw
    held = described(media)
    named = {"displayName": raw["displayName"]} if "displayName" in raw else {}
    return {"type": "blob", "data": held.data, "mimeType": held.type, **named}


def user_key(data: dict[str, Any]) -> str:
    """The field with the user's words as they are sent."""
    return "transformedContent" if isinstance(data.get("transformedContent"), str) else "content"


def call_block(call: Any, record: int, number: int) -> Block:
    slot = ("data", CALLS, number)
    if not isinstance(call, dict):
        return WrittenBlock("other", call, record, slot)
    value = {"type": "tool_use", "name": call.get("name"), "input": _arguments(call.get("arguments"))}
    if "toolCallId" in call:
        value["id"] = call["toolCallId"]
    return named_block("call", value, record, slot, call.get("toolCallId"), call.get("name"))


def _arguments(given: Any) -> Any:
    """Arguments as an object: older versions wrote them as JSON in a string."""
    if given is None:
        return {}
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except (ValueError, RecursionError):
        return given


def result_block(data: dict[str, Any], record: int) -> Block:
    """The block that a result's event is."""
    failed = data.get("success") is False
    value: dict[str, Any] = {"type": "tool_result", "content": output_of(data)}
    if "toolCallId" in data:
        value["tool_use_id"] = data["toolCallId"]
    if failed:
        value["is_error"] = True
    return named_block(
        "result", value, record, ("data",), value.get("tool_use_id"), data.get("toolName"), is_error=failed
    )


def output_of(data: dict[str, Any]) -> str:
    """What of a result is sent."""
    holder, key = (data.get("error"), "message") if data.get("success") is False else (data.get("result"), "content")
    found = holder.get(key) if isinstance(holder, dict) else None
    return found if isinstance(found, str) else text_of(found)


def call_of(value: Any, was: Block | None, raw: Any) -> Any:
    """A call as a request of a response's; `raw` is the one that it was read from as `was`."""
    if was is not None and value is was.value:
        return raw
    known = was.value if was is not None and isinstance(was.value, dict) else {}
    made = dict(raw) if known and isinstance(raw, dict) else {"toolCallId": None, "type": "function"}
    for key, own in (("id", "toolCallId"), ("name", "name"), ("input", "arguments")):
        if key in value and (key not in known or known[key] is not value[key]):
            made[own] = value[key]
    return made


def result_of(value: dict[str, Any], was: Block | None, raw: dict[str, Any]) -> dict[str, Any]:
    """The data of a result's event; `raw` is what it was read from as `was`, or what a new one has."""
    known = was.value if was is not None else {}
    made = dict(raw)
    if value.get("tool_use_id") != known.get("tool_use_id") or "toolCallId" not in made:
        made["toolCallId"] = value.get("tool_use_id")
    failed = value.get("is_error") is True
    same_kind = was is not None and failed == (known.get("is_error") is True)
    if same_kind and value.get("content") is known.get("content"):
        return made
    text, other = text_of(value.get("content")), "result" if failed else "error"
    made["success"] = not failed
    made.pop(other, None)
    key, field = ("error", "message") if failed else ("result", "content")
    old = made.get(key)
    made[key] = {**(old if isinstance(old, dict) else {}), field: text}
    return made
