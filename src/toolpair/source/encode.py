"""Encoding JSON in the style of its surroundings: spacing, indentation, escapes."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.json_spans import BadSpan, JsonNode, children, key_text, node_at, values_in
from toolpair.transcript.model import DeepValue

RawOf = Callable[[Any], bytes | None]

_LOOK_AT: Final = 1 << 18
"""How many bytes are looked at to detect a text's style."""
_NON_ASCII_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*+\\u(?!00[0-7])[0-9a-fA-F]{4}")
_BARE_SLASH = re.compile(rb"(?<!\\)(?:\\\\)*+/")
_ESCAPED_SLASH = re.compile(rb"(?<!\\)(?:\\\\)*+\\/")
_SURROGATE = re.compile("[\ud800-\udfff]")
# An unterminated string is matched to the end in one step, not retried from each quote in it.
_TEXT = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_AFTER_KEY = re.compile(_TEXT + rb'"([ \t\n\r]*+:[ \t\n\r]*+)|' + _TEXT + rb'(?:"|\\?\Z)', re.DOTALL)
_COMMA = re.compile(_TEXT + rb'(?:"|\\?\Z)|(,[ \t\n\r]*+)', re.DOTALL)
_OPENED = re.compile(_TEXT + rb'(?:"|\\?\Z)|[\[{](\r?\n)([ \t]*+)', re.DOTALL)


class JsonStyle(Struct, frozen=True):
    """How new JSON is written. With `indent` None it is on one line; `newline` is used only with an indent."""

    comma: bytes = b", "
    colon: bytes = b": "
    indent: bytes | None = None
    newline: bytes = b"\n"
    ascii: bool = False
    slashes: bool = False

    def on_one_line(self) -> JsonStyle:
        """The same style without line breaks."""
        return self if self.indent is None else replace(self, indent=None)


COMPACT: Final = JsonStyle(b",", b":")


def detect(raw: bytes, fallback: JsonStyle = COMPACT) -> JsonStyle:
    """The style that `raw` is written in; `fallback` where it gives no evidence."""
    head = raw[:_LOOK_AT]
    newline, indent = _detect_indent(head)
    colon = next((m.group(1) for m in _AFTER_KEY.finditer(head) if m.group(1)), None)
    comma = next((m.group(1) for m in _COMMA.finditer(head) if m.group(1) and b"\n" not in m.group(1)), None)
    if colon is not None and b"\n" in colon:
        colon = b": "
    if comma is None:
        comma = fallback.comma if colon is None or indent is not None else (b", " if colon.endswith(b" ") else b",")
    escaped, bare = b"\\u" in head and _NON_ASCII_ESCAPE.search(head), not head.isascii()
    return JsonStyle(
        comma,
        fallback.colon if colon is None else colon,
        indent,
        newline,
        fallback.ascii if not escaped and not bare else bool(escaped and not bare),
        b"\\/" in head and bool(_ESCAPED_SLASH.search(head)) and not _BARE_SLASH.search(head),
    )


def _detect_indent(head: bytes) -> tuple[bytes, bytes | None]:
    for match in _OPENED.finditer(head) if b"\n" in head else ():
        if match.group(1) is not None:
            unit = match.group(2)
            unit = unit[len(line_indent(head, match.start())) :]
            return match.group(1), unit
    return b"\n", None


def line_indent(raw: bytes, pos: int) -> bytes:
    """The leading white space of the line that holds `pos`."""
    return indent_from(raw, raw.rfind(b"\n", 0, pos) + 1, pos)


def indent_from(raw: bytes, start: int, pos: int) -> bytes:
    """The leading white space of the line that starts at `start`, up to `pos`."""
    end = start
    while end < pos and raw[end] in b" \t":
        end += 1
    return raw[start:end]


