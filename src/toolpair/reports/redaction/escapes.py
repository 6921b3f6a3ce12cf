"""A string as it is written and as it is read: changed characters go back into the escapes that they came from."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

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
