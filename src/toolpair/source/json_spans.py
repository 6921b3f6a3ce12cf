"""The byte spans of the values in a JSON text: an iterative, tolerant tokenizer.

It never recurses and never backtracks, so that deep or long hostile input costs no more than reading it. Strings may
hold invalid UTF-8 and lone surrogate escapes. All offsets are bytes.
"""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

_SPACE = re.compile(rb"[ \t\n\r]*+")
_SCALAR = re.compile(rb'[^ \t\n\r,:\[\]{}"]++')
STRING_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)

# Before 3.11.5, Python does not step back from a repetition of alternatives that fails half way.
_OFTEN = b"*+" if sys.version_info >= (3, 11, 5) else b"*"
# Skips short strings up to a bracket, or to the quote of a longer string, whose end is found faster another way.
_TO_MARK = re.compile(
    rb'[^"\[\]{}]*+(?:"[^"\\]{0,200}+(?:\\.[^"\\]{0,200}+){0,8}+"[^"\[\]{}]*+)' + _OFTEN + rb'(["\[\]{}])', re.DOTALL
)
_TEXT = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)' + _OFTEN
TOKEN: Final = re.compile(
    rb"[ \t\n\r]*+(?:([\[\]{},:])|("
    + _TEXT
    + rb'")|((?:-?(?:(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|Infinity)|true|false|null|NaN)'
    rb"(?![0-9A-Za-z.+-])))"
)
_CUT_TOKEN = re.compile(
    rb"[ \t\n\r]*+(?:"
    + _TEXT
    + rb"(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
    + rb"|-?[0-9]*+(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]*+)?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)\Z"
)

_DEEP: Final = 64
"""From this depth on, ends are found once for all levels."""

LEVELS: Final = 128
"""How many levels are read of a record that is nested too deeply for our parser. No agent nests what it sends even a
quarter as deep.
"""
MAX_DIGITS: Final = 4000
"""Of a whole number, so that reading it takes no time to speak of."""

Kind = Literal["object", "array", "string", "scalar"]
_KINDS: Final[dict[int, Kind]] = {ord("{"): "object", ord("["): "array", ord('"'): "string"}
_BLANKS: Final = b" \t\r\n"
_LARGE: Final = 1 << 16
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C
_QUOTES: Final = 16
"""Up to this many quotes in a string are searched for one by one."""
_CLOSERS: Final = {ord("{"): b"}", ord("["): b"]"}


class BadSpan(ValueError):
    """The text has no such value."""


class JsonNode(Struct, frozen=True):
    """One value: its kind and span; for a member of an object also the span of its key."""

    kind: Kind
    start: int
    end: int
    key: tuple[int, int] | None = None
    ends: Mapping[int, int] | None = None
    """Of a deep value: where each object and array in it ends, so that no level is searched again."""


class SpanScan(Struct, frozen=True):
    """The result of a strict scan.

    "complete": one value ends at `pos`; "torn": the text ends inside the value, which can be closed at `safe` with
    `closers`; "error": the first invalid byte is at `pos`; "limit": stopped early.
    """

    state: Literal["complete", "torn", "error", "limit"]
    pos: int
    safe: int = 0
    stack: bytes = b""
    depth: int = 0
    """How many values of a complete one are nested in each other."""

    @property
    def closers(self) -> bytes:
        return closers(self.stack)


def closers(stack: bytes) -> bytes:
    """The brackets that close the open ones of `stack`, innermost first."""
    return b"".join(_CLOSERS[bracket] for bracket in reversed(stack))


def skip_space(raw: bytes, pos: int) -> int:
    """The first offset from `pos` on that is not JSON white space."""
    if pos < len(raw) and raw[pos] > 0x20:
        return pos
    match = _SPACE.match(raw, pos)
    return match.end() if match else pos


def value_end(raw: bytes, start: int) -> int:
    """The end of the value that starts at `start`."""
    return _span(raw, start)[0]


def _span(raw: bytes, start: int) -> tuple[int, Mapping[int, int] | None]:
    """The end of the value that starts at `start`; of a deep one also where each object and array in it ends."""
    first = raw[start : start + 1]
    if first == b'"':
        return _string_end(raw, start), None
    if first in (b"{", b"["):
        depth, pos = 1, start + 1
        while depth:
            match = _TO_MARK.match(raw, pos)
            if match is None:
                raise BadSpan("the value has no end")
            pos = match.end()
            mark = raw[pos - 1]
            if mark == _QUOTE:
                pos = _string_end(raw, pos - 1)
            elif mark not in b"[{":
                depth -= 1
            elif depth < _DEEP:
                depth += 1
            else:
                ends = _ends(raw, start)
                return ends[start], ends
        return pos, None
    match = _SCALAR.match(raw, start)
    if match is None:
        raise BadSpan("there is no value")
    return match.end(), None


