"""Finding words in what was said in a session, without understanding its format: in the strings of its JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolpair.formats.engine.agents.databases import open_stored
from toolpair.source import peek
from toolpair.source.addresses import divided
from toolpair.source.file_bytes import Content
from toolpair.source.limits import USUAL
from toolpair.source.snapshot import open_source

_BEFORE: Final = 40
"""Characters shown in front of the words."""
_SAID: Final = frozenset(
    b"text content message output result stdout stderr command cmd prompt query pattern path file_path filePath url "
    b"arguments input thinking reasoning summary title description".split()
)
"""Keys of what was said or done, even in one word. Other single words are names, ids and times."""
_KEY: Final = re.compile(rb'"([^"\\]{1,80})"\s*:\s*\Z')
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_PLAIN: Final = re.compile(r"[ -!#-\[\]-~]+")


def said_in(address: str, words: str) -> str | None:
    """Where the words were said first in a session, on one line that begins near them; None if they were not.

    Case and white space do not count. Raises UnreadableFile, OSError.
    """
    words = " ".join(words.split())
    data = _content(address)
    data = data if isinstance(data, bytes) else data[:]
    sure = max((piece for word in words.split() for piece in _PLAIN.findall(word)), key=len, default="")
    if not words or sure.lower().encode() not in data.lower():
        return None
    for value in _strings_with(data, re.compile(b"(?i)" + _spelled(words))):
        found = re.search(r"\s+".join(map(re.escape, words.split())), value, re.IGNORECASE)
        begin = max(0, found.start() - _BEFORE) if found is not None else 0
        return peek.one_line(value[begin:])
    return None


def _content(address: str) -> Content:
    path, session = divided(address)
    if session is None:
        return open_source(path).data
    return open_stored(path, session, address, USUAL).data


def _spelled(words: str) -> bytes:
    """A pattern for all ways to write the words in JSON, also in JSON that is itself in a string."""
    return b"".join(map(_spelled_character, words))


def _spelled_character(character: str) -> bytes:
    if character == " ":
        return rb"(?:\s|\\+[ntr])+"
    if character in '"\\':
        return rb"\\*" + re.escape(character.encode())
    if character.isascii():
        return re.escape(character.encode())
    ways = {character, character.lower(), character.upper()}
    units = [(way.encode(), way.encode("utf-16-be").hex()) for way in ways]
    escaped = [b"".join(rb"\\+u" + code[n : n + 4].encode() for n in range(0, len(code), 4)) for _, code in units]
    return b"(?:" + b"|".join([re.escape(raw) for raw, _ in units] + escaped) + b")"


def _strings_with(data: bytes, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """The strings in which it is found, that say something."""
    at = 0
    while (match := pattern.search(data, at)) is not None:
        at = match.end()
        begin = _quote_before(data, match.start())
        string = _STRING.match(data, begin) if begin >= 0 else None
        if string is None:
            end = data.find(b"\n", at)
            if end < 0:
                return
            at = end  # a torn string: the rest of its line is not searched again for each match in it
            continue
        if string.end() < match.end():
            continue
        at = string.end()
        if data[at : at + 50].lstrip()[:1] == b":":
            continue  # a key
        value = peek.parse(string.group())
        if not isinstance(value, str):
            value = string.group()[1:-1].decode(errors="replace")
        key = _KEY.search(data, max(0, begin - 100), begin)
        if any(map(str.isspace, value)) or (key is not None and key.group(1) in _SAID):
            yield value


def _quote_before(data: bytes, at: int) -> int:
    """The quotation mark before that place which begins or ends a string; -1 without one."""
    while (at := data.rfind(b'"', 0, at)) >= 0:
        before = at
        while data[before - 1 : before] == b"\\":
            before -= 1
        if (at - before) % 2 == 0:
            break
    return at
