"""OpenAI's Chat Completions API: calls are in `tool_calls`, and each result is a message with role `tool`.

Legacy messages have a single `function_call`, and results with role `function`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from toolpair.dialects.block_texts import WrittenBlock, named_block
from toolpair.dialects.block_values import says_nothing, with_fields, words
from toolpair.transcript.edits import ABSENT, Edit, SetField, SetValue
from toolpair.transcript.model import Block, ContentShape, EmptyObject, Message, Slot

if TYPE_CHECKING:
    from toolpair.dialects.foreign_parts import ForeignPart

RESULT_ROLES: Final = ("tool", "function")
RESULT_MEDIA: Final = frozenset({"image_url", "file", "input_audio"})
"""Types of non-text parts of a message; a result for some providers may hold them too."""
_PARTS: Final = ("text", *RESULT_MEDIA)
_OWN: Final = ("role", "tool_call_id")
_LEGACY: Final = "function_call"
MESSAGE_FIELDS: Final = {
    "system": frozenset({"role", "content", "name"}),
    "user": frozenset({"role", "content", "name"}),
    "assistant": frozenset({"role", "content", "name", "tool_calls", _LEGACY, "reasoning", "prefix"}),
    "tool": frozenset({"role", "content", "name", "tool_call_id"}),
    "function": frozenset({"role", "content", "name"}),
}
"""Message role -> the fields that the API knows."""
THINKING_FIELDS: Final = frozenset({"reasoning_content", "reasoning"})
"""The fields that other providers of this API use for the model's thinking."""
_THOUGHT: Final = (*sorted(THINKING_FIELDS), "reasoning_details", "thinking_blocks")
"""The same, with those in which proxies keep what it is signed with."""


def message_of(value: Any, record: int, waiting: Container[Any]) -> Message | None:
    """The message for a record; None where it is not one. `waiting` are ids of calls without a `tool` message."""
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
    if value.keys().isdisjoint(_OWN) and (found := _foreign(value)) is not None:
        role = "assistant" if found.kind == "call" else "tool"
        return Message(role, (foreign_block(found, record, ()),), (record,), "blocks", value)
    answers = _answers(value, waiting)
    if answers or (role in RESULT_ROLES and not _calls(value)):
        id_ = value.get("tool_call_id") if role == "tool" or answers else None
        block = named_block("result", value, record, (), id_, value.get("name"))
        return Message("tool" if answers else role, (block,), (record,), shape, value)
    blocks: list[Block] = []
    if isinstance(content, str) and content:
        blocks.append(WrittenBlock("text", content, record, ("content",)))
    elif isinstance(content, list):
        for number, part in enumerate(content):
            kind = part.get("type") if isinstance(part, dict) else None
            if isinstance(part, dict) and _may_be_foreign(part) and (found := _foreign(part)) is not None:
                blocks.append(foreign_block(found, record, ("content", number)))
                continue
            # Amazon's Nova has such parts.
            is_text = kind == "text" or isinstance(part, str) or (isinstance(part, dict) and part.keys() == {"text"})
            blocks.append(WrittenBlock("text" if is_text else "media", part, record, ("content", number)))
    calls = value.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        blocks.append(_call(call, record, ("tool_calls", number)))
    if isinstance(value.get(_LEGACY), dict):
        blocks.append(_call(value[_LEGACY], record, (_LEGACY,)))
    return Message(role, tuple(blocks), (record,), shape, value)


def _may_be_foreign(part: dict[str, Any]) -> bool:
    """Whether it is more than a text, or no part of this API."""
    return len(part) != 2 or part.get("type") not in _PARTS


def _foreign(value: Any) -> ForeignPart | None:
    from toolpair.dialects.foreign_parts import foreign_part  # few files need it

    return foreign_part(value)


def foreign_block(found: ForeignPart, record: int, slot: Slot) -> Block:
    """A call or a result of another API's as the call or the tool message that it says."""
    from toolpair.dialects.foreign_parts import with_error

    value: dict[str, Any]
    if found.kind == "call":
        given = found.said if isinstance(found.said, str) else words(found.input)
        value = {"id": found.id, "type": "function", "function": {"name": found.name, "arguments": given}}
    else:
        value = {"role": "tool", "tool_call_id": found.id, "content": with_error(found, found.said, "text")}
    value |= found.left
    return WrittenBlock(found.kind, value, record, slot, found.id, found.name, form=found.what)


