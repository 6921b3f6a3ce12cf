"""Other characters in the place of letters and digits: of the same kind, drawn from a keyed stream."""

from __future__ import annotations

import unicodedata
from functools import cache
from hashlib import blake2b, shake_256
from string import ascii_lowercase, digits
from typing import Final

_LOWER: Final = bytes(ord(ascii_lowercase[byte % 26]) for byte in range(256))
_DIGIT: Final = bytes(ord(digits[byte % 10]) for byte in range(256))
_FIRST_DIGIT: Final = bytes(ord(digits[1 + byte % 9]) for byte in range(256))
_HEX: Final = bytes(ord("abcdef"[byte % 6]) for byte in range(256))
_BASE64: Final = bytes(ord((ascii_lowercase + ascii_lowercase.upper() + digits)[byte % 62]) for byte in range(256))
_KINDS: Final = tuple(
    (bytes(255 * (chr(byte) in kind) for byte in range(256)), drawn)
    for kind, drawn in ((ascii_lowercase, _LOWER), (ascii_lowercase.upper(), _LOWER.upper()), (digits, _DIGIT))
)
"""For each kind of characters: which bytes are of it, and what takes their place."""
_STAYS: Final = bytes(255 * (not chr(byte).isalnum() or byte >= 0x80) for byte in range(256))
_BLOCK: Final = 128
_MANY: Final = ((0x3400, 0x4DBF), (0x4E00, 0x9FEF), (0xAC00, 0xD7A3), (0x20000, 0x2A6D6))
"""Scripts whose neighbouring characters have much in common: any of them may take the place of another."""
_SIGNS: Final = frozenset({"Sm", "Sc", "Sk", "Cc", "Cs"})
_DRAWN: Final = (
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF)),  # joiners and directions of text
    *((0x2190, 0x23FF), (0x2500, 0x2775), (0x2794, 0x27BF)),  # arrows, lines, boxes, ticks; no numbers in circles
    *((0x1F300, 0x1F6FF), (0x1F900, 0x1FAFF)),  # pictures
    (0xFFFC, 0xFFFD),  # stand-ins for what is no text
)
_BAD_BYTES: Final = range(0xDC80, 0xDD00)
"""Bytes that are no UTF-8, as Python decodes them."""


class Stream:
    """What is drawn for one text: for each of its places a letter and a digit. Equal texts have the same."""

    __slots__ = ("digit", "first", "lower", "raw", "upper")

    def __init__(self, key: bytes, text: str, again: int = 0) -> None:
        seed = blake2b(text.encode("utf-8", "surrogatepass"), key=key, person=again.to_bytes(16, "big")).digest()
        self.raw = seed[: len(text)] if len(text) <= len(seed) else shake_256(key + seed).digest(len(text))
        self.lower = self.raw.translate(_LOWER).decode("ascii")
        self.upper = self.lower.upper()
        self.digit = self.raw.translate(_DIGIT).decode("ascii")
        self.first = self.raw.translate(_FIRST_DIGIT).decode("ascii")

    def word(self, word: str, start: int, hexadecimal: bool = False) -> str:
        """Another word for one that stands at `start` of the text: same length, case and script."""
        end = start + len(word)
        if not word.isascii():
            return "".join(self.character(one, place) for place, one in enumerate(word, start))
        if hexadecimal:
            low = self.raw[start:end].translate(_HEX).decode("ascii")
        else:
            low = self.lower[start:end]
        if word.isdigit():
            new = self.digit[start:end]
            return self.first[start] + new[1:] if word[0] != "0" else new
        if word.isalpha():
            if word.islower():
                return low
            if word.isupper():
                return low.upper()
        up, number = low.upper(), self.digit
        return "".join(
            low[at] if one >= "a" else up[at] if one >= "A" else number[start + at] for at, one in enumerate(word)
        )

    def drawn(self, text: str) -> str:
        """The text with another character in the place of each letter and digit; a sign for what is not ASCII."""
        raw = text.encode("ascii", "replace")
        new = int.from_bytes(raw.translate(_STAYS)) & int.from_bytes(raw)
        for kind, drawn in _KINDS:
            of_kind = int.from_bytes(raw.translate(kind))
            if of_kind:
                new |= of_kind & int.from_bytes(self.raw.translate(drawn))
        return new.to_bytes(len(raw)).decode("ascii")

    def opaque(self, start: int, end: int) -> str:
        """Characters of Base64 for this stretch."""
        return self.raw[start:end].translate(_BASE64).decode("ascii")

    def character(self, one: str, place: int) -> str:
        """Another character of the same kind; the same one if it may stay."""
        if one.isascii():
            return self.word(one, place) if one.isalnum() else one
        code = ord(one)
        draw = self.raw[place] * 257 + self.raw[place - 1]
        if code in _BAD_BYTES:
            return chr(_BAD_BYTES.start + draw % 0x40)
        others = _like(code)
        return others[draw % len(others)] if others else one


@cache
def may_stay(one: str) -> bool:
    """Whether a character tells nothing: punctuation, spaces, signs of mathematics and money, lines and arrows."""
    category = unicodedata.category(one)
    return category[0] in "PZ" or category in _SIGNS or any(first <= ord(one) <= last for first, last in _DRAWN)


@cache
def _like(code: int) -> str:
    """The characters that may take the place of this one: of the same script, category and size in UTF-8."""
    category = unicodedata.category(chr(code))
    if may_stay(chr(code)):
        return ""
    for first, last in _MANY:
        if first <= code <= last:
            return "".join(map(chr, range(first, last + 1)))
    first = code - code % _BLOCK
    one = chr(code)
    return (
        "".join(
            other
            for other in map(chr, range(max(first, 0x80), first + _BLOCK))
            if unicodedata.category(other) == category
            and (category[0] == "M" or _joins(other) == _joins(one))
            and len(other.lower()) == len(other.upper()) == 1
        )
        or one
    )


def _joins(one: str) -> bool:
    """Whether it is part of a word, as regular expressions have it."""
    return one.isalnum()
