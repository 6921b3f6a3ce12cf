"""Anthropic messages: results are blocks of the next user message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.formats.base import AS_RESUMED, Item, View
from toolpair.formats.blocks import blocks_of
from toolpair.formats.plain import PlainFormat
from toolpair.transcript.edits import Edit
from toolpair.transcript.items import CALL_FAMILY, OUTPUT_FAMILY, type_name
from toolpair.transcript.model import EmptyObject, Message, Scope, Transcript


def looks_like_messages(values: Sequence[Any]) -> bool:
    """Whether these are message objects at all, and none of the look-alikes (Bedrock, Gemini, Responses, AI SDK)."""
    dicts = [value for value in values if isinstance(value, dict)]
    if not dicts or sum(isinstance(value.get("role"), str) for value in dicts) * 2 < len(dicts):
        return False
    for value in dicts:
        if ("parts" in value and "content" not in value) or "message_type" in value or "tool_call_ids" in value:
            return False
        if "role" not in value and (type_name(value) in CALL_FAMILY or type_name(value) in OUTPUT_FAMILY):
            return False
        content = value.get("content")
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, dict):
                continue
            if "type" not in part and any(key in part for key in ("text", "toolUse", "toolResult")):
                return False
            if part.get("type") in ("tool-call", "tool-result", "input_text", "output_text"):
                return False
    return True


def has_tool_blocks(values: Sequence[Any]) -> bool:
    return any(
        isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result", "thinking", "server_tool_use")
        for value in values
        if isinstance(value, dict) and isinstance(value.get("content"), list)
        for part in value["content"]
    )


def message_of(item: Item) -> Message | None:
    """The message that a record holds; None when it holds none."""
    value = item.value
    if not isinstance(value, dict) or isinstance(value, EmptyObject):
        return None
    if "content" not in value:
        return Message(value.get("role"), (), (item.uid,), "absent", value)
    blocks, shape = blocks_of(value["content"], item.uid, ("content",))
    return Message(value.get("role"), blocks, (item.uid,), shape, value)


class AnthropicFormat(PlainFormat):
    """Plain arrays and JSON lines of Anthropic messages, judged as they stand."""

    id = "anthropic"
    title = "Anthropic messages"
    profile = "anthropic"
    containers = frozenset({"array", "lines"})
    where = "request bodies, logs and exports of programs that use the Anthropic API"

    def sniff(self, values: Sequence[Any]) -> int:
        if not looks_like_messages(values):
            return 0
        if any(isinstance(value, dict) and value.get("role") == "tool" for value in values):
            return 0
        if has_tool_blocks(values):
            return 90
        return 45 if any(isinstance(value, dict) and isinstance(value.get("content"), list) for value in values) else 20

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        messages: list[Message] = []
        scopes: dict[int, Scope] = {}
        for item in items:
            message = message_of(item)
            if message is None:
                scopes[item.uid] = "malformed"
            else:
                messages.append(message)
        return Transcript(tuple(messages), scopes=scopes)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.anthropic_editor import MessageEditor

        return MessageEditor(items, transcript).run(edits)


FORMAT = AnthropicFormat()
