"""JSON to read: without brackets, texts with their line breaks, everything foldable."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Collection
from typing import Final

from toolpair.text.cells import width
from toolpair.text.json_lines import INDENT, JsonLines
from toolpair.text.safe import visible
from toolpair.tui.bodies.body import Body, Haystack, Query, gap
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, drop_cells

_NESTED: Final = 2000
"""Maximum lines of JSON inside a text that are searched one by one."""


class JsonBody(Body):
    """`folds`: with signs for folding, `numbered`: also with line numbers.

    `without` are members of the outermost object to leave out.
    """

    def __init__(
        self,
        glyphs: Glyphs,
        text: str,
        numbered: bool = True,
        without: Collection[str] = (),
        folds: bool = True,
    ) -> None:
        super().__init__(glyphs)
        self._json = text
        self._numbered = numbered
        self._folds = folds
        self._without = without
        self._digits = max(3, len(str(len(text) // 10))) if numbered else 0
        self._lines = JsonLines("")
        self._folded: set[int] = set()
        self._keep: tuple[set[int], int] | None = None
        """What to fold again after a new layout: offsets, and up to where that has been done."""
        self._fold_depth: int | None = None
        """The depth at which everything is folded, also what is laid out later."""
        self._hidden: list[tuple[int, int]] = []
        self._after = array("q")
        """For each hidden range the row after it, and how many lines are hidden up to its end."""
        self._sum = array("q")
        self._hay = Haystack(text)
        self._is_ascii = text.isascii()

    @property
    def _outer(self) -> int:
        """Lines that only the outermost brackets take, which say nothing."""
        return 1 if len(self._lines) > 1 and self._lines.kind(0) == "object" and not self._lines.broken else 0

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        super().lay_out(cells, wrapped)
        folded = {self._lines.start_of(n) for n in self._folded}
        gutter = self._digits + 3 if self._numbered else 1
        self._lines = JsonLines(self._json, max(8, self.cells - gutter + INDENT) if wrapped else 0, self._without)
        self._folded.clear()
        self._keep = (folded, 0) if folded else None
        self._fold_depth = None
        self.more()

    def more(self, count: int = 500) -> bool:
        lines, before = self._lines, len(self._lines)
        going_on = lines.more(count)
        if self._fold_depth is not None:
            new = range(max(0, before - 1), len(lines))
            self._folded.update(n for n in new if lines.depth(n) == self._fold_depth and lines.opens(n))
        if self._keep is not None:
            folded, at = self._keep
            self._folded.update(
                n
                for n in range(at, len(lines))
                if lines.start_of(n) in folded and lines.opens(n) and not lines.is_nested(n)
            )
            self._keep = (folded, len(lines)) if going_on else None
        if self._folded:
            self._hide()
        return going_on

    @property
    def broken(self) -> bool:
        """Whether it turned out not to be JSON."""
        return self._lines.broken

    @property
    def rows(self) -> int:
        return len(self._lines) - (self._sum[-1] if self._sum else 0) - self._outer

    def _line_of(self, row: int) -> int:
        row += self._outer
        at = bisect_right(self._after, row)
        return row + (self._sum[at - 1] if at else 0)

    def _row_of_line(self, line: int) -> int:
        """The row of a line; of a hidden one the row of what it is folded into."""
        at = bisect_right(self._hidden, (line, len(self._lines)))
        if at and line <= self._hidden[at - 1][1]:
            line = self._hidden[at - 1][0] - 1
            at -= 1
        return max(0, line - (self._sum[at - 1] if at else 0) - self._outer)

    def _hide(self) -> None:
        """Work out which lines are hidden: those inside the outermost folded objects and arrays."""
        self._hidden, self._after, self._sum = [], array("q"), array("q")
        end, total = -1, 0
        for n in sorted(self._folded):
            last = self._lines.last(n)
            if n <= end or last == n:
                continue
            end = last
            total += last - n
            self._hidden.append((n + 1, last))
            self._after.append(last + 1 - total)
            self._sum.append(total)

    def place(self, row: int) -> int:
        return self._lines.start_of(self._line_of(row)) if self.rows > 0 else 0

    def row_of(self, place: int) -> int:
        while self._lines.more(0) and self._lines.start_of(len(self._lines) - 1) < place:
            self.more(2000)
        return min(self._row_of_line(self._lines.line_at(place)), max(0, self.rows - 1))

    def text(self) -> str:
        return self._json

    def number(self, row: int) -> int:
        return self._line_of(row) + 1 - self._outer

    def line(self, row: int) -> Line:
        lines, n = self._lines, self._line_of(row)
        kind = lines.kind(n)
        out: list[Span] = []
        if self._numbered:
            out.append(self.glyphs.ui(f"{n + 1 - self._outer:>{self._digits}}  ", "quiet"))
        else:
            out.append(gap(1))
        depth = lines.depth(n) - self._outer
        out.append(gap(depth * INDENT))
        opens = lines.opens(n)
        shut = n in self._folded
        mark = ("▸ " if shut else "▾ ") if opens and self._folds else "  " if self._folds else ""
        out.append(self.glyphs.ui(mark, "key"))
        key = lines.key(n)
        column = lines.key_cells(n) + 2 if lines.parent(n) >= 0 else 0
        if kind == "more":
            out.append(gap(column))
        elif key or lines.raw_key(n):
            shown = visible(key)
            out += [Span(shown, "code-name"), gap(max(2, column - width(shown)))]
        if opens and (shut or kind == "array"):
            out.append(self.glyphs.ui(lines.preview(n), "dim"))
        if n in lines.nested and opens:
            out.append(self.glyphs.ui(" JSON in a text", "quiet"))
        value = lines.shown(n)
        if not self.wrapped:
            head, value = out[: 1 if self._numbered else 0], value[: self.skip + self.cells * 2]
            rest = (*out[len(head) :], Span(visible(value), self._style(kind, value)))
            return cut_line((*head, *drop_cells(rest, self.skip)), self.cells)
        out.append(Span(visible(value[: self.cells * 8]), self._style(kind, value)))
        return self.glyphs.fit(out, self.cells)

    @staticmethod
    def _style(kind: str, value: str) -> str:
        if kind == "scalar":
            return "code-number" if value[:1] in "-0123456789" else "code-keyword"
        return "error" if kind == "rest" else "code-string" if kind == "text" and value.startswith('"') else ""

    # folding

    @property
    def folds(self) -> bool:
        return self._folds

    def fold(self, row: int) -> int | None:
        n = self._line_of(row)
        if not self._lines.opens(n):
            n = self._lines.parent(n)
            if n < self._outer:
                return None
        if n in self._folded:
            self._folded.discard(n)
        else:
            self._folded.add(n)
        self._hide()
        return self._row_of_line(n)

    def fold_all(self) -> None:
        if self._folded:
            self._folded.clear()
            self._fold_depth = None
        else:
            outermost = self._outermost()
            self._folded = set(outermost)
            self._fold_depth = self._lines.depth(outermost[0]) if outermost and self._lines.more(0) else None
        self._hide()

    def _outermost(self) -> list[int]:
        """The objects and arrays to fold: those with siblings, or the innermost one."""
        lines, first, last = self._lines, self._outer, len(self._lines) - 1
        while True:
            opening, beside, n = [], 0, first
            while n <= last:
                beside += 1
                if lines.opens(n):
                    opening.append(n)
                n = lines.last(n) + 1
            if beside != 1 or not opening or opening[0] == lines.last(opening[0]):
                return opening
            inner = opening[0]
            if not any(map(lines.opens, range(inner + 1, min(lines.last(inner) + 1, inner + 50)))):
                return opening
            first, last = inner + 1, lines.last(inner)

    def _unfold_to(self, line: int) -> int:
        """Show a line. Returns its row."""
        n = self._lines.parent(line)
        while n >= 0:
            self._folded.discard(n)
            n = self._lines.parent(n)
        self._hide()
        return self._row_of_line(line)

    # search

    def _words(self, query: Query) -> str:
        """The query as it is written in this JSON."""
        return json.dumps(query.words, ensure_ascii=self._is_ascii)[1:-1]

    def find(self, query: Query, row: int, by: int) -> int | None:
        lines, words = self._lines, self._words(query)
        here = -1 if row < 0 else len(lines) if row >= self.rows else self._line_of(row)
        nested = self._in_nested(query, here, by)
        if nested is not None:
            return self._unfold_to(nested)
        if by > 0:
            line = here + 1
            while line < len(lines) and line and lines.start_of(line) == lines.start_of(line - 1):
                line += 1
            offset = self._hay.find(query, words, lines.start_of(line) if line < len(lines) else len(self._json) + 1)
        else:
            offset = self._hay.find_last(
                query, words, lines.start_of(here) if here < len(lines) else len(self._json) + 1
            )
        while offset >= 0 and lines.more(0) and lines.start_of(len(lines) - 1) < offset:
            self.more(2000)
        if offset < 0:
            return None
        found = lines.line_at(offset)
        first = found
        while first and lines.start_of(first - 1) == lines.start_of(found) and lines.is_nested(found):
            first -= 1
        if first != found or first in lines.nested:
            hit = self._in_nested(query, first - 1 if by > 0 else lines.last(first) + 1, by)
            if hit is not None:
                return self._unfold_to(hit)
        return self._unfold_to(found)

    def _in_nested(self, query: Query, here: int, by: int) -> int | None:
        """The next matching line of the JSON in a text that the line after `here` belongs to."""
        lines, pattern = self._lines, query.pattern
        line = here + by
        for _ in range(_NESTED):
            if not 0 <= line < len(lines) or not (lines.is_nested(line) or line in lines.nested):
                return None
            if pattern.search(f"{lines.key(line)} {lines.shown(line)}"):
                return line
            line += by
        return None

    def count(self, query: Query, row: int | None = None) -> int:
        end = None if row is None or row >= self.rows else self._lines.start_of(self._line_of(row))
        return self._hay.count(query, self._words(query), end)
