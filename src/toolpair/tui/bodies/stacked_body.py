"""Bodies below each other: a command and the rest of its arguments, images and a text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from toolpair.tui.bodies.body import Body, Colourable, Query, Runs
from toolpair.tui.bodies.text_body import PROSE
from toolpair.tui.styled_text import Glyphs, Line, cut_line, wrap_words

_STEP = 1 << 40
"""Places of each part begin at a multiple of this."""


class LinesBody(Body):
    """Lines that are styled already. `indent`: they are wrapped, and go on that far from the edge."""

    def __init__(self, glyphs: Glyphs, lines: Iterable[Line], indent: int = 0) -> None:
        super().__init__(glyphs)
        self._given = self._lines = list(lines)
        self._indent = indent

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        super().lay_out(cells, wrapped)
        self._lines = self._given
        if self._indent and wrapped:
            room = min(self.cells, PROSE)
            self._lines = [part for line in self._given for part in wrap_words(line, room, self._indent)]

    @property
    def rows(self) -> int:
        return len(self._lines)

    def line(self, row: int) -> Line:
        return cut_line(self._lines[row], self.cells)

    def text(self) -> str:
        return "\n".join("".join(span.text for span in line) for line in self._given)


class RuleBody(Body):
    """A line across, with a title."""

    def __init__(self, glyphs: Glyphs, title: str) -> None:
        super().__init__(glyphs)
        self._title = title

    @property
    def rows(self) -> int:
        return 1

    def line(self, row: int) -> Line:
        return self.glyphs.rule(self._title, self.cells)


class StackedBody(Body):
    """The parts, one after the other."""

    def __init__(self, glyphs: Glyphs, parts: Sequence[Body]) -> None:
        super().__init__(glyphs)
        self._parts = list(parts)

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        super().lay_out(cells, wrapped)
        for part in self._parts:
            part.lay_out(cells, wrapped)

    def more(self, count: int = 500) -> bool:
        for part in self._parts:
            part.skip = self.skip
            if part.more(count):
                return True
        return False

    @property
    def _ends(self) -> list[int]:
        return list(accumulate(part.rows for part in self._parts))

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self._parts)

    def _at(self, row: int) -> tuple[int, int]:
        """The part that has a row, and the number of the row in it."""
        ends = self._ends
        number = min(bisect_right(ends, row), len(ends) - 1)
        return number, row - (ends[number - 1] if number else 0)

    def _first(self, number: int) -> int:
        return sum(part.rows for part in self._parts[:number])

    def line(self, row: int) -> Line:
        number, inner = self._at(row)
        self._parts[number].skip = self.skip
        return self._parts[number].line(inner)

    def place(self, row: int) -> int:
        number, inner = self._at(row)
        return number * _STEP + self._parts[number].place(inner)

    def row_of(self, place: int) -> int:
        number = min(place // _STEP, len(self._parts) - 1)
        return self._first(number) + self._parts[number].row_of(place % _STEP)

    def text(self) -> str:
        return "\n".join(part.text().removesuffix("\n") for part in self._parts)

    def number(self, row: int) -> int:
        number, inner = self._at(row)
        return self._parts[number].number(inner)

    @property
    def folds(self) -> bool:
        return any(part.folds for part in self._parts)

    def fold(self, row: int) -> int | None:
        number, inner = self._at(row)
        found = self._parts[number].fold(inner)
        return None if found is None else self._first(number) + found

    def fold_all(self) -> None:
        for part in self._parts:
            part.fold_all()

    def change(self, row: int, by: int) -> int | None:
        return self._in_parts(row, by, lambda part, inner: part.change(inner, by))

    def find(self, query: Query, row: int, by: int) -> int | None:
        return self._in_parts(row, by, lambda part, inner: part.find(query, inner, by))

    def _in_parts(self, row: int, by: int, look: object) -> int | None:
        assert callable(look)
        number, inner = self._at(row) if 0 <= row < self.rows else (0, -1) if row < 0 else (len(self._parts) - 1, row)
        while 0 <= number < len(self._parts):
            part = self._parts[number]
            found = look(part, min(inner, part.rows))
            if found is not None:
                return self._first(number) + int(found)
            number += by
            inner = -1 if by > 0 else 1 << 60
        return None

    def count(self, query: Query, row: int | None = None) -> int:
        if row is None or row >= self.rows:
            return sum(part.count(query) for part in self._parts)
        number, inner = self._at(max(0, row))
        return sum(part.count(query) for part in self._parts[:number]) + self._parts[number].count(query, inner)

    def wanted(self) -> Colourable | None:
        return next((found for part in self._parts if (found := part.wanted()) is not None), None)

    def coloured(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        asked.body.coloured(asked, runs)
