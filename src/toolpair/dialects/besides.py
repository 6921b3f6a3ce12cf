"""Texts in places where no API expects them: in a block of another kind, or in an extra field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolpair.dialects.item_types import ITEMS, content_key, type_name
from toolpair.transcript.model import Block, Message

_KNOWN: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"text", "content"}),
    "call": frozenset({"input", "arguments", "function", "custom", "action"}),
    "result": frozenset({"content", "output", "tools"}),
    "server_call": frozenset({"input", "arguments"}),
    "server_result": frozenset({"content", "output"}),
    "mcp_call": frozenset({"input", "arguments"}),
    "mcp_result": frozenset({"content", "output"}),
}
_NO_TEXT: Final = frozenset(
    {
        *("type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "item_id", "name", "namespace", "status"),
        *("signature", "data", "encrypted_content", "media_type", "cache_control", "model", "uuid", "timestamp"),
        *("parentId", "parentUuid", "identity_parent_id", "leaf_event_id", "created_at"),
        *("phase", "execution", "internal_chat_message_metadata_passthrough", "metadata", "caller", "format"),
    }
)
"""Keys whose values are names or proofs, not text."""
_OF_THOUGHT: Final = ("reason", "think", "thought")
_SAYS: Final = ("function_call", "refusal", "audio", "tool_call_id", "call_id")
"""The keys besides `content` and `tool_calls` under which a message says or answers something."""
_MOST_KEYS: Final = 4
_LONGEST_KEY: Final = 32
_CALL: Final = frozenset({"function", "custom", "name", "arguments"})
"""Keys of which a call in `tool_calls` has one."""
_ABOUT: Final = (_NO_TEXT - {"data", "metadata"}) | {
    *("ts", "time", "date", "created", "object", "index", "usage", "metrics", "tokens", "provider", "finish_reason"),
    *("stop_reason", "stopReason", "stop_sequence", "version", "agent", "api", "responseModel", "errorMessage"),
    *("diagnostics", "modelInfo", "logprobs", "provider_specific_fields", "condenseParent", "truncationParent"),
}
"""Keys whose values say something about a message, and are not what it says."""


def known_places(kind: str) -> frozenset[str]:
    """The keys that hold the known text of a block of this kind."""
    return _KNOWN.get(kind, frozenset())


def texts_besides(value: Any, known: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """(outermost key, text) for each text in a value that is not under a key of `known`."""
    if not isinstance(value, dict):
        yield from (("", text) for text in _texts(value))
        return
    for key, part in value.items():
        if key not in known and _speaks(key):
            yield from ((key, text) for text in _texts(part))


def content_elsewhere(value: dict[str, Any]) -> tuple[str, ...]:
    """The keys with the content of an object that says nothing where its API looks; empty for any other object.

    Such an object is neither an empty message nor one that lacks a field: it is not understood.
    """
    content = value.get("content")
    if content and not (isinstance(content, str) and not content.strip()):
        return ()
    calls = value.get("tool_calls")
    if calls:
        foreign = isinstance(calls, list) and not any(map(_is_call, calls))
        return ("tool_calls",) if foreign else ()
    if type_name(value) in ITEMS or any(value.get(key) for key in _SAYS):
        return ()
    return telling_keys(value)


def telling_keys(value: dict[str, Any]) -> tuple[str, ...]:
    """The keys under which an object may say something, whatever API it is for."""
    return tuple([key for key, found in value.items() if _tells(key) and _holds_text(found)])


def keys_of_content(message: Message) -> tuple[str, ...]:
    """The same for a message."""
    return content_elsewhere(message.value) if isinstance(message.value, dict) else ()


def says_besides(block: Block) -> bool:
    """Whether a text block says something under another key than its text."""
    return any(texts_besides(block.value, frozenset({"text"})))


def named_keys(keys: Sequence[str]) -> str:
    """Some of the keys, for a sentence."""
    shown = [key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY]}…" for key in keys[:_MOST_KEYS]]
    return ", ".join([*shown, *(["…"] if len(keys) > len(shown) else [])])


def _is_call(call: Any) -> bool:
    """Whether it may be a call: anything but an object that says all it has under keys of another's."""
    if not isinstance(call, dict) or call.keys() & _CALL:
        return True
    return not any(_holds_text(found) for key, found in call.items() if _tells(key))


def _tells(key: str) -> bool:
    is_name = key in _ABOUT or key.endswith(("_id", "Id", "ID", "_at", "At"))
    return not is_name and not any(word in key for word in _OF_THOUGHT)


def _holds_text(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, (dict, list)) and bool(value)


def _known_in(block: Block) -> frozenset[str]:
    """The keys that hold the known text of this block: of a result, the one that its text is read from."""
    if block.kind == "result" and type_name(block.value) != "tool_search_output":
        return frozenset({content_key(block.value)})
    return known_places(block.kind)


def said_besides(block: Block) -> str:
    """The texts in a block's extra fields, each after its field's name, to append when the block is kept as text."""
    lines: list[str] = []
    last = None
    for key, text in texts_besides(block.value, _known_in(block)):
        lines += [text] if key == last else [f"{key}:", text]
        last = key
    return "".join(f"\n{line}" for line in lines)


def _speaks(key: str) -> bool:
    return key not in _NO_TEXT and not any(word in key for word in _OF_THOUGHT)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, in order, except under keys that only hold names."""
    todo = [value]
    while todo:
        found = todo.pop()
        if isinstance(found, str):
            if found.strip():
                yield found
        elif isinstance(found, list):
            todo.extend(reversed(found))
        elif isinstance(found, dict):
            todo.extend(reversed([part for key, part in found.items() if _speaks(key)]))
