"""Walking through JSON text of any condition: what is a key, what a string, what stands outside of strings.

It never fails. A string ends at the latest where its line ends, a record that is torn or glued to another ends where
the next one begins. Everything between tokens is copied. What changes in a string goes back into the escapes that it
was written in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Protocol

import orjson

from toolpair.source.record_values import pieces

_TOKEN: Final = re.compile(
    r'"([^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+)("?)(?=(\s*+:)?)'
    r"|([{}\[\]])"
    r'|([^\s"{}\[\],:]++)'
)
_PYTHON: Final = re.compile(
    r"(?:\"([^\"\\\n\r]*+(?:\\[^\n\r][^\"\\\n\r]*+)*+)(\"?)|'([^'\\\n\r]*+(?:\\[^\n\r][^'\\\n\r]*+)*+)('?))(?=(\s*+:)?)"
    r"|([{}\[\]()])"
    r"|([^\s\"'{}\[\],:()=]++)(?=(=)?)"
)
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_RECORD: Final = re.compile(r'\{\s*+"')


NUMBERS: Final = 1
"""Below what a tool returned: numbers are anybody's."""
ANYBODYS: Final = 2
"""Below what a tool was given: keys and values are, too."""


class Visitor(Protocol):
    """What becomes of the tokens. `key` is the key that a value belongs to, also through lists; `free` is 0, NUMBERS or
    ANYBODYS."""

    def key(self, body: str, free: int) -> str: ...
    def string(self, body: str, key: str | None, free: int) -> str: ...
    def bare(self, token: str, key: str | None, free: int) -> str: ...
    def opens(self, key: str | None) -> int:
        """How free what is in an object under this key is."""


class _Path:
    """The keys around a place."""

    __slots__ = ("free", "key", "stack")

    def __init__(self) -> None:
        self.key: str | None = None
        self.free = 0
        self.stack: list[tuple[str | None, int]] = []


def walked(text: str, visitor: Visitor, free: int = 0) -> str:
    """The text of one or more records, with each token as the visitor wants it."""
    path = _Path()
    path.free = free
    return "".join(_walk(text, visitor, path))


def _walk(text: str, visitor: Visitor, path: _Path) -> Iterator[str]:
    at = 0
    stack, key, free = path.stack, path.key, path.free
    named = False  # the last token was a key
    for match in _TOKEN.finditer(text):
        start = match.start()
        if start > at:
            yield text[at:start]
        body, end, colon, bracket, bare = match.groups()
        if body is not None:
            if colon is not None:
                key = body
                yield f'"{visitor.key(body, free)}{end}'
                at = match.end()
                named = True
                continue
            yield f'"{visitor.string(body, key, free)}{end}'
        elif bracket is not None:
            if bracket in "{[":
                stack.append((key, free))
                free = max(free, visitor.opens(key)) if named and bracket == "{" else free
            elif stack:
                key, free = stack.pop()
            yield bracket
        else:
            yield visitor.bare(bare, key, free)
        named = False
        at = match.end()
    path.key, path.free = key, free
    if at < len(text):
        yield text[at:]


def walked_file(text: str, visitor: Visitor) -> str:
    """The text of a whole file: one JSON document, or a record a line, some of them damaged."""
    if _reads(text):
        return walked(text, visitor)
    out: list[str] = []
    path = _Path()
    for line in _LINE.findall(text):
        if line.lstrip(" \t\0\ufeff").startswith("{") and line[:1] not in " \t":
            path = _Path()
        if not line.strip() or _reads(line):
            out.extend(_walk(line, visitor, path))
            continue
        for number, part in enumerate(_parts(line)):
            if number:
                path = _Path()
            out.extend(_walk(part, visitor, path))
    return "".join(out)


def _reads(text: str) -> bool:
    try:
        orjson.loads(text.encode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError, MemoryError):
        return False
    return True