def _answers(value: dict[str, Any], waiting: Container[Any]) -> bool:
    """Whether the message is a result despite its role: it answers a call that has no other result."""
    id_ = value.get("tool_call_id")
    return isinstance(id_, str) and id_ in waiting and "content" in value and not value.get("tool_calls")


def _calls(value: dict[str, Any]) -> bool:
    """Whether the message makes calls despite its role: it has `tool_calls` and answers none."""
    calls = value.get("tool_calls")
    return isinstance(calls, list) and bool(calls) and "tool_call_id" not in value and not value.get("content")


def waiting_in(records: Iterable[Any]) -> set[str]:
    """Ids of calls without a `tool` message, when a message with another role may answer one; else empty."""
    values = [value for value in records if isinstance(value, dict)]
    named = [(value.get("role"), value.get("tool_call_id")) for value in values if "tool_call_id" in value]
    if all(role == "tool" for role, _ in named):
        return set()
    calls = (call for value in values if isinstance(value.get("tool_calls"), list) for call in value["tool_calls"])
    waiting = {call["id"] for call in calls if isinstance(call, dict) and isinstance(call.get("id"), str)}
    return waiting - {id_ for role, id_ in named if role == "tool" and isinstance(id_, str)}


def _call(value: Any, record: int, slot: Slot) -> Block:
    if not isinstance(value, dict):
        return WrittenBlock("other", value, record, slot)
    holder = next((value[key] for key in ("function", "custom") if isinstance(value.get(key), dict)), value)
    return named_block("call", value, record, slot, value.get("id"), holder.get("name"))


# Calls and parts


def image_address(part: Any) -> str | None:
    """The address of an image part; None for other parts."""
    if not isinstance(part, dict) or part.get("type") != "image_url":
        return None
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    return address if isinstance(address, str) else None


def is_legacy(block: Block) -> bool:
    """Whether it is a `function_call`, which has neither id nor type."""
    return block.slot[-1:] == (_LEGACY,)


def lacks_type(call: Block) -> bool:
    """Whether it is a call without the type that all but legacy calls need."""
    value = call.value
    if not isinstance(value, dict) or is_legacy(call) or value.get("type") in ("function", "custom"):
        return False
    return "type" not in value or isinstance(value.get("function"), dict)


def with_type(call: Block) -> SetValue:
    """The edit that sets a call's type."""
    return with_fields(call, type="function")


def has_json_arguments(call: Block) -> bool:
    """Whether its arguments are JSON in a string, rather than free text or an object."""
    return _function_of(call) is not None and call.value.get("type") not in ("custom", "tool_search_call")


def given_arguments(call: Block) -> Any:
    """The value in the place of the call's arguments."""
    function = _function_of(call)
    return function.get("arguments") if function is not None else None


def _function_of(call: Block) -> dict[str, Any] | None:
    """The object of a call that holds `name` and `arguments`; for a legacy `function_call`, the call itself."""
    for key in ("function", "custom"):
        if isinstance(call.value.get(key), dict):
            holder: dict[str, Any] = call.value[key]
            return holder
    return call.value if "arguments" in call.value or is_legacy(call) else None


def with_function(call: Block, **changes: Any) -> SetValue:
    """The edit that changes these fields of a call's function object."""
    for key in ("function", "custom"):
        if isinstance(call.value.get(key), dict):
            return SetValue(call, {**call.value, key: {**call.value[key], **changes}})
    return SetValue(call, {**call.value, **changes})


def thought_signature(call: Block) -> Any:
    """The Gemini signature of a call, as Gemini's endpoint for this API writes it; None without one."""
    extra = call.value.get("extra_content") if isinstance(call.value, dict) else None
    google = extra.get("google") if isinstance(extra, dict) else None
    return google.get("thought_signature") if isinstance(google, dict) else None


def with_thought_signature(call: Block, signature: str) -> SetValue:
    """The edit that adds a Gemini signature to a call."""
    extra = call.value.get("extra_content")
    google = extra.get("google") if isinstance(extra, dict) else None
    kept = {**google} if isinstance(google, dict) else {}
    outer = {**extra} if isinstance(extra, dict) else {}
    signed = {**outer, "google": {**kept, "thought_signature": signature}}
    return SetValue(call, {**call.value, "extra_content": signed})


