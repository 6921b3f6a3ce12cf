"""OpenAI chat messages: calls in `tool_calls`, each result a message with role `tool`; legacy `function_call` too."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from toolpair.formats.format import AS_RESUMED, Item, View
from toolpair.formats.plain import PlainFormat
from toolpair.formats.telling import CHAT, Told
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, ContentShape, EmptyObject, Message, Scope, Transcript

RESULT_ROLES = ("tool", "function")


def _message_of(item: Item, waiting: Container[Any]) -> Message | None:
    """`waiting` are the ids of calls that no tool's message answers."""
    value = item.value
    if not isinstance(value, dict) or isinstance(value, EmptyObject):
        return None
    role = value.get("role")
    content = value.get("content")
    shape: ContentShape = (
        "string"
        if isinstance(content, str)
        else "blocks"
        if isinstance(content, list)
        else "null"
        if "content" in value
        else "absent"
    )
    answers = _answers(value, waiting)
    if answers or (role in RESULT_ROLES and not _calls(value)):
        name = value.get("name")
        id_ = value.get("tool_call_id") if role == "tool" or answers else None
        block = Block("result", value, item.uid, (), id_, name if isinstance(name, str) else None)
        return Message("tool" if answers else role, (block,), (item.uid,), shape, value)
    blocks: list[Block] = []
    if isinstance(content, str) and content:
        blocks.append(Block("text", content, item.uid, ("content",)))
    elif isinstance(content, list):
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            blocks.append(
                Block(
                    "text" if kind == "text" or isinstance(part, str) else "media", part, item.uid, ("content", number)
                )
            )
    calls = value.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        blocks.append(_call(call, item.uid, ("tool_calls", number)))
    if isinstance(value.get("function_call"), dict):
        blocks.append(_call(value["function_call"], item.uid, ("function_call",)))
    return Message(role, tuple(blocks), (item.uid,), shape, value)


def _answers(value: dict[str, Any], waiting: Container[Any]) -> bool:
    """Whether the message is a result whatever its role says: it answers a call that waits for one."""
    id_ = value.get("tool_call_id")
    return isinstance(id_, str) and id_ in waiting and "content" in value and not value.get("tool_calls")


def _calls(value: dict[str, Any]) -> bool:
    """Whether the message asks for calls and names none that it answers, whatever its role says."""
    calls = value.get("tool_calls")
    return isinstance(calls, list) and bool(calls) and "tool_call_id" not in value and not value.get("content")


def _waiting(items: Sequence[Item]) -> set[str]:
    """The ids of the calls that no tool's message answers, where another message may."""
    values = [item.value for item in items if isinstance(item.value, dict)]
    named = [(value.get("role"), value.get("tool_call_id")) for value in values if "tool_call_id" in value]
    if all(role == "tool" for role, _ in named):
        return set()
    calls = (call for value in values if isinstance(value.get("tool_calls"), list) for call in value["tool_calls"])
    waiting = {call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str)}
    return waiting - {id_ for role, id_ in named if role == "tool" and isinstance(id_, str)}


def _call(value: Any, record: int, slot: tuple[str | int, ...]) -> Block:
    if not isinstance(value, dict):
        return Block("other", value, record, slot)
    holder = next((value[key] for key in ("function", "custom") if isinstance(value.get(key), dict)), value)
    name = holder.get("name")
    return Block("call", value, record, slot, value.get("id"), name if isinstance(name, str) else None)


class OpenAIChatFormat(PlainFormat):
    """Plain arrays and JSON lines of chat messages, judged as they stand."""

    id = "openai-chat"
    title = "OpenAI chat messages"
    profile = "openai-chat"
    containers = frozenset({"array", "lines"})
    where = "request bodies, logs and exports of programs that use the Chat Completions API or one like it"

    def sniff(self, values: Sequence[Any]) -> int:
        told = Told().hear_all(values)
        if told.by:
            return 92 if told.sure == CHAT else 0
        if told.shape() is None:
            return 0
        return 30 if told.listed else 40

    def read(self, items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
        messages: list[Message] = []
        scopes: dict[int, Scope] = {}
        waiting = _waiting(items)
        for item in items:
            message = _message_of(item, waiting)
            if message is None:
                scopes[item.uid] = "malformed"
            else:
                messages.append(message)
        return Transcript(tuple(messages), layout="tool_messages", scopes=scopes)

    def apply(self, items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
        from toolpair.formats.openai_chat_editor import ChatEditor

        return ChatEditor(items, transcript).run(edits)


FORMAT = OpenAIChatFormat()
