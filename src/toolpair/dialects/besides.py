"""Texts in places where no API expects them: in a block of another kind, or in an extra field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolpair.transcript.model import Block

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
        *("parentId", "parentUuid", "created_at"),
        *("phase", "execution", "internal_chat_message_metadata_passthrough", "metadata", "caller", "format"),
    }
)
"""Keys whose values are names or proofs, not text."""
_OF_THOUGHT: Final = ("reason", "think", "thought")


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


def said_besides(block: Block) -> str:
    """The texts in a block's extra fields, each after its field's name, to append when the block is kept as text."""
    lines: list[str] = []
    last = None
    for key, text in texts_besides(block.value, known_places(block.kind)):
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