# Messages


def text_of_parts(content: list[Any]) -> str | None:
    """The texts of a content as one text, a paragraph each; None where there is more than text in it."""
    for part in content:
        if not isinstance(part, dict) or part.get("type") != "text" or not isinstance(part.get("text"), str):
            return None
        if not part.keys() <= {"type", "text", "cache_control"}:
            return None
    return "\n\n".join(part["text"] for part in content)


def content_of(message: Message) -> Any:
    return message.value.get("content") if isinstance(message.value, dict) else None


def joined_content(messages: Iterable[Message]) -> Any:
    """The content of all the messages combined as the content of one."""
    contents = [content for message in messages if (content := content_of(message))]
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(contents) if contents else None
    parts: list[Any] = []
    for content in contents:
        parts.extend(content if isinstance(content, list) else [{"type": "text", "text": content}])
    return [part for part in parts if not says_nothing(part)]


def is_prefix(message: Message) -> bool:
    """Whether the assistant message asks the model to continue it."""
    return isinstance(message.value, dict) and message.value.get("prefix") is True


def brings_thinking(message: Message) -> bool:
    """Whether the message returns the model's thinking (`reasoning_content`)."""
    return isinstance(message.value, dict) and isinstance(message.value.get("reasoning_content"), str)


def thinking_beside(message: Message) -> dict[str, Any]:
    """The fields of an assistant message that hold the model's thinking, and what it is signed with."""
    value = message.value if isinstance(message.value, dict) and message.role == "assistant" else {}
    return {key: value[key] for key in _THOUGHT if value.get(key)}


def without_thinking_beside(message: Message) -> list[SetField]:
    """The edits that remove these fields."""
    return [SetField(message, key, ABSENT) for key in thinking_beside(message)]


def with_thinking(message: Message, thinking: str) -> SetField:
    """The edit that sets the message's thinking."""
    return SetField(message, "reasoning_content", thinking)


def without_calls(message: Message) -> SetField:
    """The edit that removes `tool_calls`."""
    return SetField(message, "tool_calls", ABSENT)


def says_otherwise(message: Message) -> bool:
    """Whether it has text or audio outside its content."""
    value = message.value if isinstance(message.value, dict) else {}
    return any(value.get(key) for key in ("refusal", "audio", "reasoning_content", "reasoning"))


def lists_no_calls(message: Message) -> bool:
    """Whether its `tool_calls` is an empty list."""
    return isinstance(message.value, dict) and message.value.get("tool_calls") == []


def unlisted_calls(message: Message) -> Literal["call", "other"] | None:
    """What is in `tool_calls` when that is not a list: a single call, or something else; None when it is fine."""
    calls = message.value.get("tool_calls") if isinstance(message.value, dict) else None
    if calls is None or isinstance(calls, list):
        return None
    return "call" if isinstance(calls, dict) and "id" in calls else "other"


def call_as_list(message: Message) -> SetField:
    """The edit that puts the single call in a list."""
    return SetField(message, "tool_calls", [message.value["tool_calls"]])


def only_calls(message: Message) -> SetField | None:
    """The edit that removes non-calls from `tool_calls`; None where all are calls."""
    calls = message.value.get("tool_calls") if isinstance(message.value, dict) else None
    if not isinstance(calls, list) or all(isinstance(call, dict) for call in calls):
        return None
    return SetField(message, "tool_calls", [call for call in calls if isinstance(call, dict)])


def is_of_another(message: Message) -> bool:
    """Whether it is a result that names its call but has a role other than `tool`."""
    value = message.value
    return bool(message.results) and isinstance(value, dict) and "tool_call_id" in value and value.get("role") != "tool"


def may_be_tool_call(home: Message, call: Block) -> bool:
    """Whether a legacy call can be rewritten as one with an id: its message has no other calls."""
    return is_legacy(call) and not home.value.get("tool_calls")


def as_tool_call(home: Message, call: Block, result: Block, id_: str) -> tuple[Edit, ...]:
    """The edits that rewrite a legacy call and its result with an id."""
    kept = {key: value for key, value in result.value.items() if key != "role"}
    return (
        SetField(home, _LEGACY, ABSENT),
        SetField(home, "tool_calls", [{"id": id_, "type": "function", "function": call.value}]),
        SetValue(result, {"role": "tool", "tool_call_id": id_, **kept}),
    )