def _parts(line: str) -> list[str]:
    """A damaged line, cut where another record begins in it."""
    if len(_RECORD.findall(line)) < 2:
        return [line]
    found = [part.decode("utf-8", "surrogateescape") for part in pieces(line.encode("utf-8", "surrogateescape"))]
    joined: list[str] = []
    for part in found:
        if joined and _RECORD.match(part) is None:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def walked_python(text: str, visitor: Visitor) -> str:
    """The text of a Python literal."""
    out: list[str] = []
    at = 0
    key: str | None = None
    stack: list[str | None] = []
    for match in _PYTHON.finditer(text):
        out.append(text[at : match.start()])
        double, end, single, ended, colon, bracket, bare, equals = match.groups()
        body = double if double is not None else single
        if body is not None:
            mark = '"' if double is not None else "'"
            if colon is not None:
                key = body
                out.append(f"{mark}{visitor.key(body, 0)}{end if double is not None else ended}")
            else:
                out.append(f"{mark}{visitor.string(body, key, 0)}{end if double is not None else ended}")
        elif bracket is not None:
            if bracket in "{[(":
                stack.append(key)
            elif stack:
                key = stack.pop()
            out.append(bracket)
        elif equals is not None:
            key = bare
            out.append(visitor.key(bare, 0))
        else:
            out.append(bare if bare in ("None", "True", "False") else visitor.bare(bare, key, 0))
        at = match.end()
    out.append(text[at:])
    return "".join(out)


_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})"
    r"|x([0-9a-fA-F]{2})|(.))",
    re.DOTALL,
)
_SHORT: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


def changed(written: str, change: Callable[[str], str]) -> str:
    """The body of a string, with what it says changed to another text of the same number of characters."""
    if "\\" not in written:
        return change(written)
    known = _as_usual(written)
    if known is not None:
        return orjson.dumps(change(known)).decode()[1:-1]
    said: list[str] = []
    spelled: list[tuple[int, re.Match[str]]] = []
    at = length = 0
    for escape in _ESCAPE.finditer(written):
        before = written[at : escape.start()]
        character = _read(escape)
        said += (before, character)
        spelled.append((length + len(before), escape))
        length += len(before) + 1
        at = escape.end()
    said.append(written[at:])
    text = "".join(said)
    new = change(text)
    if new == text:
        return written
    pieces: list[str] = []
    at = 0
    for place, escape in spelled:
        pieces.append(new[at:place])
        pieces.append(escape[0] if new[place] == text[place] else _spelled(new[place], escape))
        at = place + 1
    pieces.append(new[at:])
    return "".join(pieces)


def _as_usual(written: str) -> str | None:
    """What the body of a string says, if it has no other escapes than it needs: nearly all have not."""
    try:
        raw = f'"{written}"'.encode()
        text: str = orjson.loads(raw)
        return text if orjson.dumps(text) == raw else None
    except ValueError:
        return None


def said(written: str) -> str:
    """What the body of a string says."""
    return _ESCAPE.sub(_read, written) if "\\" in written else written


def _read(escape: re.Match[str]) -> str:
    high, low, four, eight, two, short = escape.groups()
    if short is not None:
        return _SHORT.get(short, short)
    if low is not None:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    code = int(four or eight or two, 16)
    return chr(code) if code < 0x110000 else "\ufffd"


def _spelled(character: str, escape: re.Match[str]) -> str:
    """The character as an escape of the same kind and length as the one that it replaces."""
    code = ord(character)
    high, _, four, eight, two, _ = escape.groups()
    digits = high or four or eight or two
    upper = digits is not None and digits != digits.lower()
    if high is not None and code >= 0x10000:
        pair = f"\\u{0xD800 + ((code - 0x10000) >> 10):04x}\\u{0xDC00 + ((code - 0x10000) & 0x3FF):04x}"
        return pair.upper().replace("\\U", "\\u") if upper else pair
    for mark, width, given in (("u", 4, four), ("U", 8, eight), ("x", 2, two)):
        if given is not None and code < 16**width:
            return f"\\{mark}{code:0{width}{'X' if upper else 'x'}}"
    return escape[0]
