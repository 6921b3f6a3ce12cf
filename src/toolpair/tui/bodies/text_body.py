"""A text of any size: folded at the width, with line numbers and the colours of its language."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from toolpair.text.cells import width
from toolpair.text.fold import Fold
from toolpair.text.safe import TAB, SafeText, visible
from toolpair.tui.bodies.body import Body, Colourable, Haystack, Query, Runs
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line

BLOCK: Final = 40
"""Lines whose colours are asked for at once."""
LEAD: Final = 24
"""Lines before them, so that a long string or comment is recognised."""
PROSE: Final = 100
"""Cells of the longest line of prose: the eye does not find the next one's beginning from further away."""
LONGEST: Final = 1000
"""Characters of a line that are coloured."""
_MOST: Final = 16_000
"""Characters of all lines that are sent to be coloured."""
NUMBERED: Final = re.compile(r" {0,8}\d{1,7}(?:→|\t)")
"""A line number that a tool wrote in front of each line."""


class BlockColours:
    """The colours of lines by number, asked for a block at a time."""

    def __init__(self) -> None:
        self._runs: dict[int, Runs] = {}
        self._asked: set[int] = set()
        self._want: int | None = None

    def of(self, number: int) -> Runs | None:
        """The colours of a line; if they are not known, its block is wanted."""
        runs = self._runs.get(number)
        if runs is None and self._want is None and number // BLOCK not in self._asked:
            self._want = number // BLOCK
        return runs

    def wanted(self) -> tuple[int, int] | None:
        """The first line of the block that is wanted, and where the lines that lead up to it begin."""
        block, self._want = self._want, None
        if block is None:
            return None
        self._asked.add(block)
        return block * BLOCK, max(0, block * BLOCK - LEAD)

    def take(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        self._runs.update(enumerate(runs[asked.lead :], asked.first))


class TextBody(Body):
    """`line_style` gives the style of a row from the start of its line of text. `file` or `language` say which colours.

    `numbered`: lines get numbers, unless the text has its own. `words`: lines are broken between words.
    """

    def __init__(
        self,
        glyphs: Glyphs,
        text: str,
        line_style: Callable[[str], str] | None = None,
        numbered: bool = False,
        file: str | None = None,
        language: str | None = None,
        prefix: str = "",
        words: bool = True,
    ) -> None:
        super().__init__(glyphs)
        self._text = text
        self._shown = text.removesuffix("\n")
        self._line_style = line_style
        self._prefix = prefix
        """Shown in front of the first line."""
        self._own_numbers = (numbered or file is not None) and NUMBERED.match(text) is not None
        self._digits = max(3, len(str(text.count("\n") + 1))) if numbered and not self._own_numbers else 0
        self._file, self._language = file, language
        self._words = words
        self._fold = Fold("", 0)
        self._anchor = (0, 0)
        self._colours = BlockColours()
        self._hay = Haystack(self._shown)

    @property
    def gutter(self) -> int:
        return self._digits + 2 if self._digits else width(SafeText(self._prefix))

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        super().lay_out(cells, wrapped)
        self._anchor = (0, 0)
        # Plain characters are folded without measuring each of them.
        measured = self._shown.replace("→", " ") if self._own_numbers else self._shown
        room = max(4, self.cells - self.gutter)
        if self._language == "markdown":
            room = min(room, PROSE)
        self._fold = Fold(measured, room if wrapped else 0, self._words)

    @property
    def rows(self) -> int:
        return len(self._fold)

    def place(self, row: int) -> int:
        return self._fold.starts[max(0, min(row, self.rows - 1))] if self.rows else 0

    def row_of(self, place: int) -> int:
        return self._fold.at(place)

    def text(self) -> str:
        return self._text

    def number(self, row: int) -> int:
        return self._number(row) + 1 if self.rows else 1

    def _number(self, row: int) -> int:
        """The line of the text that a row belongs to, from 0; counted from the last one asked for."""
        start = self._fold.starts[row]
        at, number = self._anchor
        if start >= at:
            number += self._shown.count("\n", at, start)
        else:
            number -= self._shown.count("\n", start, at)
        self._anchor = (start, number)
        return number

    def line(self, row: int) -> Line:
        fold = self._fold
        start = fold.starts[row]
        first = start == 0 or self._shown[start - 1] == "\n"
        out: list[Span] = []
        if self._digits:
            number = f"{self._number(row) + 1:>{self._digits}}" if first else " " * self._digits
            out.append(self.glyphs.ui(f"{number}  ", "quiet"))
        elif self._prefix:
            out.append(self.glyphs.ui(self._prefix if row == 0 else " " * self.gutter, "key"))
        style = ""
        if self._line_style is not None:
            begin = start if first else self._shown.rfind("\n", 0, start) + 1
            style = self._line_style(self._shown[begin : begin + 8])
        end = fold.starts[row + 1] if row + 1 < len(fold) else len(self._shown)
        raw_start = min(start + (self.skip if not self.wrapped else 0), end)
        raw = self._shown[raw_start : min(end, raw_start + self.cells * 2)].removesuffix("\n").removesuffix("\r")
        own = NUMBERED.match(raw) if self._own_numbers and first and raw_start == start else None
        if own is not None:
            out.append(self.glyphs.ui(visible(own.group().replace("→", " ")), "quiet"))
            raw, raw_start = raw[own.end() :], raw_start + own.end()
        if self._file is None and self._language is None:
            out.append(Span(visible(raw), style))
        else:
            out += self._coloured(row, raw, raw_start, style)
        return cut_line(out, self.cells)

    def _coloured(self, row: int, raw: str, start: int, style: str) -> list[Span]:
        number = self._number(row)
        runs = self._colours.of(number)
        if runs is None:
            return [Span(visible(raw), style)]
        begin = self._shown.rfind("\n", 0, start) + 1
        if self._own_numbers and (own := NUMBERED.match(self._shown, begin)) is not None:
            begin = own.end()
        return styled(raw, runs, start - begin, style)

    def wanted(self) -> Colourable | None:
        wanted = self._colours.wanted()
        if wanted is None:
            return None
        first, lead = wanted
        at, number = self._anchor
        at = self._shown.rfind("\n", 0, at) + 1  # the row may be the middle of a folded line
        # The rows in view are near the anchor, so that going there line by line is short.
        while number > lead and at > 0:
            at = self._shown.rfind("\n", 0, at - 1) + 1
            number -= 1
        while number < lead:
            at = self._shown.find("\n", at) + 1
            number += 1
        lines: list[str] = []
        size = 0
        while at <= len(self._shown) and len(lines) < first - lead + BLOCK and size < _MOST:
            end = self._shown.find("\n", at)
            end = len(self._shown) if end < 0 else end
            line = self._shown[at : min(end, at + LONGEST + 10)].removesuffix("\r")
            if self._own_numbers and (own := NUMBERED.match(line)) is not None:
                line = line[own.end() :]
            lines.append(line[:LONGEST])
            size += len(lines[-1])
            at = end + 1
        return Colourable(self, first, tuple(lines), self._file, self._language, first - lead)

    def coloured(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        self._colours.take(asked, runs)

    def find(self, query: Query, row: int, by: int) -> int | None:
        if by > 0:
            start = self._fold.starts[row + 1] if 0 <= row + 1 < self.rows else 0 if row < 0 else len(self._shown) + 1
            offset = self._hay.find(query, query.words, start)
        else:
            end = self._fold.starts[row] if row < self.rows else len(self._shown) + 1
            offset = self._hay.find_last(query, query.words, end)
        if offset < 0:
            return None
        found = self._fold.at(offset)
        if not self.wrapped:
            along = offset - self._fold.starts[found]
            self.skip = 0 if along < self.cells // 2 else along - 10
        return found

    def count(self, query: Query, row: int | None = None) -> int:
        end = None if row is None or row >= self.rows else self._fold.starts[row]
        return self._hay.count(query, query.words, end)


def styled(raw: str, runs: Runs, skip: int, style: str) -> list[Span]:
    """`raw`, which begins `skip` characters into its line, in the styles of `runs`."""
    out: list[Span] = []
    column = at = 0
    for start, stop, name in (*runs, (len(raw) + skip, len(raw) + skip, "")):
        start, stop = max(0, start - skip), min(stop - skip, len(raw))
        for part, its in (
            (raw[at : max(at, start)], style),
            (raw[max(at, start) : max(at, stop)], f"{style} {name}".strip()),
        ):
            if not part:
                continue
            for number, words in enumerate(part.split("\t")):
                if number:
                    size = TAB - column % TAB
                    out.append(Span(SafeText(" " * size), its))
                    column += size
                if words:
                    shown = visible(words)
                    out.append(Span(shown, its))
                    column += width(shown)
        at = max(at, stop)
    return out
