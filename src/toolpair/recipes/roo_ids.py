"""How Roo Code makes ids acceptable to a provider."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_REFUSED: Final = re.compile(r"[^a-zA-Z0-9_-]")
_HASH: Final = 8
OPENAI_MOST: Final = 64
"""The length to which Roo Code truncates ids for OpenAI."""


def sanitized(id_: str) -> str:
    """`sanitizeToolUseId`: "_" for each character other than letters, digits, "_" and "-".

    Characters outside the BMP count as two, as they do in JavaScript.
    """
    return _REFUSED.sub(lambda found: "__" if found[0] > "\uffff" else "_", id_)


def truncated(id_: str, most: int = OPENAI_MOST) -> str:
    """`truncateOpenAiCallId`: a longer id is truncated, ending in the start of its MD5."""
    if len(id_) <= most:
        return id_
    digest = hashlib.md5(id_.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
    return f"{id_[: most - _HASH - 1]}_{digest[:_HASH]}"


def fitted(id_: str, most: int | None) -> str:
    """`sanitizeOpenAiCallId`: sanitised, then truncated; not truncated if `most` is None."""
    return sanitized(id_) if most is None else truncated(sanitized(id_), most)
