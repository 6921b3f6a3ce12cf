"""Diffs: of records, of files, of anything: only what differs is marked inside the lines.

A diff is given as parts, which are made while they are laid out. One or two columns; what only counts is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from toolpair.text.cells import width
from toolpair.text.file_diffs import Mark, Row, Side
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Body, Colourable, Runs, gap
from toolpair.tui.bodies.text_body import BLOCK, LONGEST, BlockColours
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
    indent: int = 3


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
                    for line in self.glyphs.paragraph(part.words, self.cells, part.style, part.indent, limit=4):
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
        if self.two and (self._code or (row.old and row.new)):
            self._two(row)  # A record that is only there before, or after, needs no column beside it.
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
        if sign == " ":
            self._coded(side, "-")
        old = side.number if sign == "-" else other if sign == " " else None
        numbers = self._numbers(old, side.number if sign != "-" else None)
        for line, code in self._side(side, sign, sign, numbers, self.cells):
            if code is not None:
                self._drawn[len(self._lines)] = [code]
            self._add(line)

    def _side(self, side: Side, sign: str, of: str, numbers: Line, cells: int) -> Iterator[tuple[Line, _Code | None]]:
        """The lines of one side of a row in that many cells, each with the code in it. `of`: which side it is."""
        under = _UNDER[sign]
        head = (gap(1), *numbers, self.glyphs.ui(f"{sign} ", under or "dim"))
        edge = line_width(head)
        code, start = self._coded(side, of), 0
        for number, (part, carets) in enumerate(self._wrapped(side, under, cells - edge)):
            left = (gap(edge - 2), self.glyphs.ui("  ", under)) if number else head
            own = _Code(*code, start, len(left), len(left) + len(part)) if code is not None else None
            yield (*left, *part, *self._fill(part, cells - edge, under)), own
            start += sum(len(span.text) for span in part)
            if carets:
                yield (gap(edge), Span(SafeText(carets), "")), None

    def _coded(self, side: Side, sign: str) -> tuple[str, int] | None:
        """Whose line this is, and its number among them; None if it has no colours."""
        lines = self._code.get("-" if sign == "-" else "+")
        if lines is None or any(kind == "left out" for _, kind in side.marks):
            return None
        return "-" if sign == "-" else "+", lines.add(SafeText("".join(visible(text) for text, _ in side.marks)))

    def _two(self, row: Row) -> None:
        half = (self.cells - 3) // 2
        sides = [
            list(self._side(side, " " if row.same else of, of, self._numbers(side.number), half)) if side else []
            for of, side in (("-", row.old), ("+", row.new))
        ]
        for (left, code), (right, other) in zip_longest(*sides, fillvalue=((), None)):
            after = len(left) + 2
            moved = replace(other, first=other.first + after, last=other.last + after) if other is not None else None
            if here := [each for each in (code, moved) if each is not None]:
                self._drawn[len(self._lines)] = here
            self._add((*left, gap(half - line_width(left)), self.glyphs.ui(" │ ", "rule"), *right))

    def _numbers(self, *numbers: int | None) -> Line:
        """Line numbers, if there are any."""
        if not self._digits:
            return ()
        shown = (f"{'' if number is None else number:>{self._digits}}" for number in numbers)
        return tuple(span for words in shown for span in (self.glyphs.ui(words, "quiet"), gap(1)))

    def _fill(self, part: Line, room: int, under: str) -> Line:
        """The rest of a line in its own background."""
        return (Span(SafeText(" " * max(0, room - line_width(part))), under),) if under else ()

    def _wrapped(self, side: Side, under: str, room: int) -> Iterator[tuple[Line, str]]:
        """The lines of one side, each with the carets that go below it."""
        spans: list[Span] = []
        for text, kind in self._fitted(side, room):
            if kind == "left out":
                spans.append(self.glyphs.ui(text, f"{under} dim".strip()))
            else:
                style = f"{under} {under}-mark" if kind == "only" and under else under
                spans.append(Span(visible(text), style))
        marked = any("mark" in span.style for span in spans)
        for part in wrap_line(spans, room, side.prose):
            carets = ""
            if self._carets and marked:
                carets = "".join(("^" if "mark" in span.style else " ") * width(span.text) for span in part).rstrip()
            yield part, carets

    def _fitted(self, side: Side, room: int) -> tuple[Mark, ...]:
        """The parts of a line, with the text around a change shortened so that the change fits on one line."""
        if not self.wrapped or not any(kind == "only" for _, kind in side.marks):
            return side.marks  # There is no change to be kept in view.
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


_LEAST: Final = 4
"""Characters of its surroundings that stay on each side of a change."""
_SPARE: Final = 4
"""Cells by which the numbers of what is left out may grow."""


def fitted(marks: tuple[Mark, ...], room: int) -> tuple[Mark, ...]:
    """The parts of a line, with less of the first and the last one where they take more than `room` cells.

    Only of lines of which something is left out already.
    """
    excess = sum(width(visible(text)) for text, _ in marks) - room
    if excess <= 0 or not any(kind == "left out" for _, kind in marks):
        return marks
    begin, middle, end = _ends(marks)
    spare = [max(0, len(text) - _LEAST) for _, text in (begin, end)]
    # An end that was whole gets a sign of what is left out, too.
    excess += _SPARE + sum(len(" …99 ") for count, text in (begin, end) if text and not count)
    first = min(spare[0], max(excess // 2, excess - spare[1]))
    last = min(spare[1], excess - first)
    out: list[Mark] = list(middle)
    left, text = begin
    if text:
        out.insert(0, (text[first:], "same"))
    if left + first:
        out.insert(0, (f"…{left + first:,} ", "left out"))
    right, text = end
    if text:
        out.append((text[: len(text) - last], "same"))
    if right + last:
        out.append((f" …{right + last:,} ", "left out"))
    return tuple(out)


def _ends(marks: tuple[Mark, ...]) -> tuple[tuple[int, str], tuple[Mark, ...], tuple[int, str]]:
    """How much is left out before the line's first part, and that part if it is the same on both sides; the parts
    in between; then the same for its end.
    """
    rest = list(marks)
    found: list[tuple[int, str]] = []
    for at in (0, -1):
        count, text = 0, ""
        if rest and rest[at][1] == "left out":
            count = int("".join(char for char in rest.pop(at)[0] if char in "0123456789") or 0)
        if rest and rest[at][1] == "same":
            text = rest.pop(at)[0]
        found.append((count, text))
    return found[0], tuple(rest), found[1]


class CodeLines(Body):
    """Collects lines as they are shown, and gives them their colours."""

    def __init__(self, glyphs: Glyphs, file: str) -> None:
        super().__init__(glyphs)
        self._file = file
        self._lines: list[str] = []
        self._colours = BlockColours()

    def clear(self) -> None:
        """Forget the lines; the same ones will be added again."""
        self._lines = []

    def add(self, line: SafeText) -> int:
        """Returns its number."""
        self._lines.append(line[:LONGEST])
        return len(self._lines) - 1

    def styled(self, spans: Sequence[Span], number: int, start: int) -> list[Span]:
        """The spans, which begin `start` characters into a line, with its colours. What is marked stays as it is."""
        runs = self._colours.of(number)
        if runs is None:
            return list(spans)
        out: list[Span] = []
        for span in spans:
            end = start + len(span.text)
            out += [span] if "mark" in span.style else _cut(span, start, runs)
            start = end
        return out

    def wanted(self) -> Colourable | None:
        wanted = self._colours.wanted()
        if wanted is None:
            return None
        first, lead = wanted
        return Colourable(self, first, tuple(self._lines[lead : first + BLOCK]), self._file, None, first - lead)

    def coloured(self, asked: Colourable, runs: Sequence[Runs]) -> None:
        self._colours.take(asked, runs)


def _cut(span: Span, start: int, runs: Runs) -> list[Span]:
    """A span in the styles of the runs that it covers; it begins `start` characters into the line."""
    out: list[Span] = []
    at, stop = start, start + len(span.text)

    def take(end: int, style: str) -> None:
        nonlocal at
        if end > at:
            out.append(Span(SafeText(span.text[at - start : end - start]), style, span.action))
            at = end

    for begin, end, style in runs:
        take(min(begin, stop), span.style)
        take(min(end, stop) if begin < stop else at, f"{span.style} {style}".strip())
    take(stop, span.style)
    return out
