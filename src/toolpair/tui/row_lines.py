"""The lines of one row of the pair list. Pure: takes a row and a width, returns spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.reports.reading.call_line import call_line, output_line, output_words
from toolpair.reports.reading.row_words import ANOTHER, NO_CALL, NOT_SURE, id_words, lack_of, words_of
from toolpair.text.cells import cut, width
from toolpair.text.differ import differ
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Query
from toolpair.tui.layout import left_column
from toolpair.tui.overview import Overview, problem_style
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width, with_hits

if TYPE_CHECKING:
    from toolpair.session.session import Pair, PairRow

FORGETS = "The agent forgets all above"
ROLES = {"user": "you", "assistant": "agent"}
BROKEN = frozenset({"missing", "mismatch", "orphan", "duplicate", "misplaced"})
NOT_SURE_SHORT = "perhaps answered below"
NOT_READ = "not read yet"
NO_RESULT_YET = "no result yet"
_WORDS, _FEW_WORDS = 30, 14
"""Cells that a call has at least beside an id in full; on a wide screen."""
_LEAST_KEPT = 6
"""Characters that stay of a stretch of an id that is cut."""
HEAD_CHARS = 4000
"""How much of a text is searched for its first line; no screen is wider."""


def id_text(value: object) -> SafeText:
    """An id as shown; any JSON value may be in its place."""
    return visible(id_words(value))


def _lacking(words: str) -> str:
    return f"┄┄ {words} ┄┄"


def shows_both_ids(row: PairRow) -> bool:
    """Whether the ids get their own line: two that differ, or a result without its call."""
    pair = row.pair
    if pair is None or row.result is None or pair.state not in BROKEN:
        return False
    return pair.call is None or bool(pair.call.id != row.result.id)


def row_height(row: PairRow, stacked: bool) -> int:
    if row.kind != "pair":
        return 1
    ids = shows_both_ids(row)
    if not stacked:
        return 2 if ids else 1
    if not ids:
        return 2
    return 4 if row.pair is not None and row.pair.call is not None else 3


class RowLines:
    """Builds the lines of rows for one width."""

    def __init__(
        self, overview: Overview, glyphs: Glyphs, cells: int, stacked: bool, query: str = "", spacious: bool = False
    ) -> None:
        """`spacious`: the screen has room for ids in full."""
        self.overview = overview
        self.words = _FEW_WORDS if spacious else _WORDS
        self.glyphs = glyphs
        self.cells = cells
        self.stacked = stacked
        self.digits = max(3, len(str(max(0, len(overview.session.conversation.pairs) - 1))))
        self.left = cells if stacked else left_column(cells)
        self.right = cells - self.left - 1
        self.query = Query(query).pattern if query else None

    @property
    def gutter(self) -> int:
        return self.digits + 5

    def lines(self, n: int, side: str | None) -> list[Line]:
        """The lines of row `n`; `side` is the cell with the cursor, None when it is elsewhere."""
        row = self.overview.rows[n]
        if row.kind != "pair":
            return [self._separator(row, n, side is not None)]
        problem = self.overview.problem_at(n)
        broken = problem_style(problem) if problem is not None and problem.severity != "info" else ""
        words = "" if broken or side is not None else "dim"
        call = self._call_line(row, n, side, words, broken)
        result = self._result_line(row, words, broken)
        ids = shows_both_ids(row)
        if self.stacked:
            return self._stack(row, call, result, ids, side, broken)
        divider = self.glyphs.ui("▌" if side == "result" else "│", "key" if side == "result" else "rule")
        lines = [self._join(call, divider, result)]
        if ids:
            bar = self.glyphs.ui("▌" if side is not None else " ", "key")
            left_id, right_id = self._ids(row)
            blank = Span(SafeText(" " * (self.gutter - 1)))
            lines.append(self._join((bar, blank, *left_id), divider, (Span(SafeText(" ")), *right_id)))
        return lines

    def _join(self, left: Line, divider: Span, right: Line) -> Line:
        left = cut_line(left, self.left)
        gap = Span(SafeText(" " * (self.left - line_width(left))))
        return (*left, gap, divider, *cut_line(right, self.right))

    def _stack(self, row: PairRow, call: Line, result: Line, ids: bool, side: str | None, broken: str) -> list[Line]:
        bar = self.glyphs.ui("▌" if side is not None else " ", "key")
        joint = self.glyphs.ui(" " * (self.gutter - 3) + ("▌ " if side == "result" else "└ "), "rule")
        blank = Span(SafeText(" " * (self.gutter - 1)))
        lines = [call]
        if ids:
            left_id, right_id = self._ids(row)
            if left_id:
                lines.append((bar, blank, *left_id))
            lines.append((bar, joint, *result[1:]))
            lines.append((bar, blank, *right_id))
            return lines
        lines.append((bar, joint, *result))
        return lines

    def _marks(self, n: int) -> tuple[Span, Span]:
        sign, style = self.overview.marker(n)
        row = self.overview.rows[n]
        bracket = " "
        if row.group > 1:
            before = n > 0 and self._same_exchange(row, self.overview.rows[n - 1])
            after = n + 1 < len(self.overview.rows) and self._same_exchange(row, self.overview.rows[n + 1])
            bracket = {(False, True): "┌", (True, True): "│", (True, False): "└", (False, False): " "}[before, after]
        return self.glyphs.ui(sign, style), self.glyphs.ui(bracket, "dim")

    @staticmethod
    def _same_exchange(row: PairRow, other: PairRow) -> bool:
        if row.pair is None or other.pair is None or other.group < 2:
            return False
        return row.pair.call_message is not None and row.pair.call_message == other.pair.call_message

    def _call_line(self, row: PairRow, n: int, side: str | None, words: str, broken: str) -> Line:
        """`words` is the style of the text, `broken` that of the row's problem; empty when it is sound."""
        assert row.pair is not None
        glyphs, pair = self.glyphs, row.pair
        sign, bracket = self._marks(n)
        first = row.result is None or not pair.results or row.result is pair.results[0]
        number = str(pair.index) if first else ""
        gutter = (
            glyphs.ui("▌" if side is not None else " ", "key"),
            glyphs.ui(number.rjust(self.digits) + " ", "dim"),
            sign,
            bracket,
            Span(SafeText(" ")),
        )
        room = self.left - self.gutter - 1
        if pair.call is None:
            return (*gutter, Span(cut(glyphs.own(_lacking(NO_CALL)), room, glyphs.ellipsis), broken or "dim"))
        if not first:
            return (*gutter, Span(cut(glyphs.own(_lacking(ANOTHER)), room, glyphs.ellipsis), "dim"))
        name, summary = call_line(pair.call, self.overview.session.conversation.transcript.folder)
        bold = side == "call" or (side is None and broken)
        line = [*self._marked(visible(name), "tool" if bold else words), Span(SafeText(" "))]
        line += self._marked(visible(summary[:HEAD_CHARS]), words)
        shown = self._tail(pair.call.id)
        if broken and width(whole := id_text(pair.call.id)) + self.words <= room:
            shown = whole  # It is what an error names.
        tail = () if shows_both_ids(row) else (glyphs.ui(shown, "dim"),)
        if line_width(tail) + 12 > room:
            tail = ()
        return (*gutter, *glyphs.fit_before(tail, line, room))

    def _tail(self, value: object) -> str:
        shown = id_text(value)
        return shown if len(shown) <= 7 else "…" + shown[-6:]

    def _result_line(self, row: PairRow, words: str, broken: str) -> Line:
        """Starts with a space."""
        assert row.pair is not None
        glyphs, pair = self.glyphs, row.pair
        space = Span(SafeText(" "))
        room = (self.cells - self.gutter if self.stacked else self.right) - 2
        if row.result is None:
            if self.overview.partial is not None:
                return (space, Span(cut(glyphs.own(_lacking(NOT_READ)), room, glyphs.ellipsis), "dim"))
            lack = self._lack(pair)
            if lack == NOT_SURE and len(_lacking(lack)) > room:
                lack = NOT_SURE_SHORT
            return (space, Span(cut(glyphs.own(_lacking(lack)), room, glyphs.ellipsis), broken or "dim"))
        text = output_words(row.result.text)
        body = text.strip("\r\n")
        first = body[:HEAD_CHARS].split("\n", 1)[0].rstrip("\r")
        lines = body.count("\n") + 1
        count = f"{lines:,} lines" if lines > 1 else ""
        if row.result.is_error:
            count = f"error, {count}" if count else "error"
        if not body:
            return (space, glyphs.ui("(empty)", "dim"))
        tail = (glyphs.ui(count, "text" if row.result.is_error else "dim"),) if count else ()
        return (space, *glyphs.fit_before(tail, self._marked(visible(output_line(first)), words), room))

    def _lack(self, pair: Pair) -> str:
        if pair.state == "pending" and not pair.candidates and self.overview.running:
            return NO_RESULT_YET
        return lack_of(pair, self.overview.session.conversation.worst.get(pair.index))

    def _marked(self, text: SafeText, style: str) -> Line:
        """The text with the search hits highlighted."""
        line = (Span(text, style),)
        return line if self.query is None else with_hits(line, self.query)

    def _ids(self, row: PairRow) -> tuple[Line, Line]:
        assert row.pair is not None and row.result is not None
        room = self.left - self.gutter - (0 if self.stacked else 1)
        if row.pair.call is None:
            return (), shortened((Span(id_text(row.result.id)),), room, self.glyphs)
        return both_ids(row.pair.call.id, row.result.id, self.glyphs, room)

    def _separator(self, row: PairRow, n: int, here: bool) -> Line:
        glyphs = self.glyphs
        bar = glyphs.ui("▌" if here else " ", "key")
        room = self.cells - 1
        if row.kind in ("cut", "compaction"):
            style = "cut" if row.kind == "cut" else "dim"
            label = glyphs.own(f"══ {row.label} ")
            if width(label) > room:  # The line number, which comes last, matters most.
                label = glyphs.own(f"══ {row.label.replace(FORGETS, 'Forgotten above')} ")
            words = cut(label, room, glyphs.ellipsis)
            return (bar, Span(words, style), Span(glyphs.own("═" * (room - width(words))), style))
        if row.kind == "damaged":
            sign, style = self.overview.marker(n)
            words = glyphs.own(f"{sign} " if sign.strip() else "! ")
            label = cut(visible(row.label[:HEAD_CHARS]), room - self.digits - 3, glyphs.ellipsis)
            indent = Span(SafeText(" " * (self.digits + 1)))
            return (bar, indent, Span(words, style or "warning"), Span(label, style or "warning"))
        role: str = ROLES.get(row.role or "", row.role or "")
        words_said = words_of(row.label[:HEAD_CHARS])
        lead = Span(glyphs.own("── "), "rule")
        who = glyphs.ui(f"{role}: ", "dim")
        space = room - line_width((lead, who)) - 3
        text = cut(visible(words_said), space, glyphs.ellipsis)
        spans: list[Span] = [bar, lead, who, *self._marked(text, "text")]
        used = line_width(spans) + 1
        spans.append(Span(SafeText(" ")))
        if not self.stacked and used < self.left:
            rest = "─" * (self.left - used) + "┼" + "─" * self.right
        else:
            rest = "─" * (self.cells - used)
        spans.append(glyphs.ui(rest, "rule"))
        return tuple(spans)


