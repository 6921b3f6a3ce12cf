"""What tools were given, where an output begins with it: it has the same stand-in in both places.

Whether two outputs are swapped shows in nothing else.
"""

from __future__ import annotations

import re
from typing import Final

_VALUES: Final = re.compile(
    r'"(?:file_path|path|notebook_path|command|cmd|pattern|query|url)\\*"\s*:\s*\\*"([^"\\\n]{4,300})\\*"'
)
_HEAD: Final = 300
_INDEXED: Final = 4
"""Characters of a text by which it is looked up: none is shorter."""
_MOST: Final = 500
"""Texts that are looked for in the rest of an output."""


class Given:
    """The short texts that tools were given in a session."""

    def __init__(self, content: str) -> None:
        self._by_start: dict[str, list[str]] = {}
        for text in dict.fromkeys(found.strip() for found in _VALUES.findall(content)):
            if len(text) >= _INDEXED:
                self._by_start.setdefault(text[:_INDEXED], []).append(text)
        for texts in self._by_start.values():
            texts.sort(key=len, reverse=True)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where an output names what a tool was given: nowhere, unless one of them is near its beginning."""
        end = text.find("\n", 0, _HEAD)
        if not self._by_start or not self._in(text, 0, _HEAD if end < 0 else end):
            return []
        everywhere = sum(map(len, self._by_start.values())) <= _MOST
        found = self._in(text, 0, len(text) if everywhere else _HEAD)
        return found if found != [(0, len(text))] else []

    def _in(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        at = start
        while at < min(end, len(text)):
            known = self._by_start.get(text[at : at + _INDEXED])
            match = next((one for one in known if text.startswith(one, at)), None) if known else None
            if match is not None:
                found.append((at, at + len(match)))
                at += len(match)
            else:
                at += 1
        return found
