"""The strings of JSON text in any condition, each with its key.

Never fails: a string that is cut off ends with the text, a damaged escape stays as it is. JSON that is itself a string
is read in turn, since the same values may be written either way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import orjson

from toolpair.transcript.model import Damaged

_TOKEN: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"(\s*+:)?|\\?\Z)|([{}\[\]])', re.DOTALL)
_ESCAPE: Final = re.compile(r'\\(["\\/])')
_BAD: Final = re.compile("[\ud800-\udfff\ufffd]++")
_OBJECT: Final = re.compile(rb'(?=\{\s*+")')
"""In a string its quote would be escaped."""
_DEEPEST: Final = 8
"""Each level of JSON in a string doubles its backslashes."""
_LONGEST_NAME: Final = 64
_ID_KEY: Final = re.compile(r"(?:.*(?:[_-]|(?<=[a-z])(?=[IU])))?(?:u?u?ids?|U?U?IDs?|U?u?[Ii]ds?)\Z")
_TIME_KEY: Final = re.compile(r".*(?:[tT]imestamp|[tT]ime|_at|[a-z]At|[dD]ate|created|updated)\Z|ts\Z")
_KIND_KEYS: Final = frozenset(
    {
        *("type", "subtype", "role", "kind", "object", "status", "state", "mode", "level", "phase", "source", "origin"),
        *("model", "provider", "api", "version", "name", "tool", "toolName", "tool_name", "userType", "entrypoint"),
        *("stop_reason", "stopReason", "finish_reason", "finishReason", "finish", "reason", "agent", "media_type"),
        *("mimeType", "service_tier", "permissionMode", "format", "language", "currency"),
        *("toolDenialKind", "history_mode"),
    }
)
"""Keys whose values are single words from a list."""
_ID: Final = re.compile("[\\w.:|+/=@~#$,<>\ufffd-]{1,600}")
_WORD: Final = re.compile(r"[\w.:/-]{1,80}")
_TIME: Final = re.compile(r"[\w:.+-]{1,40}(?: [\d:.+-]{1,20})?")
_BRACKETS: Final = {"{": "}", "[": "]", '"': '"'}


def strings_in(raw: bytes, deep: int = 0, around: str = "") -> Iterator[tuple[str, str]]:
    """(key, text) for each string value, in order, also below lists; and for keys that are longer than a name.

    A text that is JSON is given as the strings in it, or as itself where it has none. In bytes that are no JSON a
    string ends at the latest where an object begins: there is no telling what a record says that another is glued to.
    """
    if deep == 0 and not reads(raw):
        for part in _OBJECT.split(raw):
            yield from _strings(part, deep, around)
    else:
        yield from _strings(raw, deep, around)


def _strings(raw: bytes, deep: int, around: str) -> Iterator[tuple[str, str]]:
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
    """The bytes of an object, a list or a string that is written as this text."""
    bare = text.strip()
    if len(bare) < 2 or _BRACKETS.get(bare[:1]) != bare[-1:]:
        return None
    raw = bare.encode("utf-8", "replace")
    return raw if reads(raw) else None


def reads(raw: bytes) -> bool:
    """Whether a reader takes it for JSON."""
    try:
        orjson.loads(raw)
    except ValueError:
        if b"\\u" not in raw:
            return False
        try:
            json.loads(raw)  # which takes half a character, too
        except (ValueError, RecursionError):
            return False
    return True


def spellings(text: str) -> tuple[bytes, ...]:
    """How JSON may spell a text, without the quotes: as it is, and in ASCII."""
    spelt = (json.dumps(text, ensure_ascii=escaped)[1:-1].encode("utf-8", "replace") for escaped in (False, True))
    return tuple(dict.fromkeys(spelt))


def is_id(key: str, text: str) -> bool:
    """Whether a text is an id by its key, and looks like one."""
    return _ID_KEY.match(key) is not None and _ID.fullmatch(text) is not None


def is_time(key: str, text: str) -> bool:
    """Whether a text is a time by its key, and looks like one."""
    return _TIME_KEY.match(key) is not None and _TIME.fullmatch(text) is not None


def is_bookkeeping(key: str, text: str) -> bool:
    """Whether a text is an id, a time or a kind by its key and by how it looks: a text under `id` is a text."""
    if is_id(key, text) or is_time(key, text):
        return True
    return key in _KIND_KEYS and _WORD.fullmatch(text) is not None


def written(value: object) -> bytes:
    """A value of a list as JSON, whatever it holds."""
    if type(value) is Damaged:
        return b""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return repr(value).encode("utf-8", "replace")


_PAIR: Final = re.compile(
    rb'[{,]\s*+"([^"\\\0]*+(?:\\.[^"\\\0]*+)*+)"\s*+:\s*+'
    rb'(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)|(?=([{\[]))|(-?[0-9][0-9.eE+-]*+|true|false|null))?',
    re.DOTALL,
)
"""In a string the quotes would be escaped, so that a key is one wherever a damaged string before it would end."""
LEXED: Final = 1 << 16
"""Bytes that need to be looked at: what tells a record's kind is near its beginning."""


def lexed(raw: bytes) -> dict[str, Any]:
    """A damaged record as far as it can be read: of keys that it has twice, the first value.

    Nothing is known of its levels any more, so every object and list in it is taken to hold all that can be read.
    """
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
