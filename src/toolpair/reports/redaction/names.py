"""Stand-ins for names: of tools, of keys that no agent writes by itself. A name has the same one everywhere."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from toolpair.reports.redaction.characters import Stream

_WORD: Final = re.compile(r"[^\W_]+")
_TRIES: Final = 40
_LEAST: Final = 4
_ZEROS: Final = ("0", "00", "000")
_KEPT: Final = frozenset({"mcp", "functions"})
"""Words in front of a tool's name that say where it comes from."""


def _size(word: str) -> tuple[int, int]:
    return len(word), len(word.encode("utf-8", "surrogatepass"))


class Names:
    """Names, word by word: no two words share a stand-in, and two that differ only in case still do."""

    def __init__(
        self, key: bytes, kept: Collection[str], words: Collection[str], shortest_number: int = _LEAST
    ) -> None:
        """`kept` are the names that stay, `words` what no stand-in may be; numbers of fewer digits stay, too."""
        self._key = key
        self._shortest_number = shortest_number
        self._kept = kept
        self._words = words
        self._known: dict[str, str] = {}
        self._taken: set[str] = set()

    def stand_in(self, name: str) -> str:
        if name in self._kept:
            return name
        return _WORD.sub(self._word, name)

    def _word(self, match: re.Match[str]) -> str:
        word = match[0]
        low = word.lower()
        if _size(low) != _size(word):
            low = word
        if low in _KEPT or (word.isdigit() and (len(word) < self._shortest_number or word in _ZEROS)):
            return word
        new = self._known.get(low)
        if new is None:
            new = self._known[low] = self._fresh(low)
        return "".join(one.upper() if old.isupper() else one for one, old in zip(new, word, strict=True))

    def _fresh(self, low: str) -> str:
        new = low
        zeros = len(low) - len(low.lstrip("0")) if low.isdigit() and len(low) < _LEAST else 0
        for again in range(_TRIES if len(low) >= _LEAST else 100 * _TRIES):
            new = low[:zeros] + Stream(self._key, f"name:{low}", again).word(low[zeros:], 0)
            free = new not in self._taken and new not in self._kept
            if free and (len(new) < _LEAST or new not in self._words):
                break
        self._taken.add(new)
        return new
