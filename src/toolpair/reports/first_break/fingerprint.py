"""Hashes by which messages are recognised, whatever moves between requests without changing what is said."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, Final

import orjson

from toolpair.dialects.anthropic import CACHE_MARK

_CACHE_BYTES: Final = f'"{CACHE_MARK}"'.encode()
_SYSTEM: Final = ("system", "developer")


def message_hash(message: Any) -> int:
    """A hash of the message without cache marks; a text is the same as one block of text."""
    if isinstance(message, dict) and isinstance(content := message.get("content"), str):
        message = {**message, "content": [{"type": "text", "text": content}]}
    text = _dumped(message)
    if _CACHE_BYTES in text:
        text = _dumped(_without_cache(message))
    return hash(text)


def _dumped(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):  # lone surrogates, large numbers, nested deeply
        try:
            return json.dumps(value, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
        except (TypeError, ValueError, RecursionError):
            return repr(type(value)).encode()


def _without_cache(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_cache(inner) for key, inner in value.items() if key != CACHE_MARK}
    if isinstance(value, list):
        return [_without_cache(inner) for inner in value]
    return value


def hashes_of(messages: Sequence[Any]) -> array[int]:
    return array("q", map(message_hash, messages))


def leading_system(messages: Iterable[Any]) -> int:
    """How many of the first messages are system messages, which may change with every request."""
    return sum(1 for _ in takewhile(lambda one: isinstance(one, dict) and one.get("role") in _SYSTEM, messages))
