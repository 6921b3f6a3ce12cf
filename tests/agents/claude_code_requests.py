"""Two requests of Claude Code side by side, without what the agent adds to each by itself.

It folds reminders into the messages: as blocks of their own, or at the end of a result's text. They hang on the date,
on the folder and on tools, not on the session file, so both sides are compared without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from toolpair.formats.asking import PROMPT
from toolpair.formats.format import SentRequest

_REMINDER = re.compile(r"<system-reminder>(?!\n\[SYSTEM NOTIFICATION).*?</system-reminder>", re.DOTALL)
"""Not the reports of tasks, which are in the session file."""
_ADDED_FIELDS = frozenset({"cache_control", "citations", "caller"})
Message = tuple[str, list[dict[str, Any]]]


def modelled(seen: SentRequest) -> list[Message]:
    """What the model of the agent says."""
    return _plain((message.role, [part.value for part in message.parts]) for message in seen.messages)


def really_sent(messages: Sequence[dict[str, Any]]) -> list[Message]:
    """What the agent sent, without the prompt that the test resumed it with."""
    found = [
        (message["role"], [message["content"]] if isinstance(message["content"], str) else list(message["content"]))
        for message in messages
        if message["role"] != "system"
    ]
    blocks = found[-1][1]
    for index in range(len(blocks) - 1, -1, -1):
        value = blocks[index]
        if _words(value if isinstance(value, str) else value.get("text")) == PROMPT:
            del blocks[index]
            break
    return _plain(found)


def _plain(messages: Iterable[tuple[str, list[Any]]]) -> list[Message]:
    found = []
    for role, values in messages:
        blocks = [block for value in values if (block := _block(value)) is not None]
        if blocks:
            found.append((role, blocks))
    return found


def _block(value: Any) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = {"type": "text", "text": value}
    plain = {key: part for key, part in value.items() if key not in _ADDED_FIELDS}
    if plain.get("type") == "text":
        words = _words(plain.get("text"))
        return {**plain, "text": words} if words else None
    if plain.get("type") == "tool_result":
        plain["content"] = _content(plain.get("content", ""))
        if plain.get("is_error") is False:
            del plain["is_error"]
    return plain


def _content(content: Any) -> Any:
    """A result's content; one text block is the same as its text, no block (a reminder takes its place) as none."""
    if isinstance(content, str):
        return _words(content)
    if not isinstance(content, list):
        return content
    if not content:
        return ""
    pieces = [_piece(piece) for piece in content]
    pieces = [piece for piece in pieces if not _is_empty_text(piece)] or pieces[:1]
    only = pieces[0] if len(pieces) == 1 else None
    return only["text"] if isinstance(only, dict) and only.get("type") == "text" else pieces


def _piece(piece: Any) -> Any:
    if not isinstance(piece, dict) or piece.get("type") != "text":
        return piece
    return {"type": "text", "text": _words(piece.get("text"))}


def _is_empty_text(piece: Any) -> bool:
    return isinstance(piece, dict) and piece.get("type") == "text" and not piece["text"]


def _words(text: Any) -> str:
    """A text without reminders."""
    return _REMINDER.sub("", text).rstrip() if isinstance(text, str) else ""
