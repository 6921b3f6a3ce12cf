"""What blocks and messages say in places that have no meaning: in a block of another kind, in a field too many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from toolpair.transcript.model import Block, Message

OF_MESSAGE: Final = frozenset({"content", "tool_calls", "function_call", "output", "message"})
"""Where a message says what is known to be its own."""
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
        *("phase", "execution", "internal_chat_message_metadata_passthrough", "metadata", "caller", "format"),
    }
)
"""Keys whose values name or prove something."""
_OF_THOUGHT: Final = ("reason", "think", "thought")


def known_places(kind: str) -> frozenset[str]:
    """The keys of a block of that kind under which stands what it is known to say."""
    return _KNOWN.get(kind, frozenset())


def texts_besides(value: Any, known: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """The texts in a value that stand under no key of `known`, with the outermost key of each."""
    if not isinstance(value, dict):
        yield from (("", text) for text in _texts(value))
        return
    for key, part in value.items():
        if key not in known and _speaks(key):
            yield from ((key, text) for text in _texts(part))


class KnownText(Struct, frozen=True, eq=False):
    """A value that may say something beside what it is known to say."""

    value: Any
    known: frozenset[str] | None
    """The keys under which that stands; None for a record that is no message's."""

    @property
    def piece(self) -> int:
        """Which piece of the file it is, as of a block."""
        return id(self.value)

    def besides(self) -> Iterator[str]:
        return (text for _, text in texts_besides(self.value, self.known or frozenset()))

    def all_texts(self) -> Iterator[str]:
        """All that stands in it, names as well."""
        todo = [self.value]
        while todo:
            found = todo.pop()
            if isinstance(found, str):
                yield found
            elif isinstance(found, (list, dict)):
                todo.extend(found.values() if isinstance(found, dict) else found)


def said_by_block(block: Block) -> KnownText | None:
    """None of what says nothing in words."""
    if not isinstance(block.value, dict) or block.kind in ("thinking", "media"):
        return None
    return KnownText(block.value, known_places(block.kind))


def said_by_message(message: Message) -> KnownText | None:
    """What its object says; None where it is its block at once, as an item is."""
    if not isinstance(message.value, dict) or any(block.value is message.value for block in message.blocks):
        return None
    return KnownText(message.value, OF_MESSAGE)


def said_besides(block: Block) -> str:
    """What a block says in fields too many, each behind its name, for a text that keeps what the block says."""
    lines: list[str] = []
    last = None
    for key, text in texts_besides(block.value, known_places(block.kind)):
        lines += [text] if key == last else [f"{key}:", text]
        last = key
    return "".join(f"\n{line}" for line in lines)


def _speaks(key: str) -> bool:
    return key not in _NO_TEXT and not any(word in key for word in _OF_THOUGHT)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, in their order, but for what only names."""
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
