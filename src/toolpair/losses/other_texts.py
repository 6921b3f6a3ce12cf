"""What blocks and messages say in places that have no meaning: in a block of another kind, in a field too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolpair.conversation import Judged
from toolpair.kept_text import plain
from toolpair.losses.model import Lost
from toolpair.transcript.content import block_text
from toolpair.transcript.model import Block, Damaged, Message

_KNOWN: Final[dict[str, frozenset[str]]] = {
    "text": frozenset({"text", "content"}),
    "call": frozenset({"input", "arguments", "function", "custom", "action"}),
    "result": frozenset({"content", "output", "tools"}),
    "server_call": frozenset({"input", "arguments"}),
    "server_result": frozenset({"content", "output"}),
    "mcp_call": frozenset({"input", "arguments"}),
    "mcp_result": frozenset({"content", "output"}),
}
"""Where what a block of a kind says stands: that is measured by itself."""
_NO_TEXT: Final = frozenset(
    {
        *("type", "role", "id", "call_id", "tool_use_id", "tool_call_id", "item_id", "name", "namespace", "status"),
        *("signature", "data", "encrypted_content", "media_type", "cache_control", "model", "uuid", "timestamp"),
        *("phase", "execution", "internal_chat_message_metadata_passthrough", "metadata", "caller", "format"),
    }
)
"""Keys whose values name or prove something."""
_OF_THOUGHT: Final = ("reason", "think", "thought")
_OF_MESSAGE: Final = frozenset({"content", "tool_calls", "function_call", "output", "message"})


def other_texts(before: Judged, after: Judged, kept: Callable[[str], bool]) -> Iterator[Lost]:
    """Of what `before` said in such places the texts that stand nowhere in `after`. What both share is not read."""
    old = list(_things(before))
    new = list(_things(after))
    there = {id(value) for _, _, value, _ in new}
    gone = [found for found in old if id(found[2]) not in there]
    yield from _assistants_texts(before, after, kept)
    if not gone:
        return
    shared = {id(value) for _, _, value, _ in old}
    left = Counter(text for _, _, value, _ in new if id(value) not in shared for text in _all_texts(value))
    aside = _set_aside(before, after)
    for record, id_, value, known in gone:
        if known is None and _is_in(before, record, aside):
            continue
        for text in _other(value, known or frozenset()):
            if left[text] > 0:
                left[text] -= 1
            elif not kept(text):
                yield _lost(record, id_, text)


def _assistants_texts(before: Judged, after: Judged, kept: Callable[[str], bool]) -> Iterator[Lost]:
    """What the assistant said, in whichever role it stands now."""
    old, new = (list(_text_blocks(state)) for state in (before, after))
    there = {id(block.value) for _, block in new if isinstance(block.value, dict)}
    said = Counter(plain(block_text(block)) for role, block in new if role != "user")
    missing = []
    for role, block in old:
        if role == "user":
            continue
        text = plain(block_text(block))
        if said[text] > 0:
            said[text] -= 1
        elif text.strip() and id(block.value) not in there:
            missing.append((block, text))
    if not missing:
        return
    short = Counter(plain(block_text(block)) for _, block in old)
    short.subtract(plain(block_text(block)) for _, block in new)
    for block, text in missing:
        if short[text] > 0 and not kept(text):
            short[text] -= 1
            yield _lost(block.record, None, text)


def _text_blocks(state: Judged) -> Iterator[tuple[Any, Block]]:
    for message in state.transcript.messages:
        if message.note is None:
            yield from ((message.role, block) for block in message.blocks if block.kind == "text")


def _lost(record: int, id_: Any, text: str) -> Lost:
    return Lost("text", record, id_ if isinstance(id_, str) else None, None, len(text.encode("utf-8", "replace")))


def _set_aside(before: Judged, after: Judged) -> frozenset[bytes]:
    """The bodies of records that were set aside in between: they go into a file beside this one."""
    if before.document is None or after.document is None:
        return frozenset()
    return frozenset(piece.strip() for piece in after.document.aside[len(before.document.aside) :])


def _is_in(state: Judged, record: int, bodies: frozenset[bytes]) -> bool:
    return bool(bodies) and state.document is not None and state.document.record(record).body.strip() in bodies


_Thing = tuple[int, Any, Any, frozenset[str] | None]
"""uid of its record, its id, the value, and the keys under which known things stand: None when it is no message's."""


def _things(state: Judged) -> Iterator[_Thing]:
    """The blocks, the messages that hold more than blocks, and the records that are no message's."""
    used: set[int] = set()
    for message in state.transcript.messages:
        used.update(message.records)
        for block in message.blocks:
            if _may_say(block):
                yield block.record, block.id, block.value, _KNOWN.get(block.kind, frozenset())
        if isinstance(message.value, dict) and not _is_its_block(message):
            yield (message.records[0] if message.records else -1), None, message.value, _OF_MESSAGE
    used.update(block.record for block in (*state.transcript.inactive_blocks, *state.transcript.unreached))
    for item in state.items:
        if item.uid not in used and not isinstance(item.value, Damaged):
            yield item.uid, None, item.value, None


def _may_say(block: Block) -> bool:
    return isinstance(block.value, dict) and block.kind not in ("thinking", "media")


def _is_its_block(message: Message) -> bool:
    """An item is its message and its block at once."""
    return any(block.value is message.value for block in message.blocks)


def _other(value: Any, known: frozenset[str]) -> Iterator[str]:
    if not isinstance(value, dict):
        yield from _texts(value)
        return
    for key, part in value.items():
        if key not in known and _speaks(key):
            yield from _texts(part)


def _speaks(key: str) -> bool:
    return key not in _NO_TEXT and not any(word in key for word in _OF_THOUGHT)


def _texts(value: Any) -> Iterator[str]:
    """The texts in a value, but for what only names."""
    todo = [value]
    while todo:
        found = todo.pop()
        if isinstance(found, str):
            if found.strip():
                yield plain(found)
        elif isinstance(found, list):
            todo.extend(found)
        elif isinstance(found, dict):
            todo.extend(part for key, part in found.items() if _speaks(key))


def _all_texts(value: Any) -> Iterator[str]:
    todo = [value]
    while todo:
        found = todo.pop()
        if isinstance(found, str):
            yield plain(found)
        elif isinstance(found, (list, dict)):
            todo.extend(found.values() if isinstance(found, dict) else found)
