"""Continue's messages: chat messages with `toolCalls`, and each result as the state of its call, beside the message.

They are read as the chat messages that Continue makes of them, and written back from these.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.block_texts import is_placeholder_text, text_of
from toolpair.dialects.item_types import type_name
from toolpair.transcript.model import Slot

CANCELLED: Final = "Tool cancelled"
"""What Continue sends for a call whose state has no output."""
MESSAGE: Final = "message"
STATES: Final = "toolCallStates"
_THOUGHT: Final = "thinking"
_SPELLED: Final = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}
"""Field of a chat message -> Continue's name for it."""
_OUTPUT: Final = {"name": "Tool Result", "description": "Tool execution result"}


def message_of(item: Any) -> dict[str, Any] | None:
    """The message of an item as Continue writes it; None without one."""
    found = item.get(MESSAGE) if isinstance(item, dict) else None
    return found if isinstance(found, dict) else None


def states_of(item: Any) -> Sequence[Any]:
    """The states of an item's calls."""
    found = item.get(STATES) if isinstance(item, dict) else None
    return found if isinstance(found, list) else ()


def is_of_extension(item: Any) -> bool:
    """Whether the editor's extension wrote the item: the command line gives its messages no id."""
    return "id" in (message_of(item) or {})


def as_chat(message: Mapping[str, Any]) -> dict[str, Any]:
    """The chat message that is sent for a message; what is spelled alike stays the same object."""
    role = message.get("role")
    made: dict[str, Any] = {"role": "assistant" if role == _THOUGHT else role}
    if role == "tool":
        made["tool_call_id"] = message.get("toolCallId")
    if "content" in message:
        content = message["content"]
        made["content"] = [_part(part) for part in content] if _has_images(content) else content
    calls = message.get("toolCalls")
    if role == "assistant" and calls and isinstance(calls, list):
        made["tool_calls"] = calls
    return made


def state_as_chat(state: Mapping[str, Any]) -> dict[str, Any]:
    """The chat message that is sent for the state of a call."""
    return {"role": "tool", "tool_call_id": state.get("toolCallId"), "content": output_of(state)}


def sent_call(call: Any) -> Any:
    """A call as it goes out; the same object where nothing is added."""
    if not isinstance(call, dict):
        return call
    given = call.get("function")
    function = given if isinstance(given, dict) else {}
    texts = {key: function.get(key) or "" for key in ("name", "arguments")}
    whole = call.get("type") == "function" and "id" in call and all(function.get(key) == texts[key] for key in texts)
    return call if whole else {"id": call.get("id"), "type": "function", "function": texts}


def output_of(state: Mapping[str, Any]) -> str:
    """What is sent as the result of a call."""
    return "\n".join(map(_said, state["output"])) if has_output(state) else CANCELLED


def has_output(state: Mapping[str, Any]) -> bool:
    return isinstance(state.get("output"), list) and bool(state["output"])


def _said(part: Any) -> str:
    content = part.get("content") if isinstance(part, dict) else None
    return "" if content is None else content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def slot_of(block: Slot, at: Slot) -> Slot:
    """Where a block stands in its item: `block` in the chat message, which is made of what stands at `at`."""
    return (*at, *(_SPELLED.get(step, step) if isinstance(step, str) else step for step in block))


def _has_images(content: Any) -> bool:
    return isinstance(content, list) and any(type_name(part) == "imageUrl" for part in content)


def _part(part: Any) -> Any:
    return {"type": "image_url", "image_url": part.get("imageUrl")} if type_name(part) == "imageUrl" else part


# --- written -----------------------------------------------------------------------------------------------


def from_chat(now: Mapping[str, Any], raw: Mapping[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """A chat message as Continue writes it. `raw` was read as `was`; what did not change stays the same object."""
    made = dict(raw)
    for key in {**was, **now}:
        own = _SPELLED.get(key, key)
        if key not in now:
            made.pop(own, None)
        elif key not in was or now[key] is not was[key]:
            made[own] = _content(now[key], raw, was) if key == "content" else now[key]
    if "content" not in made:
        made["content"] = ""
    return made


def _content(content: Any, raw: Mapping[str, Any], was: Mapping[str, Any]) -> Any:
    if content is None:
        return ""
    if not isinstance(content, list):
        return content
    given, read = raw.get("content"), was.get("content")
    both = zip(read, given, strict=True) if isinstance(read, list) and isinstance(given, list) else ()
    known = {id(part): own for part, own in both}
    return [known.get(id(part), _own_part(part)) for part in content]


def _own_part(part: Any) -> Any:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if type_name(part) == "image_url":
        return {"type": "imageUrl", "imageUrl": part.get("image_url")}
    return part


def new_item(message: dict[str, Any]) -> dict[str, Any]:
    """An item for a new chat message."""
    made: dict[str, Any] = {MESSAGE: from_chat(message, {}, {}), "contextItems": []}
    if message.get("role") == "user":
        made["editorState"] = made[MESSAGE]["content"]
    return made


def changed_state(state: Mapping[str, Any], now: Mapping[str, Any], was: Mapping[str, Any]) -> dict[str, Any]:
    """A state that was read as `was`, with what changed since then."""
    made = dict(state)
    if now.get("tool_call_id") != was.get("tool_call_id"):
        made = renamed_state(made, now.get("tool_call_id"))
    if now.get("content") != was.get("content"):
        made["output"] = _output(now.get("content"), state)
    return made


def renamed_state(state: Mapping[str, Any], id_: Any) -> dict[str, Any]:
    made = {**state, "toolCallId": id_}
    if isinstance(state.get("toolCall"), dict):
        made["toolCall"] = {**state["toolCall"], "id": id_}
    return made


def answered_state(state: Mapping[str, Any], content: Any) -> dict[str, Any]:
    """A state that had no output, with one."""
    return {**state, "status": _status(content), "output": _output(content, state)}


def new_state(result: Mapping[str, Any], calls: Iterable[Any]) -> dict[str, Any]:
    """The state for a new result, of one of these calls of its message."""
    id_, content = result.get("tool_call_id"), result.get("content")
    call = next((one for one in calls if isinstance(one, dict) and one.get("id") == id_), None)
    made: dict[str, Any] = {"toolCallId": id_}
    if call is not None:
        made["toolCall"] = call
        function = call.get("function")
        made["parsedArgs"] = _arguments(function.get("arguments") if isinstance(function, dict) else None)
    return {**made, "status": _status(content), "output": _output(content, {})}


def _status(content: Any) -> str:
    return "errored" if is_placeholder_text(text_of(content)) else "done"


def _output(content: Any, state: Mapping[str, Any]) -> list[Any]:
    old = state["output"][0] if has_output(state) and isinstance(state["output"][0], dict) else _OUTPUT
    return [{**old, "content": text_of(content)}] if "content" in old else [{"content": text_of(content), **old}]


def _arguments(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        return {}
