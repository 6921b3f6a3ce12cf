"""What Codex shortens when sending: the middle of long outputs, and images and audio that it does not pass on.

A tool may return 10,000 tokens of four bytes each; an output is cut at a fifth more, 12,000 tokens. For an unknown
model the limit is 12,000 bytes. What a compaction kept is never shortened again. The model is the one that the session
is resumed with; the file names the last one used. `tool_output_token_limit` from the user's configuration is not in the
file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

_CUT: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_KNOWN: Final = (
    "gpt-6-astra",
    "gpt-6.1-sol",
    "gpt-6.1-terra",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-5.6-sol",
    "gpt-5.6-terra",
    "gpt-5.6-luna",
    "gpt-daybreak-blue-latest",
    "gpt-daybreak-red-latest",
    "gpt-5.5",
    "codex-auto-review",
)
"""Prefixes of the models for which Codex 0.169.0 has an entry. One word and a slash may precede them."""
_OF_PROVIDER: Final = re.compile(r"\A\w+/(?=[^/]*\Z)")
_LONGEST: Final = 4
"""Maximum bytes of a character."""
_NO_SOUND: Final = "audio content omitted because you do not support audio input"
_NO_LINK: Final = "image content omitted because remote image URLs are not supported"
_NO_LOW: Final = "image content omitted because detail 'low' is not supported; use 'high', 'original', or 'auto'"


class Limit(Struct, frozen=True, eq=False):
    """The maximum length of an output: `most` tokens of `size` bytes each."""

    most: int
    size: int
    unit: str

    @property
    def bytes(self) -> int:
        return self.most * self.size

    def cost(self, text: str) -> int:
        return -(-len(text.encode("utf-8", "replace")) // self.size)

    def is_exceeded_by(self, text: str) -> bool:
        """Whether the text alone is longer."""
        return len(text) > self.bytes // _LONGEST and self.cost(text) > self.most


TOKENS: Final = Limit(12_000, 4, "tokens")
BYTES: Final = Limit(12_000, 1, "chars")


def limit_for(model: str | None) -> Limit:
    """The limit for this model; if none is named, that of a known one."""
    if model is None or _OF_PROVIDER.sub("", model).startswith(_KNOWN):
        return TOKENS
    return BYTES


def is_cut(item: Any, limit: Limit) -> bool:
    """Whether part of the output's text is left out when it is sent."""
    if item.get("type") not in _CUT:
        return False
    said = item.get("output")
    if isinstance(said, str):
        return limit.is_exceeded_by(said)
    parts = said if isinstance(said, list) else []
    return sum(limit.cost(part["text"]) for part in parts if _is_words(part)) > limit.most


def as_sent(item: dict[str, Any], limit: Limit | None) -> dict[str, Any]:
    """The item as it is sent; the same object when nothing changes. `limit` None: it is not shortened."""
    if item["type"] == "compaction_summary":
        return {**item, "type": "compaction"}
    key = "output" if item["type"] in _CUT else "content"
    said = item.get(key)
    if isinstance(said, list):
        parts = [_seen(part) for part in said]
        made = _within(parts, limit) if key == "output" and limit is not None else parts
        return item if len(made) == len(said) and all(map(_same, made, said)) else {**item, key: made}
    if key == "output" and isinstance(said, str) and limit is not None and limit.is_exceeded_by(said):
        return {**item, key: _shortened(said, limit, limit.most)}
    return item


def _same(made: Any, said: Any) -> bool:
    return made is said


def _is_words(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "input_text" and isinstance(part.get("text"), str)


def _seen(part: Any) -> Any:
    """The part, or the text that replaces one that the model cannot see or hear."""
    if not isinstance(part, dict):
        return part
    if part.get("type") == "input_audio":
        return {"type": "input_text", "text": _NO_SOUND}
    if part.get("type") == "input_image" and isinstance(link := part.get("image_url"), str):
        if link.startswith(("http://", "https://")):
            return {"type": "input_text", "text": _NO_LINK}
        if part.get("detail") == "low":
            return {"type": "input_text", "text": _NO_LOW}
    return part


def _within(parts: Sequence[Any], limit: Limit) -> list[Any]:
    """The parts of an output, whose texts share the limit. Empty ones are dropped."""
    kept: list[Any] = []
    left, omitted = limit.most, 0
    for part in parts:
        if not _is_words(part):
            kept.append(part)
            continue
        text = part["text"]
        if not text:
            continue
        cost = limit.cost(text)
        if not left:
            omitted += 1
        elif cost <= left:
            kept.append(part)
            left -= cost
        else:
            kept.append({**part, "text": _shortened(text, limit, left)})
            left = 0
    if omitted:
        kept.append({"type": "input_text", "text": f"[omitted {omitted} text items ...]"})
    return kept


def _shortened(text: str, limit: Limit, most: int) -> str:
    """The text's beginning and end, with a note between them of how much is left out."""
    raw = text.encode("utf-8", "replace")
    room = most * limit.size
    head = raw[: room // 2].decode("utf-8", "ignore")
    tail = raw[len(raw) - (room - room // 2) :].decode("utf-8", "ignore")
    if limit.size == 1:
        gone = len(text) - len(head) - len(tail)
    else:
        gone = -(-(len(raw) - room) // limit.size)
    return f"{head}…{gone} {limit.unit} truncated…{tail}"