def both_ids(call: object, result: object, glyphs: Glyphs, cells: int) -> tuple[Line, Line]:
    """The two ids of a pair in that many cells each, what differs marked and never cut."""
    left, right = id_text(call), id_text(result)
    difference = differ(left, right)
    lines = spotted(left, difference.left), spotted(right, difference.right)
    if all(span.style == "differ" for line in lines for span in line):
        one, other = (shortened(line, cells, glyphs) for line in lines)
        return one, other
    excess = max(map(line_width, lines)) - cells
    # Both lose as much, so that they stay below each other.
    one, other = (shortened(line, line_width(line) - max(0, excess), glyphs) for line in lines)
    return one, other


def spotted(text: SafeText, places: frozenset[int]) -> Line:
    """The id with its differing characters highlighted."""
    out: list[Span] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or (index in places) != (start in places):
            out.append(Span(SafeText(text[start:index]), "differ" if start in places else ""))
            start = index
    return tuple(out)


def shortened(line: Line, cells: int, glyphs: Glyphs) -> Line:
    """An id in that many cells: cut in the middle of what does not differ, the longest stretch first; of one that is
    another altogether, in its middle.
    """
    spans = list(line)
    while line_width(spans) > cells:
        same = [n for n, span in enumerate(spans) if span.style != "differ" or len(spans) == 1]
        longest = max(same, key=lambda n: len(spans[n].text), default=None)
        if longest is None or len(spans[longest].text) <= _LEAST_KEPT:
            return glyphs.fit(spans, cells)  # Nothing is left but what differs.
        text = spans[longest].text
        kept = max(_LEAST_KEPT, len(text) - (line_width(spans) - cells) - len(glyphs.ellipsis))
        before = SafeText(text[: (kept + 1) // 2])
        after = SafeText(text[len(text) - kept // 2 :])
        if len(before) + len(glyphs.ellipsis) + len(after) >= len(text):
            return glyphs.fit(spans, cells)
        spans[longest : longest + 1] = [Span(SafeText(before + glyphs.ellipsis + after), spans[longest].style)]
        if kept > _LEAST_KEPT:
            break
    return tuple(spans)


def carets_below(*lines: Line) -> SafeText:
    """A line of carets to print below ids that stand below each other: one in each column where any differs."""
    columns: set[int] = set()
    for line in lines:
        at = 0
        for span in line:
            size = width(span.text)
            columns.update(range(at, at + size) if span.style == "differ" else ())
            at += size
    return SafeText("".join("^" if at in columns else " " for at in range(max(columns, default=-1) + 1)))
