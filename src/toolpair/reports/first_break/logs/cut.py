"""Texts that a log shortened before it kept them."""

from __future__ import annotations

from typing import Any, Final

import orjson

_MARKS: Final = (b"litellm_truncated", b"redacted-by-litellm", b"...[truncated]", b"\xe2\x80\xa6[truncated]")


def is_cut(value: Any) -> bool:
    """Whether the value has a text that a log shortened or removed, by the mark that it leaves."""
    if not isinstance(value, (str, list, dict)):
        return False
    try:
        text = value.encode("utf-8", "replace") if isinstance(value, str) else orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return any(mark in text for mark in _MARKS)