def _ends(raw: bytes, start: int) -> Mapping[int, int]:
    """Where the object or array at `start`, and each one in it, ends."""
    found: dict[int, int] = {}
    open_ = [start]
    pos = start + 1
    while open_:
        match = _TO_MARK.match(raw, pos)
        if match is None:
            raise BadSpan("the value has no end")
        pos = match.end()
        mark = raw[pos - 1]
        if mark == _QUOTE:
            pos = _string_end(raw, pos - 1)
        elif mark in b"[{":
            open_.append(pos - 1)
        else:
            found[open_.pop()] = pos
    return found


def _string_end(raw: bytes, start: int) -> int:
    pos = start + 1
    # Searching for quotes is many times faster than reading what is between them, unless there are too many.
    for _ in range(_QUOTES):
        end = raw.find(b'"', pos)
        if end < 0:
            raise BadSpan("the string has no end")
        if raw[end - 1] != _BACKSLASH or _escapes(raw, pos, end) % 2 == 0:
            return end + 1
        pos = end + 1
    match = STRING_REST.match(raw, pos)
    if match is None:
        raise BadSpan("the string has no end")
    return match.end()


def _escapes(raw: bytes, start: int, end: int) -> int:
    """How many backslashes come right before `end`."""
    at = end
    while at > start and raw[at - 1] == _BACKSLASH:
        at -= 1
    return end - at


def node_at(raw: bytes) -> JsonNode:
    """The value of a text, after any white space."""
    start = skip_space(raw, 0)
    if len(raw) > _LARGE and _is_one(raw):
        return JsonNode(_kind(raw, start), start, len(raw.rstrip(_BLANKS)))
    end, ends = _span(raw, start)
    return JsonNode(_kind(raw, start), start, end, None, ends)


