"""Diffs: of records, of files, of anything: only what differs is marked inside the lines.

A diff is given as parts, which are made while they are laid out. One or two columns; what only counts is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.text.cells import width
from toolpair.text.file_diffs import Mark, Row, Side
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Body, Colourable, gap
from toolpair.tui.bodies.code_lines import CodeLines
from toolpair.tui.bodies.excerpt import fitted
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width, wrap_line

TWO_COLUMNS: Final = 116
"""From this width on, that of a terminal of 120 columns, a diff has two columns unless somebody chose otherwise."""

_AT_ONCE: Final = 300
"""Longer runs of changed lines are shown in parts."""


class Title(Struct, frozen=True):
    """The heading of a change. `change`: `]` stops here."""

    words: str
    change: bool = True


class Note(Struct, frozen=True):
    """A line between the rows."""

    words: str
    style: str = "dim"


class Folded(Struct, frozen=True):
    """Parts that are shown as one line until it is opened."""

    words: str
    parts: Callable[[], Iterable[Part]]


Part = Title | Note | Folded | Row


class _Code(Struct, frozen=True):
    """Spans of a row that are code: of which side, which line, how far into it, which spans."""

    side: str
    number: int
    start: int
    first: int
    last: int
    row: int = 0


class DiffBody(Body):
    """`digits`: the width of line numbers, 0 for none. `carets`: for terminals without colour, mark below the lines."""

    def __init__(
        self,
        glyphs: Glyphs,
        parts: Callable[[], Iterable[Part]],
        digits: int = 0,
        carets: bool = False,
        folds: bool = False,
        file: str | None = None,
    ) -> None:
        """`file`: the name of the file whose lines these are, which says how they are coloured."""
        super().__init__(glyphs)
        self._code = {sign: CodeLines(glyphs, file) for sign in "-+"} if file else {}
        self._drawn: dict[int, list[_Code]] = {}
        """For each row the code in it."""
        self._make = parts
        self._digits = digits
        self._carets = carets
        self._folds = folds
        self.columns: int | None = None
        """1 or 2 as chosen; by default the width decides."""
        self._lines: list[Line] = []
        self._of_fold: list[int] = []
        """For each line which fold it is the heading of, else -1."""
        self._changes: list[int] = []
        self._open: set[int] = set()
        self._seen = 0
        self._all_open = False
        self._walk: Iterator[Part] = iter(())
        self._waiting: list[Row] = []

    @property
    def two(self) -> bool:
        """Whether it has two columns now."""
        return self.columns == 2 if self.columns is not None else self.cells >= TWO_COLUMNS

    def lay_out(self, cells: int, wrapped: bool = True) -> None:
        super().lay_out(cells, wrapped)
        self._begin()
        self.more(200)

    def _begin(self) -> None:
        self._lines, self._of_fold, self._changes, self._seen, self._waiting = [], [], [], 0, []
        self._walk = self._parts(self._make())
        self._drawn = {}
        for code in self._code.values():
            code.clear()

    def _parts(self, parts: Iterable[Part]) -> Iterator[Part]:
        for part in parts:
            yield part
            if isinstance(part, Folded) and (self._seen - 1 in self._open):
                yield from self._parts(part.parts())

    def more(self, count: int = 200) -> bool:
        end = len(self._lines) + count
        while len(self._lines) < end:
            part = next(self._walk, None)
            if not isinstance(part, Row) or part.same or self.two or len(self._waiting) >= _AT_ONCE:
                self._flush()
            match part:
                case None:
                    if not self._lines:
                        self._add((Span(SafeText(" ")), self.glyphs.ui("Nothing changes.", "dim")))
                    return False
                case Title():
                    if self._lines:
                        self._add(())
                    if part.change:
                        self._changes.append(len(self._lines))
                    self._add(self.glyphs.rule(part.words, self.cells, "title"))
                case Note():
                    for line in self.glyphs.paragraph(part.words, self.cells, part.style, indent=3, limit=4):
                        self._add(line)
                case Folded():
                    number = self._seen
                    self._seen += 1
                    if self._all_open:
                        self._open.add(number)
                    sign = "▾ " if number in self._open else "▸ "
                    for line in wrap_line((self.glyphs.ui(sign, "key"), self.glyphs.ui(part.words, "dim")), self.cells):
                        self._add(line, number)
                case Row():
                    self._row(part)
        return True

    def _add(self, line: Line, fold: int = -1) -> None:
        self._lines.append(line)
        self._of_fold.append(fold)

    # rows

    def _row(self, row: Row) -> None:
        if self.two:
            self._two(row)
        elif row.same:
            self._one(row.new, " ", row.old.number if row.old is not None else None)
        else:
            self._waiting.append(row)

    def _flush(self) -> None:
        """Write the changed rows that were collected: first what was there, then what is there now."""
        rows, self._waiting = self._waiting, []
        for row in rows:
            self._one(row.old, "-", None)
        for row in rows:
            self._one(row.new, "+", None)

    def _one(self, side: Side | None, sign: str, other: int | None) -> None:
        if side is None:
            return
        head: list[Span] = [gap(1)]
        if self._digits:
            old = side.number if sign == "-" else other if sign == " " else None
            new = side.number if sign != "-" else None
            head += [self._number(old), gap(1), self._number(new), gap(1)]
        under = _UNDER[sign]
        head.append(self.glyphs.ui(f"{sign} ", under or "dim"))
        room = self.cells - line_width(head)
        code, start = self._coded(side, sign), 0
        if sign == " ":
            self._coded(side, "-")
        for number, (part, carets) in enumerate(self._wrapped(side, under, room)):
            left = tuple(head) if number == 0 else (gap(line_width(head) - 2), self.glyphs.ui("  ", under))
            if code is not None:
                self._drawn[len(self._lines)] = [_Code(*code, start, len(left), len(left) + len(part))]
                start += sum(len(span.text) for span in part)
            self._add((*left, *part, *self._fill(part, room, under)))
            if carets:
                self._add((gap(line_width(head)), Span(SafeText(carets), "")))

    def _coded(self, side: Side, sign: str) -> tuple[str, int] | None:
        """Whose line this is, and its number among them; None if it has no colours."""
        lines = self._code.get("-" if sign == "-" else "+")
        if lines is None or any(kind == "left out" for _, kind in side.marks):
            return None
        return "-" if sign == "-" else "+", lines.add(SafeText("".join(visible(text) for text, _ in side.marks)))

    def _two(self, row: Row) -> None:
        half = (self.cells - 3) // 2
        sides: list[list[Line]] = []
        codes: list[list[_Code]] = []
        for of, side, sign in (("-", row.old, " " if row.same else "-"), ("+", row.new, " " if row.same else "+")):
            lines: list[Line] = []
            codes.append([])
            under = _UNDER[sign]
            if side is not None:
                head: list[Span] = [gap(1)]
                if self._digits:
                    head += [self._number(side.number), gap(1)]
                head.append(self.glyphs.ui(f"{sign} ", under or "dim"))
                room = half - line_width(head)
                code, start = self._coded(side, of), 0
                for number, (part, carets) in enumerate(self._wrapped(side, under, room)):
                    left = tuple(head) if number == 0 else (gap(line_width(head) - 2), self.glyphs.ui("  ", under))
                    if code is not None:
                        found = _Code(*code, start, len(left), len(left) + len(part))
                        codes[-1].append(replace(found, row=len(lines)))
                        start += sum(len(span.text) for span in part)
                    lines.append((*left, *part, *self._fill(part, room, under)))
                    if carets:
                        lines.append((gap(line_width(head)), Span(SafeText(carets), "")))
            sides.append(lines)
        for number in range(max(map(len, sides))):
            left = sides[0][number] if number < len(sides[0]) else ()
            right = sides[1][number] if number < len(sides[1]) else ()
            here = [code for code in codes[0] if code.row == number]
            after = len(left) + 2
            here += [
                replace(code, first=code.first + after, last=code.last + after)
                for code in codes[1]
                if code.row == number
            ]
            if here:
                self._drawn[len(self._lines)] = here
            self._add((*left, gap(half - line_width(left)), self.glyphs.ui(" │ ", "rule"), *right))

    def _number(self, number: int | None) -> Span:
        return self.glyphs.ui(f"{'' if number is None else number:>{self._digits}}", "quiet")

    def _fill(self, part: Line, room: int, under: str) -> Line:
        """The rest of a line in its own background."""
        return (Span(SafeText(" " * max(0, room - line_width(part))), under),) if under else ()

    def _wrapped(self, side: Side, under: str, room: int) -> Iterator[tuple[Line, str]]:
        """The lines of one side, each with the carets to stand below it."""
        spans: list[Span] = []
        for text, kind in self._fitted(side, room):
            if kind == "left out":
                spans.append(self.glyphs.ui(text, f"{under} dim".strip()))
            else:
                style = f"{under} {under}-mark" if kind == "only" and under else under
                spans.append(Span(visible(text), style))
        marked = any("mark" in span.style for span in spans)
        for part in wrap_line(spans, room):
            carets = ""
            if self._carets and marked:
                carets = "".join(("^" if "mark" in span.style else " ") * width(span.text) for span in part).rstrip()
            yield part, carets

    def _fitted(self, side: Side, room: int) -> tuple[Mark, ...]:
        """The parts of a line; what stands around a change is shortened to be seen in one line."""
        if not self.wrapped:
            return side.marks
        return fitted(side.marks, room - 2 * (len(self.glyphs.ellipsis) - 1))

    # what a body has

    @property
    def rows(self) -> int:
        return len(self._lines)

    def line(self, row: int) -> Line:
        line = self._lines[row]
        for code in reversed(self._drawn.get(row, ())):
            part = self._code[code.side].styled(line[code.first : code.last], code.number, code.start)
            line = (*line[: code.first], *part, *line[code.last :])
        return line

    def wanted(self) -> Colourable | None:
        return next((found for code in self._code.values() if (found := code.wanted()) is not None), None)

    def row_of(self, place: int) -> int:
        while self.rows <= place and self.more():
            pass
        return super().row_of(place)

    def text(self) -> str:
        while self.more(5000):
            pass
        return "\n".join("".join(span.text for span in line).rstrip() for line in self._lines)

    @property
    def folds(self) -> bool:
        return self._folds

    def fold(self, row: int) -> int | None:
        number = self._of_fold[row]
        if number < 0:
            return None
        # Folds inside one that is closed have other numbers then: only the ones before it keep theirs.
        self._open = {each for each in self._open if each < number} | ({number} - self._open)
        self._all_open = False
        self._again(row)
        return row

    def fold_all(self) -> None:
        self._all_open = not self._open
        self._open = set()
        self._again(0)

    def _again(self, row: int) -> None:
        self._begin()
        while self.more() and self.rows <= row + 200:
            pass

    def change(self, row: int, by: int) -> int | None:
        if by > 0:
            at = 0
            while True:
                while at < len(self._changes):
                    if self._changes[at] > row:
                        return self._changes[at]
                    at += 1
                if not self.more():
                    return next((each for each in self._changes[at:] if each > row), None)
        return next((each for each in reversed(self._changes) if each < row), None)


_UNDER: Final = {" ": "", "-": "removed", "+": "added"}
