"""How Roo Code makes an id fit what a provider takes."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")
_HASH: Final = 8
OPENAI_MOST: Final = 64
"""The length that Roo Code cuts ids to for OpenAI."""


def sanitized(id_: str) -> str:
    """`sanitizeToolUseId`: "_" for each character but letters, digits, "_" and "-".

    Characters beyond the first 65,536 count as two, as they do in JavaScript.
    """
    return _REFUSED.sub(lambda found: "__" if found[0] > "\uffff" else "_", id_)


def truncated(id_: str, most: int = OPENAI_MOST) -> str:
    """`truncateOpenAiCallId`: a longer id is cut, its end being the start of its MD5."""
    if len(id_) <= most:
        return id_
    digest = hashlib.md5(id_.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"{id_[: most - _HASH - 1]}_{digest[:_HASH]}"


def fitted(id_: str, most: int | None) -> str:
    """`sanitizeOpenAiCallId`: sanitised first, then cut; not cut at all where `most` is None."""
    return sanitized(id_) if most is None else truncated(sanitized(id_), most)
