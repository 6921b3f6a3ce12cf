"""The object that broken arguments contain, where nothing has to be invented to read it.

Models and clients leave texts that are not JSON: cut off while streaming, written as Python writes a dict, several
objects in a row, JSON inside a JSON string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import Struct

How = Literal["inside", "glued", "closed", "python"]
_DEEPEST: Final = 200
_TOKEN: Final = re.compile(
    r"""\s*+(?:(?P<mark>[{}\[\],:])|(?P<quote>["'])|(?P<word>[A-Za-z]++|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?=[\s,\]}]))"""
)
_BODY: Final = {
    '"': re.compile(r'(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\]|\\u[0-9a-fA-F]{4}|\\[^u])*+", re.DOTALL),
}
_UNFINISHED: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_HALF: Final = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "\n": "", **{sign: sign for sign in "\\/'\""}}
_COLON: Final = re.compile(r"\s*+:")
_WORDS: Final = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}


class SaidArguments(Struct, frozen=True):
    """An object that a text contains, as JSON and as a value, and how it was found.

    "inside": as JSON in a JSON string. "glued": the only one that says something of several in a row. "closed": it
    was cut off, and ends there. "python": as Python writes it.
    """

    text: str
    value: dict[str, Any]
    how: How


def said_arguments(text: str) -> SaidArguments | None:
    """The object that these broken arguments contain; None where that is not certain."""
    start = text.strip()
    if start[:1] == '"':
        inner = loaded(start)
        value = loaded(inner) if isinstance(inner, str) else None
        return SaidArguments(inner, value, "inside") if isinstance(inner, str) and isinstance(value, dict) else None
    if start[:1] != "{":
        return None
    return _glued(start) or _Reader(start).run()


def loaded(text: str) -> Any:
    """The JSON value; None when it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _glued(text: str) -> SaidArguments | None:
    """Some streams begin with an empty object, or send the whole twice."""
    found: dict[str, Any] = {}
    said, at, decoder = text, 0, json.JSONDecoder(parse_constant=_unknown)
    try:
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            if not isinstance(value, dict) or (value and found and value != found):
                return None
            if value and not found:
                found, said = value, text[at:end]
            at = end
            while text[at : at + 1].isspace():
                at += 1
    except (ValueError, RecursionError):
        return None
    return SaidArguments(said if found else "{}", found, "glued")


def _unknown(word: str) -> Any:
    raise ValueError(word)  # NaN is no JSON


class _Unclear(Exception):
    pass


class _Reader:
    """Reads an object in JSON's spelling, Python's, or both mixed, up to where it ends or is cut off."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._whole = 0
        """Where the last complete value ends, or the last container begins."""
        self._end = ""
        """What closes a string that was cut off."""
        self._plain = True
        """Only its end is missing: all there is, is JSON."""

    def run(self) -> SaidArguments | None:
        try:
            value, open_ = self._read()
            if not open_ and self._text[self._at :].strip():
                return None
            if open_ and self._plain:
                closed = self._text[: self._whole] + self._end + "".join(reversed(open_))
                value = loaded(closed)
            else:
                closed = json.dumps(value, ensure_ascii=False)
        except (_Unclear, ValueError, RecursionError):
            return None
        return SaidArguments(closed, value, "closed" if open_ else "python") if isinstance(value, dict) else None

    def _read(self) -> tuple[Any, list[str]]:
        """The value, and what would close the containers that are still open."""
        top: list[Any] = []
        holders: list[Any] = [top]
        open_: list[str] = []
        keys: list[Any] = [None]
        for kind, said in self._tokens():
            holder, key = holders[-1], keys[-1]
            if kind == "close":
                if not open_ or open_.pop() != said or key is not None:
                    raise _Unclear
                holders.pop()
                keys.pop()
                if not open_:
                    return top[0], open_
                continue
            if isinstance(holder, dict) and key is None:
                if kind != "key" or said in holder:
                    raise _Unclear
                keys[-1] = said
                continue
            if kind == "key":
                raise _Unclear
            value = {} if said == "{" and kind == "open" else [] if kind == "open" else said
            if isinstance(holder, dict):
                holder[key] = value
                keys[-1] = None
            else:
                holder.append(value)
            if kind == "open":
                holders.append(value)
                keys.append(None)
                open_.append("}" if said == "{" else "]")
                if len(open_) > _DEEPEST:
                    raise _Unclear
        if keys[-1] is not None:
            raise _Unclear
        return top[0], open_

    def _tokens(self) -> Iterator[tuple[str, Any]]:
        """Keys with their colon, values, and containers that open and close; commas only between them."""
        text, size = self._text, len(self._text)
        may_begin, after_comma = True, False
        while (found := _TOKEN.match(text, self._at)) is not None:
            self._at = found.end()
            mark, quote, word = found["mark"], found["quote"], found["word"]
            if mark in (",", ":"):
                if mark == ":" or may_begin:
                    raise _Unclear
                may_begin = after_comma = True
            elif mark in ("}", "]"):
                if after_comma:
                    self._plain = False  # Python allows a comma before the end
                self._whole, may_begin, after_comma = self._at, False, False
                yield "close", mark
            elif not may_begin:
                raise _Unclear
            elif mark:
                self._whole, after_comma = self._at, False
                yield "open", mark
            else:
                after_comma = False
                value = self._string(quote) if quote else self._word(word)
                key = _COLON.match(text, self._at) if quote and not self._end else None
                if key is not None:
                    self._at = key.end()
                    yield "key", value
                else:
                    self._whole, may_begin = self._at, False
                    yield "value", value
            if self._end:
                return
        if text[self._at :].strip() and self._at < size:
            raise _Unclear

    def _word(self, word: str) -> Any:
        if word[0].isalpha():
            if word not in _WORDS:
                raise _Unclear
            self._plain = self._plain and word[0].islower()
            return _WORDS[word]
        return json.loads(word)

    def _string(self, quote: str) -> str:
        found = _BODY[quote].match(self._text, self._at)
        assert found is not None
        body, end = found[0], found.end()
        ended = self._text[end : end + 1] == quote
        if not ended:
            if _UNFINISHED.sub("", self._text[end:]):
                raise _Unclear
            body = _HALF.sub("", body)
            self._end = '"'
        self._at = end + 1 if ended else self._at + len(body)
        self._plain = self._plain and quote == '"' and loaded(f'"{body}"') is not None
        said = _ESCAPE.sub(_unescaped, body)
        return said.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    if found[3] not in _ESCAPED:
        raise _Unclear
    return _ESCAPED[found[3]]
