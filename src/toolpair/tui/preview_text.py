"""What the preview shows of a row: the call decoded, and the first lines of its output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.reading import (
    call_body,
    call_title,
    first_lines,
    looks_like_json,
    output_body,
    result_body,
    result_title,
)
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.row_lines import ROLES
from toolpair.tui.styled_text import Glyphs, Line, Span

if TYPE_CHECKING:
    from toolpair.session.session import PairRow
    from toolpair.transcript.model import Block

MOST: Final = 1 << 16
"""Characters of a longer output that are looked at."""
LINES: Final = 200
"""Lines of each side: a preview is no viewer."""
Shown = tuple[Line, list[Line], list[Line] | None, tuple[int, int]]
"""The title, the lines of one or two columns, and the cells of both."""


class PreviewText:
    """The lines of one row's preview. Only what is looked at is decoded."""

    def __init__(self, glyphs: Glyphs, row: PairRow | None, carets: bool = False) -> None:
        """`carets`: differences are also marked below the lines."""
        self._glyphs = glyphs
        self._titles = ("", "")
        self._call: Body | None = None
        self._output: Body | None = None
        if row is None:
            return
        pair, result = row.pair, row.result
        if pair is None:
            self._titles = (ROLES.get(row.role or "", row.role or row.kind), "")
            self._call = TextBody(glyphs, row.label)
            return
        call = pair.call
        self._titles = (
            f"{pair.index} {visible(call_title(call)) if call is not None else ''}".strip(),
            visible(result_title(result)) if result is not None else "no result",
        )
        self._call = call_body(glyphs, call, carets=carets) if call is not None else None
        self._output = _output(glyphs, result, call) if result is not None else None
        self._is_pair = True

    _is_pair = False

    @property
    def bodies(self) -> list[Body]:
        return [body for body in (self._call, self._output) if body is not None]

    def two_columns(self, cells: int) -> Shown:
        """Call and output beside each other; a message takes all cells."""
        glyphs, left = self._glyphs, (cells - 2) // 2
        begin, end = self._titles
        if not self._is_pair:
            return glyphs.rule(begin, cells), _lines(self._call, cells - 1), None, (cells, 0)
        right = cells - left - 1
        title = (*glyphs.rule(begin, left), *glyphs.rule(end, cells - left, lead="┼─"))
        return title, _lines(self._call, left - 1), _lines(self._output, right - 1), (left, right)

    def one_column(self, cells: int) -> Shown:
        """The same in one column, as in a terminal."""
        glyphs = self._glyphs
        begin, end = self._titles
        lines = _lines(self._call, cells - 1)
        if self._is_pair:
            lines += [glyphs.rule(end, cells), *_lines(self._output, cells - 1)]
        return glyphs.rule(begin, cells), lines, None, (cells, 0)


def _lines(body: Body | None, cells: int) -> list[Line]:
    """The first lines; plain text stands one cell from the edge, as everything else does."""
    if body is None:
        return []
    if isinstance(body, TextBody) and not body.gutter:
        edge = Span(SafeText(" "))
        return [(edge, *line) for line in first_lines(body, cells - 1, LINES)]
    return first_lines(body, cells, LINES)


def _output(glyphs: Glyphs, result: Block, call: Block | None) -> Body:
    text = result.text
    if len(text) <= MOST or looks_like_json(text):
        return result_body(glyphs, result, call)
    return output_body(glyphs, text[:MOST], call, numbered=False)
