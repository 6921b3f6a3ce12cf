"""The compaction of a Cline session: a file beside it with the messages that are sent in place of its first ones."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from toolpair.formats.format import Beside, Item

_TAGS: Final = tuple(
    (re.compile(rf"<{tag}\b[^>]*>([\s\S]*?)</{tag}>", re.ASCII), re.compile(rf"<{tag}[^>]*>"))
    for tag in ("user_input", "user_command")
)
BLANKS: Final = " \t\n\r\v\f\xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What the agent takes off the ends of a user's words."""
_TEXTS = ("conversation_id", "source_prefix_hash", "source_last_message_key")
_HASHED = ("agent", "sessionId", "metadata", "modelInfo", "metrics")


def compaction_of(items: Sequence[Item], beside: Beside | None, session_id: str | None) -> Compaction | None:
    """The compaction of these records; None where the agent uses none: it is of another history, or cannot be read."""
    data = compaction_beside(beside, session_id)
    try:
        state = json.loads(data) if data is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(state, dict) or not _is_known(state):
        return None
    if (state.get("conversation_id", "").strip() or session_id) != session_id:
        return None
    count = state.get("source_message_count")
    shown = [number for number, item in enumerate(items) if not is_shown_only(item.value)]
    sound = all(isinstance(items[number].value, dict) for number in shown)
    if not isinstance(count, int) or not 0 <= count <= len(shown) or not sound:
        return None
    if not _is_of(state, [items[number].value for number in shown[:count]]):
        return None
    return Compaction(state["messages"], shown[count] if count < len(shown) else len(items))


def compaction_beside(beside: Beside | None, session_id: str | None) -> bytes | None:
    """The file of a session's compaction."""
    return beside.read(f"{session_id}.compaction.json") if beside is not None and session_id else None


def _is_known(state: Mapping[str, Any]) -> bool:
    """Whether the agent reads it: it wants each field as it writes it."""
    texts = [state.get("updated_at"), *(state[key] for key in _TEXTS if key in state)]
    well = all(isinstance(text, str) and text for text in texts) and isinstance(state.get("system_prompt", ""), str)
    messages = state.get("messages")
    return well and state.get("version") == 1 and isinstance(messages, list) and all(map(_is_message, messages))


def _is_message(value: Any) -> bool:
    known = isinstance(value, dict) and value.get("role") in ("user", "assistant")
    return known and isinstance(value.get("content"), (str, list))


def _is_of(state: Mapping[str, Any], messages: Sequence[dict[str, Any]]) -> bool:
    """Whether the agent made the state of these messages."""
    if known := state.get("source_prefix_hash"):
        return bool(known == _hash(messages))
    return bool(messages) and state.get("source_last_message_key") == f"id:{str(messages[-1].get('id')).strip()}"


def _hash(messages: Sequence[dict[str, Any]]) -> str:
    made = hashlib.sha256(f"cline-session-compaction-source-v2\n{len(messages)}\n".encode())
    for message in messages:
        fields = [["role", message.get("role")], ["content", _without_tags(message)]]
        fields += [[key, message.get(key)] for key in _HASHED]
        made.update(json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")
    return f"sha256:{made.hexdigest()}"


def _without_tags(message: dict[str, Any]) -> Any:
    content = message.get("content")
    if message.get("role") != "user":
        return content
    if isinstance(content, str):
        return without_tags(content)
    return [_text_without_tags(block) for block in content] if isinstance(content, list) else content


def _text_without_tags(block: Any) -> Any:
    is_text = isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    return {**block, "text": without_tags(block["text"])} if is_text else block


def is_shown_only(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return isinstance(metadata, dict) and metadata.get("displayOnly") is True


class Compaction(Struct, eq=False):
    messages: Sequence[Any]
    """What is sent first."""
    replaced: int
    """How many records it stands for, from the first one on."""


def without_tags(text: str) -> str:
    """A user's words without the tags that the agent puts around them."""
    text = text.strip(BLANKS)
    for around, start in _TAGS:
        inner = around.sub(r"\1", text)
        text = (inner if inner != text else start.sub("", text)).strip(BLANKS)
    return text
