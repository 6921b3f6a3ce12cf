"""The wordings of the known error texts, split into fixed parts and the values they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import islice
from typing import Final, NamedTuple

from msgspec import Struct

from toolpair.rules.errors.pasted import squeezed
from toolpair.rules.errors.texts import ErrorText, texts

_PLACE: Final = re.compile(r"\{(\w+)\}")
_SENTENCE_END: Final = re.compile(r"\.\W* (?=[A-Z(])")
_NOT_SAID: Final = re.compile(r"(?:\{\w+\}|\W)+\Z")
"""Values and punctuation at the end of a sentence."""
_LOCATOR: Final = re.compile(r"(?:messages?|content|tool_result|type|role|error|\W|\d)*")
NUMBERS: Final = frozenset({"N", "M", "K", "A", "max", "len"})
NAMES: Final = frozenset({"name", "field", "prefix", "role", "type"})
LISTS: Final = frozenset({"ids", "others"})
_IN_BACKTICKS: Final = re.compile(r"`[^`]*`")
"""What a shell would run as a command, and so drops from a text in double quotes."""
_NAME: Final = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")
_APART: Final = "\ue000"
"""A character that no wording has, and that is left when one is squeezed."""
_STILL_SAYS: Final = 30
"""Minimum fixed characters for such a text to be recognisable."""
Point = tuple[int, int]
"""A fixed part of a wording, and an offset in it."""
GRAM: Final = 10
"""Length of the n-grams by which a wording is looked up."""


class Tell(NamedTuple):
    """A stretch of a wording that makes a text this error."""

    first: Point
    last: Point
    """Its end, enough where a text was cut off."""
    sentence: Point
    """The end of its sentence: where a text goes on differently before it, the text is another error."""


class Wording(Struct, frozen=True, eq=False, dict=True):
    """One wording: `fixed[0]`, the value `named[0]`, `fixed[1]`, and so on. The fixed parts are squeezed."""

    error: ErrorText
    words: str
    fixed: tuple[str, ...]
    named: tuple[str, ...]
    size: int
    """Total characters of the fixed parts."""
    core: int
    """Index of the longest fixed part."""
    told_by: tuple[str, ...] = ()

    @cached_property
    def tells(self) -> tuple[Tell, ...]:
        """What makes a text this error: only needed of the few wordings that a text may have."""
        told = tuple(_tell(self.words, tell) for tell in self.told_by if tell in self.words)
        return told or (_whole(self.fixed),)

    @property
    def is_name(self) -> bool:
        """Whether it is the name of an error, which no sentence has by chance."""
        return _NAME.fullmatch(self.words) is not None

    def only_locates(self, part: int) -> bool:
        """Whether the fixed part only introduces a location, as in "messages.3.content.1: "."""
        return locates(self.fixed[part])


def locates(text: str) -> bool:
    return _LOCATOR.fullmatch(text) is not None


@cache
def wordings() -> tuple[Wording, ...]:
    """All wordings that mean something by themselves."""
    whole = [(error, words) for error in texts() if not error.wraps for words in error.words]
    eaten = [(error, _IN_BACKTICKS.sub("", words)) for error, words in whole if "`" in words]
    kept = [found for found in _taken_apart(eaten, told=False) if found.size >= _STILL_SAYS]
    # What told two of them apart was in backticks.
    said: dict[tuple[str, ...], set[str]] = {}
    for found in kept:
        said.setdefault(found.fixed, set()).add(found.error.id)
    kept = [found for found in kept if len(said[found.fixed]) == 1]
    return (*_taken_apart(whole, told=True), *kept)


def _taken_apart(said: list[tuple[ErrorText, str]], told: bool) -> Iterator[Wording]:
    pieces = [_PLACE.split(words) for _, words in said]
    # All are squeezed at once, which takes a fifth of the time.
    squeezed_ones = iter(squeezed(_APART.join(piece for one in pieces for piece in one[::2])).split(_APART))
    for (error, words), one in zip(said, pieces, strict=True):
        fixed = tuple(islice(squeezed_ones, len(one) // 2 + 1))
        sizes = [len(part) for part in fixed]
        tells = error.tells if told else ()
        yield Wording(error, words, fixed, tuple(one[1::2]), sum(sizes), sizes.index(max(sizes)), tells)


def _tell(words: str, tell: str) -> Tell:
    start = words.index(tell)
    end = start + len(tell)
    sentence = _SENTENCE_END.search(words, end)
    whole = _NOT_SAID.sub("", words[: sentence.start() if sentence is not None else len(words)])
    return Tell(_point(words[:start]), _point(words[:end]), _point(whole if len(whole) > end else words[:end]))


def _point(before: str) -> Point:
    pieces = _PLACE.split(before)
    return len(pieces) // 2, len(squeezed(pieces[-1]))


def _whole(fixed: tuple[str, ...]) -> Tell:
    """All of a wording but what locates it, and punctuation after the last value."""
    said = [number for number, part in enumerate(fixed) if not locates(part)]
    first, last = fixed[said[0]], fixed[said[-1]]
    end = said[-1], len(last.rstrip("."))
    return Tell((said[0], len(first) - len(first.lstrip(":"))), end, end)


@cache
def grams() -> dict[str, tuple[tuple[int, int, int], ...]]:
    """N-gram of `GRAM` characters -> where it occurs: the wording, its fixed part, the offset in that."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for number, wording in enumerate(wordings()):
        for part, text in enumerate(wording.fixed):
            for at in range(len(text) - GRAM + 1):
                found.setdefault(text[at : at + GRAM], []).append((number, part, at))
    return {gram: tuple(places) for gram, places in found.items()}
