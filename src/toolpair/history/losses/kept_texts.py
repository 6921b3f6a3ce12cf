"""Texts that are new in a conversation, and old texts kept in them after a label."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

_HALVES: Final = re.compile("[\ud800-\udfff]")
_LABEL_LINES: Final = 4
"""The label before kept text has fewer lines than this."""
_TRIED: Final = 200
"""How many places with the same first line are tried."""


def well_formed(text: str) -> str:
    """The text with U+FFFD for half surrogates, which no API accepts."""
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


def holds_whole(text: str, part: str) -> bool:
    """Whether a text, in JSON or not, holds a part that is not cut out of a longer word or number."""
    at = text.find(part)
    while at >= 0:
        before, after = text[max(at - 2, 0) : at], text[at + len(part) : at + len(part) + 1]
        goes_on = _goes_on(before[-1:], part[:1]) and before[:1] != "\\"
        if not goes_on and not _goes_on(part[-1:], after):
            return True
        at = text.find(part, at + 1)
    return False


def _goes_on(one: str, other: str) -> bool:
    """Whether a word or a number goes on from one character to the other."""
    return (one + other).isascii() and one.isalnum() and other.isalnum()


class KeptTexts:
    """The new texts; each occurrence of a kept text can be taken once."""

    def __init__(self, before: Iterable[str], after: Iterable[str]) -> None:
        known = Counter(before)
        self._new: list[str] = []
        for text in after:
            if known[text] > 0:
                known[text] -= 1
            else:
                self._new.append(text)
        self._tails: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Text after a label -> the new texts that end with it, and where it begins in each."""
        self._lines: dict[str, list[tuple[int, int]]] | None = None
        """A line -> its unused places in the new texts, in reverse order."""
        self._taken: dict[int, int] = {}
        """Texts whose end was taken -> where that begins."""
        for number, text in enumerate(self._new):
            for _, start, _ in _starts(text, _LABEL_LINES):
                self._tails[text[start:].strip()].append((number, start))

    def take(self, text: str) -> bool:
        """Whether the text is kept somewhere; each place counts once."""
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
    """For each line: its text without surrounding white space, where that begins, and the line's number."""
    start = 0
    number = 0
    while most is None or number < most:
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        yield line.strip(), start + len(line) - len(line.lstrip()), number
        if end < 0:
            return
        start, number = end + 1, number + 1
