"""Texts that are new in a conversation, and what of the old is kept in them behind a label."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

_HALVES: Final = re.compile("[\ud800-\udfff]")
_LABEL_LINES: Final = 4
"""A label in front of what is kept has fewer lines than this."""
_TRIED: Final = 200
"""So many places with one first line are looked at."""


def plain(text: str) -> str:
    """The text with U+FFFD for halves of characters, which no API takes."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


class KeptTexts:
    """What is kept can be taken once for each time that it stands there."""

    def __init__(self, before: Iterable[str], after: Iterable[str]) -> None:
        known = Counter(before)
        self._new: list[str] = []
        for text in after:
            if known[text] > 0:
                known[text] -= 1
            else:
                self._new.append(text)
        self._tails: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """What stands behind a label -> the new texts that it is the end of, and where it begins in each."""
        self._lines: dict[str, list[tuple[int, int]]] | None = None
        """A line -> where it stands in the new texts and was not taken, the first place last."""
        self._taken: dict[int, int] = {}
        """Texts whose end was taken -> where that begins."""
        for number, text in enumerate(self._new):
            for _, start, _ in _starts(text, _LABEL_LINES):
                self._tails[text[start:].strip()].append((number, start))

    def take(self, text: str) -> bool:
        """Whether the text is kept somewhere; each place answers once."""
        wanted = text.strip()
        if not wanted:
            return False
        ends = self._tails.get(wanted, [])
        while ends:
            number, start = ends.pop()
            if number not in self._taken:
                self._taken[number] = start
                return True
        return self._take_inside(wanted)

    def _take_inside(self, wanted: str) -> bool:
        if self._lines is None:
            self._lines = defaultdict(list)
            for number, text in enumerate(self._new):
                for line, start, _ in _starts(text):
                    self._lines[line].append((number, start))
            for places in self._lines.values():
                places.reverse()
        places = self._lines.get(wanted.split("\n", 1)[0].strip(), [])
        passed: list[tuple[int, int]] = []
        found = False
        while places and not found and len(passed) < _TRIED:
            number, start = place = places.pop()
            text = self._new[number]
            if start + len(wanted) <= self._taken.get(number, len(text)):
                found = text.startswith(wanted, start)
                passed += [] if found else [place]
        places.extend(reversed(passed))
        return found


def _starts(text: str, most: int | None = None) -> Iterator[tuple[str, int, int]]:
    """Of each line what it says without the space around it, where that begins, and the line's number."""
    start = 0
    number = 0
    while most is None or number < most:
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        yield line.strip(), start + len(line) - len(line.lstrip()), number
        if end < 0:
            return
        start, number = end + 1, number + 1
