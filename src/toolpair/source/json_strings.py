"""The strings of JSON text in any condition, each with the key that it stands under.

Never fails: a string that is cut off ends with the text, a damaged escape stays as it is. JSON that is itself a string
is read in turn, since the same values may be written either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import orjson

_TOKEN: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*+:)?|\\?\Z)|([{}\[\]])', re.DOTALL)
_ESCAPE: Final = re.compile(r'\\(["\\/])')
_BAD: Final = re.compile("[\ud800-\udfff\ufffd]++")
_DEEPEST: Final = 8
"""Each level of JSON in a string doubles its backslashes."""
_LONGEST_NAME: Final = 64
_BRACKETS: Final = {"{": "}", "[": "]"}


def strings_in(raw: bytes, deep: int = 0, around: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) for each string value, in order, also below lists; and for keys that are longer than a name.

    A text that is JSON is given as the strings in it, or as itself where it has none.
    """
    key, keys = around, [around]
    for match in _TOKEN.finditer(raw):
        body, colon, bracket = match.groups()
        if body is None:
            if bracket in b"{[":
                keys.append(key)
            else:
                key = keys.pop() if len(keys) > 1 else around
            continue
        text = decoded(body)
        if colon is not None:
            key = text
            if len(text) > _LONGEST_NAME or len(text.split()) > 1:
                yield key, text
            continue
        inner = _json_in(text) if deep < _DEEPEST else None
        if inner is None:
            yield key, text
            continue
        found = list(strings_in(inner, deep + 1, key))
        yield from found or [(key, text)]


def decoded(body: bytes) -> str:
    """The text of a string's bytes between its quotes. What no text can hold is U+FFFD, once for each run of it."""
    text = body.decode("utf-8", "replace")
    if "\\" in text:
        try:
            text = json.loads(f'"{text}"', strict=False)
        except ValueError:
            text = _ESCAPE.sub(r"\1", text.replace("\\n", "\n").replace("\\t", "\t"))
    return text.replace("\0", "") if text.isascii() else _BAD.sub("\ufffd", text.replace("\0", ""))


def _json_in(text: str) -> bytes | None:
    """The bytes of an object or a list that is written as this text."""
    bare = text.strip()
    if _BRACKETS.get(bare[:1]) != bare[-1:] or not bare:
        return None
    raw = bare.encode("utf-8", "replace")
    try:
        orjson.loads(raw)
    except ValueError:
        return None
    return raw


def spellings(text: str) -> tuple[bytes, ...]:
    """How JSON may spell a text, without the quotes: as it is, and in ASCII."""
    spelt = (json.dumps(text, ensure_ascii=escaped)[1:-1].encode("utf-8", "replace") for escaped in (False, True))
    return tuple(dict.fromkeys(spelt))
