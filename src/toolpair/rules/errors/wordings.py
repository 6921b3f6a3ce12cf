"""The wordings of the known error texts, split into fixed parts and the values they name."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from msgspec import Struct

from toolpair.rules.errors.pasted import squeezed
from toolpair.rules.errors.texts import ErrorText, texts

_PLACE: Final = re.compile(r"\{(\w+)\}")
_LOCATOR: Final = re.compile(r"(?:messages?|content|tool_result|type|role|error|\W|\d)*")
NUMBERS: Final = frozenset({"N", "M", "K", "A", "max", "len"})
NAMES: Final = frozenset({"name", "field", "prefix", "role", "type"})
LISTS: Final = frozenset({"ids", "others"})
_IN_BACKTICKS: Final = re.compile(r"`[^`]*`")
"""What a shell would run as a command, and so drops from a text in double quotes."""
_STILL_SAYS: Final = 30
"""Minimum fixed characters for such a text to be recognisable."""
GRAM: Final = 10
"""Length of the n-grams by which a wording is looked up."""


class Wording(Struct, frozen=True, eq=False):
    """One wording: `fixed[0]`, the value `named[0]`, `fixed[1]`, and so on. The fixed parts are squeezed."""

    error: ErrorText
    fixed: tuple[str, ...]
    named: tuple[str, ...]
    size: int
    """Total characters of the fixed parts."""
    core: int
    """Index of the longest fixed part."""

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
    kept = [found for found in (_taken_apart(*one) for one in eaten) if found.size >= _STILL_SAYS]
    return (*(_taken_apart(*one) for one in whole), *kept)


def _taken_apart(error: ErrorText, words: str) -> Wording:
    pieces = _PLACE.split(words)
    fixed = tuple(squeezed(piece) for piece in pieces[::2])
    sizes = [len(part) for part in fixed]
    return Wording(error, fixed, tuple(pieces[1::2]), sum(sizes), sizes.index(max(sizes)))


@cache
def grams() -> dict[str, tuple[tuple[int, int, int], ...]]:
    """N-gram of `GRAM` characters -> where it occurs: the wording, its fixed part, the offset in that."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for number, wording in enumerate(wordings()):
        for part, text in enumerate(wording.fixed):
            for at in range(len(text) - GRAM + 1):
                found.setdefault(text[at : at + GRAM], []).append((number, part, at))
    return {gram: tuple(places) for gram, places in found.items()}