def _is_one(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def children(raw: bytes, node: JsonNode) -> list[JsonNode]:
    """The members of an object or the elements of an array, in order; duplicate keys are included."""
    if node.kind not in ("object", "array") or skip_space(raw, node.start + 1) == node.end - 1:
        return []
    if node.ends is None and node.end - node.start > _LARGE and (values := _values(raw, node)):
        try:
            return _children(raw, node, values)
        except (BadSpan, IndexError):
            pass  # it has a key twice
    return _children(raw, node, None)


def _children(raw: bytes, node: JsonNode, values: Sequence[msgspec.Raw] | None) -> list[JsonNode]:
    """`values`: what they are, if that is known. Raises IndexError or BadSpan where they are not that."""
    found: list[JsonNode] = []
    pos = skip_space(raw, node.start + 1)
    while True:
        key: tuple[int, int] | None = None
        if node.kind == "object":
            key_end = value_end(raw, pos)
            if raw[pos] != 0x22:
                raise BadSpan("a key is missing")
            key = (pos, key_end)
            pos = skip_space(raw, key_end)
            if raw[pos : pos + 1] != b":":
                raise BadSpan("a colon is missing")
            pos = skip_space(raw, pos + 1)
        ends = node.ends
        if values is not None:
            end = pos + len(values[len(found)])
            if key is not None and raw[pos:end] != bytes(values[len(found)]):
                raise BadSpan("another value has the same key")
        elif ends is not None and pos in ends:
            end = ends[pos]
        else:
            end, ends = _span(raw, pos)
        found.append(JsonNode(_kind(raw, pos), pos, end, key, ends))
        pos = skip_space(raw, end)
        if pos >= node.end - 1:
            return found
        if raw[pos] != 0x2C:
            raise BadSpan("a comma is missing")
        pos = skip_space(raw, pos + 1)
        if pos == node.end - 1 and node.kind == "array":
            return found  # a trailing comma


def _values(raw: bytes, node: JsonNode) -> list[msgspec.Raw]:
    """Those in an object or array: finding them so is many times faster than a search for their ends.

    None of what strict parsers refuse, or of what is an array that is mostly one element: such values may be deep.
    """
    text = memoryview(raw)[node.start : node.end]
    try:
        if node.kind == "object":
            return [*msgspec.json.decode(text, type=dict[str, msgspec.Raw]).values()]
        values = msgspec.json.decode(text, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return []
    return values if max(map(len, values)) * 2 < len(text) else []


def key_text(raw: bytes, node: JsonNode) -> str:
    """The key of an object member, decoded as the parsers do."""
    if node.key is None:
        raise BadSpan("the value has no key")
    return decode_string(raw[node.key[0] : node.key[1]])


def decode_string(token: bytes) -> str:
    """A JSON string with its quotes, decoded; invalid UTF-8 becomes U+FFFD."""
    if b"\\" not in token:
        return token[1:-1].decode("utf-8", "replace")
    decoded = json.loads(token.decode("utf-8", "replace"), strict=False)
    return str(decoded)


Path = Sequence[str | int]


def whole_number(digits: str) -> int | float:
    """The number; one with thousands of digits as a fraction."""
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


class Finder:
    """Finds values of a text by their paths, scanning each object and array only once."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._root: JsonNode | None = None
        self._below: dict[tuple[str | int, ...], Mapping[str | int, JsonNode]] = {}

    def find(self, path: Path) -> JsonNode:
        """The value at `path`. The last of duplicate keys counts, as in every parser. Raises BadSpan without one."""
        node = self._root = self._root or node_at(self._raw)
        for depth, step in enumerate(path):
            way = tuple(path[:depth])
            below = self._below.get(way)
            if below is None:
                below = self._below[way] = self._members(node)
            found = below.get(step)
            if found is None:
                raise BadSpan(f"there is no such {'key' if isinstance(step, str) else 'element'}")
            node = found
        return node

    def _members(self, node: JsonNode) -> Mapping[str | int, JsonNode]:
        below = children(self._raw, node)
        if node.kind == "object":
            return {key_text(self._raw, child): child for child in below}
        return dict(enumerate(below))

    def lines_before(self, offset: int) -> int:
        """The number of line ends before this offset."""
        return bisect_left(self._line_ends, offset)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer(b"\n", self._raw)]


def values_in(value: Any) -> Iterator[Any]:
    """The value, and all values in it, in no certain order."""
    todo = [value]
    while todo:
        here = todo.pop()
        yield here
        if isinstance(here, dict):
            todo.extend(here.values())
        elif isinstance(here, list):
            todo.extend(here)


def scan(raw: bytes, pos: int = 0, limit: int | None = None) -> SpanScan:
    """Scan one value strictly by the grammar, but accept NaN, Infinity and any bytes above 0x7f in strings."""
    stack = bytearray()
    # What may come next: v value, e value or ], k key or }, K key, c colon, s comma or closer.
    state = "v"
    safe = pos
    count = depth = 0
    match_at = TOKEN.match
    while True:
        if limit is not None:
            count += 1
            if count > limit:
                return SpanScan("limit", pos, safe, bytes(stack))
        match = match_at(raw, pos)
        if match is None:
            rest = skip_space(raw, pos)
            if rest >= len(raw):
                return SpanScan("torn", rest, safe, bytes(stack))
            cut = state in "vekK" and _CUT_TOKEN.match(raw, pos)
            if cut and (state in "ve" or raw[rest] == 0x22):
                return SpanScan("torn", len(raw), safe, bytes(stack))
            return SpanScan("error", rest, safe, bytes(stack))
        group = match.lastindex
        start = match.start(group or 0)
        if group == 1:
            mark = raw[start]
            if mark in b"{[":
                if state not in "ve":
                    return SpanScan("error", start, safe, bytes(stack))
                stack.append(mark)
                depth = max(depth, len(stack))
                state = "k" if mark == 0x7B else "e"
                pos = safe = match.end()
                continue
            if mark == 0x3A:
                if state != "c":
                    return SpanScan("error", start, safe, bytes(stack))
                state, pos = "v", match.end()
                continue
            if mark == 0x2C:
                if state != "s":
                    return SpanScan("error", start, safe, bytes(stack))
                state, pos = ("K" if stack[-1] == 0x7B else "v"), match.end()
                continue
            # In ASCII "}" is "{" + 2 and "]" is "[" + 2.
            if not stack or stack[-1] + 2 != mark or state not in ("s", "k" if mark == 0x7D else "e"):
                return SpanScan("error", start, safe, bytes(stack))
            stack.pop()
        elif state in "kK":
            if group != 2:
                return SpanScan("error", start, safe, bytes(stack))
            state, pos = "c", match.end()
            continue
        elif state not in "ve":
            return SpanScan("error", start, safe, bytes(stack))
        pos = safe = match.end()
        if not stack:
            return SpanScan("complete", pos, safe, depth=depth)
        state = "s"


def _kind(raw: bytes, start: int) -> Kind:
    return _KINDS.get(raw[start], "scalar") if start < len(raw) else "scalar"
