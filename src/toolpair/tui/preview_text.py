"""What the preview shows of a row: the call decoded, and the first lines of its output."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import arguments
from toolpair.text.cells import prefix_length, width
from toolpair.text.safe import SafeText, visible, visible_lines
from toolpair.tui.call_line import tool_name
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.row_lines import ROLES
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width

if TYPE_CHECKING:
    from toolpair.session.session import PairRow
    from toolpair.transcript.model import Block

MOST: Final = 16_000
"""Characters of a text that are looked at: a preview is no viewer."""
LINES: Final = 200
_NAME: Final = 16
"""Cells of the longest name of an argument that the others are aligned with."""


def call_lines(call: Block, glyphs: Glyphs, cells: int) -> list[Line]:
    """A call's input, decoded."""
    given = arguments(call)
    if isinstance(given, dict) and given:
        command = given.get("command", given.get("cmd"))
        if isinstance(command, str) and set(given) <= {"command", "cmd", "description", "timeout", "run_in_background"}:
            return _command(command, given, glyphs, cells)
        return _fields(given, glyphs, cells)
    return _text(given if isinstance(given, str) else json_text(given), cells) if given is not None else []


def output_lines(result: Block, cells: int) -> list[Line]:
    """The first lines of an output."""
    return _text(result.text[:MOST].strip("\r\n"), cells)


class PreviewText:
    """The lines of one row's preview. Only what is looked at is decoded."""

    def __init__(self, glyphs: Glyphs, row: PairRow | None) -> None:
        self._glyphs = glyphs
        self._row = row

    def two_columns(self, cells: int) -> tuple[Line, list[Line], list[Line] | None, tuple[int, int]]:
        """Title, call, output, and the cells of both; a message takes all of them."""
        glyphs, left = self._glyphs, (cells - 2) // 2
        begin, end = self._titles()
        if self._row is None or self._row.pair is None:
            return glyphs.rule(begin, cells), self._call(cells - 1), None, (cells, 0)
        right = cells - left - 1
        title = (*glyphs.rule(begin, left), *glyphs.rule(end, cells - left, lead="┼─"))
        return title, self._call(left - 1), self._output(right - 1), (left, right)

    def one_column(self, cells: int) -> tuple[Line, list[Line], list[Line] | None, tuple[int, int]]:
        """The same in one column, as in a terminal."""
        glyphs = self._glyphs
        begin, end = self._titles()
        lines = self._call(cells - 1)
        if self._row is not None and self._row.pair is not None:
            lines += [glyphs.rule(end, cells), *self._output(cells - 1)]
        return glyphs.rule(begin, cells), lines, None, (cells, 0)

    def _titles(self) -> tuple[str, str]:
        """The words above the call, and those above the output."""
        row = self._row
        if row is None:
            return "", ""
        pair = row.pair
        if pair is None:
            return ROLES.get(row.role or "", row.role or row.kind), ""
        name = ""
        if pair.call is not None:
            tool, server = tool_name(pair.call.name or "(no name)")
            name = f"{tool} · MCP server {server}" if server else tool
        if row.result is None:
            return f"{pair.index} {name}".strip(), "no result"
        text = row.result.text
        words = ["error"] if row.result.is_error else []
        words.append(count_text(text.strip("\r\n").count("\n") + 1, "line") if text.strip() else "empty")
        words.append(size_text(len(text)))
        return f"{pair.index} {name}".strip(), " · ".join(words)

    def _call(self, cells: int) -> list[Line]:
        row = self._row
        if row is None:
            return []
        if row.pair is None:
            return _text(row.label[:MOST], cells)
        return call_lines(row.pair.call, self._glyphs, cells) if row.pair.call is not None else []

    def _output(self, cells: int) -> list[Line]:
        row = self._row
        return output_lines(row.result, cells) if row is not None and row.result is not None else []


def json_text(value: Any) -> str:
    """JSON as far as it is looked at: made piece by piece, since a value may be very large."""
    out: list[str] = []
    size = 0
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2, default=str).iterencode(value):
        out.append(piece)
        size += len(piece)
        if size > MOST:
            break
    return "".join(out)


def _command(command: str, given: dict[str, Any], glyphs: Glyphs, cells: int) -> list[Line]:
    lines = visible_lines(command[:MOST])[:LINES]
    out: list[Line] = []
    for n, line in enumerate(lines):
        prompt = glyphs.ui(" $ " if n == 0 else "   ", "key")
        pieces = _folded(line, cells - 4)
        out += [(prompt if m == 0 else Span(SafeText("   ")), Span(piece)) for m, piece in enumerate(pieces)]
    described = given.get("description")
    if isinstance(described, str) and described:
        out.append((Span(SafeText("   ")), Span(visible(described[:400]), "dim")))
    return out


def _fields(given: dict[str, Any], glyphs: Glyphs, cells: int) -> list[Line]:
    """Arguments below each other; text keeps its lines, everything else is JSON."""
    names = [visible(name[:80]) for name in islice(given, LINES)]
    edge = min(_NAME, max(len(name) for name in names)) + 3
    out: list[Line] = []
    for name, value in zip(names, given.values(), strict=False):
        text = value[:MOST] if isinstance(value, str) else json_text(value)
        body = _text(text, cells - edge, "")
        lead = Span(SafeText(f" {name} ".ljust(edge)), "dim")
        if line_width((lead,)) > edge:
            out.append((lead,))
            lead = Span(SafeText(" " * edge))
        for n, line in enumerate(body or [()]):
            out.append((lead if n == 0 else Span(SafeText(" " * edge)), *line))
        if len(out) > LINES:
            break
    return [cut_line(line, cells) for line in out[:LINES]]


def _text(text: str, cells: int, indent: str = " ") -> list[Line]:
    """Lines wrapped at the edge."""
    out: list[Line] = []
    for line in visible_lines(text)[:LINES]:
        pieces = _folded(line, cells - len(indent))
        out += [(Span(SafeText(indent)), Span(piece)) for piece in pieces]
        if len(out) >= LINES:
            break
    return out[:LINES]


def _folded(line: SafeText, cells: int) -> list[SafeText]:
    """The line in pieces of at most that many cells; its spaces are kept."""
    cells = max(8, cells)
    pieces: list[SafeText] = []
    while width(line) > cells and len(pieces) < LINES:
        length = max(1, prefix_length(line, cells))
        pieces.append(SafeText(line[:length]))
        line = SafeText(line[length:])
    return [*pieces, line]
