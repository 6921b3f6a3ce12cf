"""Styled spans of a screen line. They take only safe text, so mypy catches anything that bypasses `visible`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from toolpair.text.cells import cut, prefix_length, take, width, wrap
from toolpair.text.safe import SafeText, visible

_ASCII = str.maketrans(
    {
        "…": "...", "·": "-", "×": "x", "✗": "x", "≠": "#", "✓": "v", "▌": ">", "│": "|", "─": "-", "┬": "+",
        "┴": "+", "┼": "+", "┄": "-", "═": "=", "┌": "/", "└": "\\", "├": "|", "→": "->", "←": "<-", "↑": "^",
        "↓": "v", "“": '"', "”": '"', "’": "'", "–": "-", "—": "-", "◌": "o", "␊": "\\n",
        "▾": "-", "▸": "+", "⋮": ":",
    }
)  # fmt: skip


class Span(Struct, frozen=True):
    """`style` names one or more styles of `paint`, space-separated; `action` runs on a click."""

    text: SafeText
    style: str = ""
    action: str | None = None


Line = tuple[Span, ...]


class Glyphs:
    """Creates spans. With `ascii`, all signs of the interface itself are ASCII."""

    def __init__(self, ascii: bool = False, held: Mapping[str, str] | None = None) -> None:
        """`held`: the keys of the user's own, by action."""
        self.ascii = ascii
        self._held = held or {}
        self.ellipsis = "..." if ascii else "…"

    def own(self, text: str) -> SafeText:
        """Text of the interface, and sentences made by toolpair; safe whatever ids they contain."""
        safe = visible(text)
        return SafeText(safe.translate(_ASCII)) if self.ascii else safe

    def keys(self, usual: str, action: str) -> str:
        """All keys of an action: the user's own, or the usual ones."""
        return self._held.get(action, usual)

    def key(self, usual: str, action: str) -> str:
        """The key that is shown for an action; two that `both` has put together stay."""
        return self._held[action].partition(" ")[0] if action in self._held and " " not in usual else usual

    def both(self, one: str, action: str, other: str, other_action: str) -> str:
        """The keys of two actions that are shown as one."""
        return f"{self.key(one, action)} {self.key(other, other_action)}"

    def ui(self, text: str, style: str = "", action: str | None = None) -> Span:
        return Span(self.own(text), style, action)

    def data(self, text: object, style: str = "") -> Span:
        """Content of the file, with unsafe characters replaced."""
        return Span(visible(text), style)

    def paragraph(self, text: str, cells: int, style: str = "", indent: int = 1, limit: int = 9) -> list[Line]:
        """A sentence wrapped to lines of at most `cells`, indented by `indent` spaces, at most `limit` lines."""
        pieces = wrap(self.own(text), max(8, cells - indent))
        if len(pieces) > limit:
            rest = SafeText(" ".join(pieces[limit - 1 :]))
            pieces = [*pieces[: limit - 1], cut(rest, cells - indent, self.ellipsis)]
        return [(Span(SafeText(" " * indent)), Span(piece, style)) for piece in pieces]

    def fit(self, line: Iterable[Span], cells: int) -> Line:
        """The line in `cells`, with an ellipsis at its end if it is too long."""
        line = tuple(line)
        if line_width(line) <= cells:
            return line
        ellipsis = self.ui("…", "dim")
        return (*cut_line(line, max(0, cells - width(ellipsis.text))), ellipsis)

    def fit_before(self, tail: Line, words: Iterable[Span], cells: int) -> Line:
        """The words, cut if necessary, and the tail at the end of `cells`."""
        return spread(self.fit(words, cells - (line_width(tail) + 1 if tail else 0)), tail, cells)

    def rule(self, title: str, cells: int, style: str = "rule", lead: str = "──") -> Line:
        """`── title ─────` over `cells`."""
        if not title:
            return (Span(self.own("─" * cells), style),)
        begin = self.own(f"{lead} ")
        words = cut(self.own(f"{title} "), cells - width(begin), self.ellipsis)
        rest = self.own("─" * (cells - width(begin) - width(words)))
        # Lines may be faint; words must be readable.
        return (Span(begin, style), Span(words, "dim" if style == "rule" else style), Span(rest, style))


def line_width(line: Iterable[Span]) -> int:
    return sum(width(span.text) for span in line)


def cut_line(line: Iterable[Span], cells: int) -> Line:
    """The line cut to `cells`, without an ellipsis."""
    out: list[Span] = []
    for span in line:
        size = width(span.text)
        if size > cells:
            out.append(Span(take(span.text, cells), span.style, span.action))
            break
        out.append(span)
        cells -= size
    return tuple(out)


