"""The words of a session, however they are written: what a copy is compared by."""

from __future__ import annotations

import re
from typing import Final

from toolpair.reports.redaction.vocabulary import TOKEN

_ESCAPE: Final = re.compile(
    r"\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}|\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[A-Za-z0-9\"'/])"
)

_HALF: Final = re.compile("u([0-9a-fA-F]{4})")


def decoded(content: str) -> str:
    """The text with its escapes read, at whatever depth; of ASCII, what is neither letter nor digit is a space."""
    return _ESCAPE.sub(_character, content) if "\\" in content else content


def words_of(text: str) -> frozenset[str]:
    """All words of four characters or more, in lower case."""
    return frozenset(TOKEN.findall(text.lower()))


def words_anywhere(content: str) -> frozenset[str]:
    """The words of a text, with its escapes read and as it is written."""
    return words_of(content) | words_of(decoded(content)) if "\\" in content else words_of(content)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is not None:
        character = chr(int(code, 16))
    else:
        halves = [int(half, 16) & 0x3FF for half in _HALF.findall(match[0])]
        if len(halves) < 2:
            return " "
        character = chr(0x10000 + (halves[0] << 10) + halves[1])
    return character if character.isalnum() or not character.isascii() else " "
