"""What the bytes of a damaged record still show of it, its keys and values, for telling what kind of record it was.

Nothing is known of its levels any more, so every object and list in it is taken to hold all that can be read.
"""

from __future__ import annotations

import re
from typing import Any, Final

import orjson

from toolpair.source.json_strings import decoded

_PAIR: Final = re.compile(
    rb'[{,]\s*+"([^"\\\0]*+(?:\\.[^"\\\0]*+)*+)"\s*+:\s*+'
    rb'(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)|(?=([{\[]))|(-?[0-9][0-9.eE+-]*+|true|false|null))?',
    re.DOTALL,
)
"""In a string the quotes would be escaped, so that a key is one wherever a damaged string before it would end."""
LOOKED_AT: Final = 1 << 16
"""Bytes that need to be looked at: what tells a record's kind stands near its beginning."""


def lexed(raw: bytes) -> dict[str, Any]:
    """The record as far as it can be read: of keys that it has twice, the first value."""
    leaves: dict[str, Any] = {}
    holding: dict[str, bytes] = {}
    for key, text, bracket, scalar in _PAIR.findall(raw):
        name = decoded(key)
        if bracket:
            holding.setdefault(name, bracket)
        else:
            leaves.setdefault(name, _scalar(scalar) if scalar else decoded(text))
    return {**{key: leaves if bracket == b"{" else [leaves] for key, bracket in holding.items()}, **leaves}


def _scalar(written: bytes) -> Any:
    try:
        return orjson.loads(written)
    except ValueError:
        return None