def encode(value: Any, style: JsonStyle, raw_of: RawOf | None = None, level: bytes = b"") -> bytes:
    """`value` as JSON. Objects known to `raw_of` are copied byte for byte; `level` is the line's indentation."""
    if isinstance(value, (dict, list, tuple, str)) and raw_of is not None:
        original = raw_of(value)
        if original is not None and (style.indent is not None or b"\n" not in original):
            return original
    if isinstance(value, DeepValue):
        from toolpair.source.deep_values import on_one_line

        return value.raw if style.indent is not None or b"\n" not in value.raw else on_one_line(value.raw)
    if isinstance(value, str):
        return encode_text(value, style)
    if value is None:
        return b"null"
    if value is True:
        return b"true"
    if value is False:
        return b"false"
    if isinstance(value, int):
        return int.__repr__(value).encode()
    if isinstance(value, float):
        return _encode_float(value)
    inner = level + (style.indent or b"")
    if isinstance(value, dict):
        members = [
            encode_text(str(key), style) + style.colon + encode(member, style, raw_of, inner)
            for key, member in value.items()
        ]
        return _enclose(b"{", members, b"}", style, level)
    if isinstance(value, (list, tuple)):
        return _enclose(b"[", [encode(element, style, raw_of, inner) for element in value], b"]", style, level)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _enclose(opening: bytes, parts: list[bytes], closing: bytes, style: JsonStyle, level: bytes) -> bytes:
    if not parts:
        return opening + closing
    if style.indent is None:
        return opening + style.comma.join(parts) + closing
    line = style.newline + level + style.indent
    return opening + line + (b"," + line).join(parts) + style.newline + level + closing


def encode_text(text: str, style: JsonStyle) -> bytes:
    """A string with its quotes. Lone surrogates are escaped in every style."""
    encoded = encode_basestring_ascii(text) if style.ascii else encode_basestring(text)
    if style.slashes:
        encoded = encoded.replace("/", "\\/")
    try:
        return encoded.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", encoded).encode("utf-8")


def _encode_float(value: float) -> bytes:
    if value != value:
        return b"NaN"
    if value in (float("inf"), float("-inf")):
        return b"Infinity" if value > 0 else b"-Infinity"
    return float.__repr__(value).encode()


class Originals:
    """The original bytes of parsed objects, looked up by identity. Keeps the objects alive.

    Nothing is indexed before the first lookup, and only texts that an object is copied from are read again.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[bytes, Any]] = []
        self._texts: list[tuple[bytes, Any]] = []
        self._text_of: dict[int, int] = {}
        """The number of the text that an object was parsed from."""
        self._walked: set[int] = set()
        self._known: dict[int, tuple[bytes, int, int, Any]] = {}

    def add(self, raw: bytes, value: Any) -> None:
        """Register the nested objects of `value`, which was parsed from `raw`."""
        self._waiting.append((raw, value))

    def __call__(self, value: Any) -> bytes | None:
        if not isinstance(value, (dict, list, str)) or (isinstance(value, str) and len(value) < 2):
            return None
        while self._waiting:
            self._index(*self._waiting.pop())
        number = self._text_of.get(id(value))
        if number is None:
            return None
        if number not in self._walked:
            self._walked.add(number)
            self._walk(*self._texts[number])
        found = self._known.get(id(value))
        return None if found is None else found[0][found[1] : found[2]]

    def _index(self, raw: bytes, value: Any) -> None:
        number = len(self._texts)
        self._texts.append((raw, value))
        for here in values_in(value):
            if isinstance(here, (dict, list, str)):
                self._text_of[id(here)] = number

    def _walk(self, raw: bytes, value: Any) -> None:
        try:
            todo: list[tuple[JsonNode, Any]] = [(node_at(raw), value)]
            while todo:
                node, here = todo.pop()
                if isinstance(here, (dict, list, str)):
                    self._known[id(here)] = (raw, node.start, node.end, here)
                if isinstance(here, dict):
                    last = {key_text(raw, member): member for member in children(raw, node)}
                    todo.extend((last[key], member) for key, member in here.items() if key in last)
                elif isinstance(here, list):
                    below = children(raw, node)
                    if len(below) == len(here):
                        todo.extend(zip(below, here, strict=True))
        except BadSpan:
            return
