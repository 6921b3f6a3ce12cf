"""The wordings of the known error texts, taken to pieces: what stands fixed in them and what they name."""

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
"""What a shell takes for commands, runs, and leaves out of a text that stands in double quotes."""
_STILL_SAYS: Final = 30
"""Fixed characters that such a text needs, to be told from others."""
GRAM: Final = 10
"""Characters of the pieces by which a wording is looked up."""


class Wording(Struct, frozen=True, eq=False):
    """One wording: `fixed[0]`, what `named[0]` stands for, `fixed[1]`, and so on. The fixed parts are squeezed."""

    error: ErrorText
    fixed: tuple[str, ...]
    named: tuple[str, ...]
    size: int
    """Characters of all fixed parts."""
    core: int
    """Which fixed part is the longest."""

    def only_locates(self, part: int) -> bool:
        """Whether the fixed part does nothing but lead to a place, as in "messages.3.content.1: "."""
        return locates(self.fixed[part])


def locates(text: str) -> bool:
    return _LOCATOR.fullmatch(text) is not None


@cache
def wordings() -> tuple[Wording, ...]:
    """All wordings of all texts that say something by themselves."""
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
    """Piece of `GRAM` characters -> where it stands: the wording, the fixed part of it, the place in that."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for number, wording in enumerate(wordings()):
        for part, text in enumerate(wording.fixed):
            for at in range(len(text) - GRAM + 1):
                found.setdefault(text[at : at + GRAM], []).append((number, part, at))
    return {gram: tuple(places) for gram, places in found.items()}
