"""The words that are the same in everybody's sessions, and those by which a copy is compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import orjson
from msgspec import Struct

from toolpair.reports.redaction.ids import PREFIXES
from toolpair.transcript.known_systems import SYSTEMS

TOKEN: Final = re.compile(r"[^\W_]{4,}")
"""What counts as a word when a copy is compared with the original: shorter ones say nothing by themselves."""
_LEAST: Final = 4
_SIGN: Final = re.compile(r"[^\x00-\x7f](?<!\w)")
"""What is neither ASCII nor part of a word."""
_LOWER: Final = bytes(
    ord(chr(byte).lower()) if byte < 0x80 and chr(byte).isalnum() else byte if byte >= 0x80 or byte == 0x1A else 0x20
    for byte in range(256)
)
"""UTF-8 with small letters, digits and what is not ASCII alone, and spaces."""
NO_WORD: Final = "\x1a"
"""What takes the place of digits that are not to be looked at: so there are as many words."""
_WRITTEN: Final = _LOWER[:0x5C] + b"\\" + _LOWER[0x5D:]
"""The same with backslashes."""
_PIECE: Final = 1 << 16
"""Bytes, at least, that are looked through at once."""
_VERSION: Final = re.compile(
    r"v?\d{1,5}(?:\.\d{1,5}){1,3}(?:-(?:alpha|beta|rc|dev|next|nightly|canary)(?:\.?\d{1,4})?)?\Z"
)
_VERSION_KEY: Final = re.compile(r"(?:\A|_)version\Z|Version\Z")
_MODEL_KEY: Final = re.compile(r"(?:\A|_)model(?:_id|_name)?\Z|[mM]odel(?:Id|Name)?\Z")
_COUNTING: Final = re.compile(
    r"ordinal|sequence|position|first_kept|[iI]ndex|[vV]ersion|offset|max_|budget|context_window|[lL]ine\Z|[lL]ines\Z"
)
_OTHERS: Final = frozenset({"true", "false", "null", "infinity", "none", *PREFIXES})
"""Literals, and what ids begin with."""
_OF_A_MODEL: Final = re.compile(r"\d{1,3}[a-zA-Z]?|[a-zA-Z]\d{1,2}|v\d{1,2}|20\d{6}|20\d\d", re.ASCII)


class Vocabulary(Struct, frozen=True):
    """All of it, by what it is."""

    keys: frozenset[str]
    value_keys: frozenset[str]
    """The keys whose values are enumerations."""
    values: frozenset[str]
    tools: frozenset[str]
    parameters: frozenset[str]
    """The names of the standard tools' parameters, which are keys as well."""
    models: frozenset[str]
    """The words that public model names are made of."""
    words: frozenset[str]
    """All words of four characters or more in any of these, in lower case."""

    def is_key(self, name: str) -> bool:
        return name in self.keys or name in self.parameters

    def is_value(self, key: str | None, value: str) -> bool:
        """Whether it is one of the values that this key has in anybody's session."""
        return key in self.value_keys and value in self.values

    def is_version(self, key: str | None, value: str) -> bool:
        return key is not None and _VERSION_KEY.search(key) is not None and _VERSION.match(value) is not None

    def is_word_of_a_model(self, word: str) -> bool:
        return word.lower() in self.models or _OF_A_MODEL.fullmatch(word) is not None


def names_a_model(key: str | None) -> bool:
    """Whether the values of the key are names of models."""
    return key is not None and _MODEL_KEY.search(key) is not None


def counts(key: str | None) -> bool:
    """Whether the key's numbers say where something stands, or what is allowed: they have to fit each other."""
    return key is not None and _COUNTING.search(key) is not None


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary; read once."""
    folder = files("toolpair.reports.redaction") / "data"
    read = orjson.loads((folder / "read.json").read_bytes())
    written = {name: frozenset(listed) for name, listed in orjson.loads((folder / "written.json").read_bytes()).items()}
    titles = {system.title for system in SYSTEMS.values()} | set(SYSTEMS)
    keys, values = written["keys"].union(read), written["values"].union(read, titles)
    tools, parameters, models = written["tools"], written["parameters"], written["models"]
    words = _words(keys | values | tools | parameters | models) | _OTHERS
    return Vocabulary(keys, written["value_keys"], values, tools, parameters, models, words)


def _words(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word.lower() for name in names for word in TOKEN.findall(name))


_PLAIN_ESCAPE: Final = re.compile(r"\\\\*(?!u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})[A-Za-z0-9\"'/]")
"""One that stands for no letter or digit: nearly all of them, so that they are replaced without a call."""
_ESCAPE: Final = re.compile(
    r"\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}|\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))"
)
_HALF: Final = re.compile("u([0-9a-fA-F]{4})")


def decoded(content: str) -> str:
    """The text with its escapes read, at whatever depth; of ASCII, what is neither letter nor digit is a space."""
    text = content.replace(NO_WORD, " ")
    if "\\" not in text:
        return text
    text = _PLAIN_ESCAPE.sub(" ", text)
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def tokens_of(text: str) -> list[bytes]:
    """The words of any length of a text, in order, in lower case and UTF-8."""
    if not text.isascii():
        text = _SIGN.sub(" ", text.lower())
    return text.encode("utf-8", "surrogatepass").translate(_LOWER).split()


def words_of(text: str) -> frozenset[str]:
    """All words of four characters or more, in lower case."""
    tokens = frozenset(tokens_of(text))
    return frozenset(word for token in tokens if len(word := token.decode("utf-8", "surrogatepass")) >= _LEAST)


def words_anywhere(content: bytes) -> frozenset[str]:
    """The words of a file, with its escapes read and as it is written."""
    tokens: set[bytes] = set()
    for piece in pieces_of(content.replace(b"\x1a", b" ")):
        tokens.update(piece.replace(b"\\", b" \\").translate(_WRITTEN).split())
        if b"\\u" in piece or b"\\x" in piece:
            tokens.update(tokens_of(decoded(piece.decode("utf-8", "surrogateescape"))))
    escaped = {token for token in tokens if token.startswith(b"\\")}
    tokens = (tokens - escaped).union(*((token[1:], token[2:]) for token in escaped))
    return words_of(b" ".join(tokens).decode("utf-8", "surrogateescape"))


def pieces_of(content: bytes) -> Iterator[bytes]:
    """Some lines at a time: a session has many words, most of them often."""
    at = 0
    while at < len(content):
        end = content.find(b"\n", at + _PIECE) + 1 or len(content)
        yield content[at:end]
        at = end


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
