"""What all bodies have: rows, folding, places that matter, search."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from toolpair.text.safe import SafeText
from toolpair.tui.styled_text import Glyphs, Line, Span

Runs = Sequence[tuple[int, int, str]]
"""Styles of a line of code: from where to where, and which."""


class Query(Struct, frozen=True):
    """What is searched for. Only a query with a capital letter distinguishes capital letters."""

    words: str

    @property
    def any_case(self) -> bool:
        return self.words == self.words.lower()

    @property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.words), re.IGNORECASE if self.any_case else 0)


class Colourable(Struct, frozen=True):
    """Lines of code whose colours are wanted. `first` is the number of the first one that is; the ones before it give
    the lexer its bearings.
    """

    body: Body
    first: int
    lines: tuple[str, ...]
    file: str | None
    language: str | None
    lead: int = 0


class Haystack:
    """A text that is searched as one types."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lower: str | None = None

    def _in(self, query: Query) -> str | None:
        """The text in the query's case; None if its lower case has other offsets."""
        if not query.any_case:
            return self.text
        if self._lower is None:
            self._lower = self.text.lower()
        return self._lower if len(self._lower) == len(self.text) else None

    def find(self, query: Query, words: str, start: int) -> int:
        """The offset of the first match from `start` on; -1 without one."""
        text = self._in(query)
        if text is not None:
            return text.find(words, start)
        found = re.compile(re.escape(words), re.IGNORECASE).search(self.text, start)
        return found.start() if found is not None else -1

    def find_last(self, query: Query, words: str, end: int) -> int:
        """The offset of the last match that begins before `end`; -1 without one."""
        text = self._in(query)
        if text is not None:
            return text.rfind(words, 0, max(0, end) + len(words) - 1) if end > 0 else -1
        last = -1
        for found in re.compile(re.escape(words), re.IGNORECASE).finditer(self.text):
            if found.start() >= end:
                break
            last = found.start()
        return last

    def count(self, query: Query, words: str, end: int | None = None) -> int:
        """How many matches there are before `end`."""
        text = self._in(query)
        if text is not None:
            return text.count(words) if end is None else text.count(words, 0, end)
        found = re.compile(re.escape(words), re.IGNORECASE).finditer(self.text)
        return sum(end is None or match.end() <= end for match in found)


class Body:
    """Something to read. After `lay_out` the first rows are there; `more` lays out further ones."""

    def __init__(self, glyphs: Glyphs) -> None:
        self.glyphs = glyphs
        self.cells = 0
        self.wrapped = True
        self.skip = 0
        """How far lines that are not wrapped are scrolled sideways."""

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        """Begin the layout for this width."""
        self.cells = max(8, cells)
        self.wrapped = wrapped

    def more(self, count: int = 500) -> bool:
        """Lay out about `count` more rows; False once all are."""
        return False

    @property
    def rows(self) -> int:
        """How many rows there are, as far as laid out."""
        return 0

    def line(self, row: int) -> Line:
        """The line of a row, at most about `cells` wide."""
        return ()

    def place(self, row: int) -> int:
        """Identifies what a row shows, whatever the width."""
        return row

    def row_of(self, place: int) -> int:
        """The row that shows it now."""
        return max(0, min(place, self.rows - 1))

    def text(self) -> str:
        """All of it, for the clipboard. Untrusted."""
        return ""

    def number(self, row: int) -> int:
        """The line number of a row, from 1."""
        return row + 1

    # folding

    @property
    def folds(self) -> bool:
        """Whether there is anything to fold, so that a cursor is needed."""
        return False

    def fold(self, row: int) -> int | None:
        """Fold or unfold what is at a row. Returns the row for the cursor; None where nothing folds."""
        return None

    def fold_all(self) -> None:
        """Fold everything, or unfold it again."""

    # places that matter

    def change(self, row: int, by: int) -> int | None:
        """The row of the next or previous change of a diff."""
        return None

    # search. By default in the lines that are laid out.

    def find(self, query: Query, row: int, by: int) -> int | None:
        """The next row after `row`, or before it, that has a match; unfolded if necessary."""
        pattern = query.pattern
        rows = range(row + 1, self.rows) if by > 0 else range(min(row, self.rows) - 1, -1, -1)
        return next((each for each in rows if pattern.search(plain(self.line(each)))), None)

    def count(self, query: Query, row: int | None = None) -> int:
        """How many matches there are, or how many before `row`."""
        pattern = query.pattern
        rows = range(self.rows if row is None else min(row, self.rows))
        return sum(len(pattern.findall(plain(self.line(each)))) for each in rows)

    # colours

    def wanted(self) -> Colourable | None:
        """Lines that were shown without their colours since the last call."""
        return None

    def coloured(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        """The colours of lines that were wanted."""


def plain(line: Line) -> str:
    return "".join(span.text for span in line)


def gap(cells: int) -> Span:
    return Span(SafeText(" " * max(0, cells)))