def spread(left: Iterable[Span], right: Iterable[Span], cells: int, ellipsis: str = "") -> Line:
    """`left` at the start and `right` at the end of a line of `cells`; the left part is cut with `ellipsis` if
    necessary.
    """
    right_spans = tuple(right)
    room = cells - line_width(right_spans)
    space = max(0, room - 1 if right_spans else room)
    left_spans = tuple(left)
    if line_width(left_spans) > space:
        left_spans = cut_line(left_spans, max(0, space - width(SafeText(ellipsis))))
        if ellipsis:
            style = left_spans[-1].style if left_spans else ""
            left_spans = (*left_spans, Span(SafeText(ellipsis), style))
    gap = max(0, room - line_width(left_spans))
    return (*left_spans, Span(SafeText(" " * gap)), *right_spans)


def drop_cells(line: Iterable[Span], cells: int) -> Line:
    """The line without its first `cells`; a wide character that is cut in two becomes a space."""
    out: list[Span] = []
    for span in line:
        size = width(span.text)
        if cells <= 0:
            out.append(span)
        elif size > cells:
            kept = SafeText(span.text[prefix_length(span.text, cells) :])
            gap = SafeText(" " * (size - cells - width(kept)))
            out.append(Span(SafeText(gap + kept), span.style, span.action))
        cells -= min(size, max(0, cells))
    return tuple(out)


def wrap_line(line: Iterable[Span], cells: int, prose: bool = False) -> list[Line]:
    """The line in lines of at most `cells`, broken anywhere; `prose` after a space, where one is near."""
    cells = max(2, cells)
    lines: list[Line] = []
    row: list[Span] = []
    room = cells
    for span in line:
        text, at = span.text, 0
        while at < len(text):
            # Marks take no cell, so more characters than cells may fit; but not many more.
            chunk = text[at : at + room * 6 + 8]
            fitting = prefix_length(chunk, room)
            if not fitting and room == cells:
                fitting = 1
            if prose and at + fitting < len(text) and (space := chunk.rfind(" ", fitting // 2, fitting)) > 0:
                fitting = space + 1
            if fitting:
                row.append(Span(SafeText(chunk[:fitting]), span.style, span.action))
                at += fitting
                room -= width(row[-1].text)
            if at < len(text):
                lines.append(tuple(row))
                row, room = [], cells
    lines.append(tuple(row))
    return lines


def wrap_words(line: Iterable[Span], cells: int, indent: int) -> list[Line]:
    """The line in lines of at most `cells`, broken between words; all but the first are indented."""
    *lead, last = line
    room = max(8, cells - indent)
    begin = tuple(lead)
    if line_width(begin) != indent or line_width((last,)) <= room:
        return wrap_line((*begin, last), cells)
    pieces = wrap(last.text, room)
    edge = Span(SafeText(" " * indent))
    return [(*(begin if not number else (edge,)), Span(piece, last.style)) for number, piece in enumerate(pieces)]


def with_hits(line: Line, pattern: re.Pattern[str]) -> Line:
    """The line with all matches of `pattern` highlighted, also those that cross spans."""
    found = [
        match.span() for match in pattern.finditer("".join(span.text for span in line)) if match.end() > match.start()
    ]
    if not found:
        return line
    out: list[Span] = []
    begin = 0
    for span in line:
        end, at = begin + len(span.text), begin
        for start, stop in found:
            if stop > at and start < end:
                if start > at:
                    out.append(Span(SafeText(span.text[at - begin : start - begin]), span.style, span.action))
                    at = start
                out.append(Span(SafeText(span.text[at - begin : min(stop, end) - begin]), f"{span.style} hit".strip()))
                at = min(stop, end)
        if at < end:
            out.append(Span(SafeText(span.text[at - begin :]), span.style, span.action))
        begin = end
    return tuple(out)


_PARTS = " ▏▎▍▌▋▊▉"


def bar(glyphs: Glyphs, part: int, whole: int, cells: int, track: bool = False) -> SafeText:
    """`part` of `whole` in that many cells. Only what is whole fills it, and only nothing leaves it empty.

    `track`: what is missing is drawn, too.
    """
    if whole <= 0:
        return SafeText(" " * cells)
    steps = 1 if glyphs.ascii else 8
    done = cells * steps * max(0, min(part, whole)) // whole
    if 0 < part < whole:
        done = max(1, min(done, cells * steps - 1))
    if glyphs.ascii:
        return SafeText(("#" * done).ljust(cells, "."))
    full, rest = divmod(done, steps)
    return SafeText(("█" * full + (_PARTS[rest] if rest else "")).ljust(cells, "░" if track else " "))
