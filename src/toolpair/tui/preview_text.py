"""What the preview shows of a row: the call decoded, and the first lines of its output."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from toolpair.history.call_details import details_of
from toolpair.reports.reading.titles import call_title, looks_like_json, result_title
from toolpair.reports.reading.written import arguments_as_written
from toolpair.session.carrying_out import preview
from toolpair.text.safe import SafeText, visible
from toolpair.tui.bodies.body import Body
from toolpair.tui.bodies.change_parts import diff_of_changes
from toolpair.tui.bodies.reading import call_body, output_body, result_body, row_body
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.card_text import is_slow_to_preview
from toolpair.tui.fix_effects import brought_back, effects_of, row_words
from toolpair.tui.row_lines import ROLES
from toolpair.tui.styled_text import Glyphs, Line, Span
from toolpair.tui.widgets.preview import LineSource

if TYPE_CHECKING:
    from toolpair.session.session import Conversation, Fix, PairRow
    from toolpair.transcript.model import Block

MOST: Final = 1 << 16
"""Characters of a longer output that are looked at."""
_RECORD: Final = 1 << 18
"""Bytes of a record that is still read again, for what the agent kept with the output."""
BACK: Final = "what the fix brings back"
LINES: Final = 200
"""Lines of each side: a preview is no viewer."""
_NAMES: Final = {"cut": "history lost", "compaction": "replaced by a summary", "damaged": "not readable"}
Shown = tuple[Line, LineSource, LineSource | None, tuple[int, int], Callable[[], LineSource] | None]
"""The title, the lines of one or two columns, the cells of both, and what is shown below them where there is room."""


class BodyLines:
    """The first lines of a body, made when they are drawn."""

    def __init__(self, body: Body, cells: int) -> None:
        # Plain text starts one cell from the edge, as everything else does.
        self._edge = (Span(SafeText(" ")),) if isinstance(body, TextBody) and not body.gutter else ()
        body.lay_out(cells - len(self._edge))
        self._body = body

    def __len__(self) -> int:
        return min(LINES, self._body.rows)

    def __getitem__(self, n: int) -> Line:
        return (*self._edge, *self._body.line(n))


class Stacked:
    """Lines below each other."""

    def __init__(self, *parts: LineSource) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, n: int) -> Line:
        for part in self._parts:
            if n < len(part):
                return part[n]
            n -= len(part)
        raise IndexError(n)


class PreviewText:
    """The lines of one row's preview. Only what is looked at is decoded."""

    def __init__(
        self,
        glyphs: Glyphs,
        conversation: Conversation,
        row: PairRow | None,
        fix: Fix | None = None,
        noun: str = "line",
        carets: bool = False,
    ) -> None:
        """`fix`: what it writes is shown where there is nothing yet, and what it changes in each `noun`. `carets`:
        differences are also marked below the lines.
        """
        self._changes: Callable[..., Body] | None = None
        self._brought_back: list[Line] = []
        self._glyphs = glyphs
        self._titles = ("", "")
        self._call: Body | None = None
        self._output: Body | None = None
        self._is_pair = row is not None and row.pair is not None
        if row is None:
            return
        # What is not readable is shown as it stands.
        if fix is not None and row.kind != "damaged" and not is_slow_to_preview(conversation):
            changes = cache(partial(preview, conversation, fix))
            self._changes = partial(diff_of_changes, glyphs, changes, noun, carets, folds=False)
        pair, result = row.pair, row.result
        if pair is None:
            self._titles = (ROLES.get(row.role or "", row.role or _NAMES.get(row.kind, "")), "")
            self._call = row_body(glyphs, conversation, row, most=MOST)
            if row.kind == "cut" and fix is not None:
                back, folder = brought_back(conversation, row.record, fix), conversation.transcript.folder
                self._brought_back = [line_of(glyphs, each, folder) for each in back]
            return
        call, small = pair.call, result is not None and _is_small(conversation, result)
        details = details_of(conversation, call, result if small else None)
        title = call_title(call, conversation.transcript.folder) if call is not None else ""
        self._titles = (
            f"{pair.index} {visible(title)}".strip(),
            visible(result_title(result, details.seconds)) if result is not None else "no result",
        )
        if call is not None:
            written = arguments_as_written(conversation, call) if _is_small(conversation, call) else None
            self._call = call_body(glyphs, call, written, details.patch, carets=carets)
        self._output = _output(glyphs, result, call) if result is not None else None
        if fix is not None and (call is None or result is None):
            self._show_effect(fix, conversation.transcript.folder, call, result)

    def _show_effect(self, fix: Fix, folder: str | None, call: Block | None, result: Block | None) -> None:
        """What the fix writes in the place of what is missing."""
        effect = next((each for each in effects_of(fix, folder) if each.new), None)
        if effect is None:
            return
        begin, end = self._titles
        if result is None and effect.block is call:
            self._titles = begin, visible(f"will be written{effect.found}")
            self._output = output_body(self._glyphs, effect.text[:MOST], call, numbered=False)
        elif call is None and effect.block is result:
            self._titles = visible(f"{begin} will be written {effect.where}"), end
            self._call = TextBody(self._glyphs, effect.text[:MOST])

    @property
    def bodies(self) -> list[Body]:
        return [body for body in (self._call, self._output) if body is not None]

    def two_columns(self, cells: int) -> Shown:
        """Call and output side by side; a message takes the whole width. What the fix changes is below, if it fits."""
        glyphs, left = self._glyphs, (cells - 2) // 2
        begin, end = self._titles
        below: Callable[[], LineSource] | None = None
        if self._changes is not None and not self._brought_back:
            below = partial(self._with_changes, (), cells, new=False)
        if not self._is_pair:
            return glyphs.rule(begin, cells), self._message(cells), None, (cells, 0), below
        right = cells - left - 1
        title = (*glyphs.rule(begin, left), *glyphs.rule(end, cells - left, lead="┼─"))
        return title, _lines(self._call, left - 1), _lines(self._output, right - 1), (left, right), below

    def one_column(self, cells: int, room: int) -> Shown:
        """The same in one column, as in a terminal, and what the fix changes in the file: new records whole if `room`
        has lines for them.
        """
        glyphs = self._glyphs
        begin, end = self._titles
        lines = self._message(cells)
        if self._is_pair:
            lines = Stacked(lines, [glyphs.rule(end, cells)], _lines(self._output, cells - 1))
        if self._changes is not None:
            whole, short = (self._with_changes(lines, cells, new) for new in (True, False))
            lines = whole if len(whole) <= room else short
        return glyphs.rule(begin, cells), lines, None, (cells, 0), None

    def _with_changes(self, lines: LineSource, cells: int, new: bool) -> LineSource:
        """`new`: new records are whole."""
        assert self._changes is not None
        title = [self._glyphs.rule("what the fix changes", cells)]
        return Stacked(lines, title, _lines(self._changes(whole_new=new), cells - 1))

    def _message(self, cells: int) -> LineSource:
        lines = _lines(self._call, cells - 1)
        if not self._brought_back:
            return lines
        title = self._glyphs.rule(BACK, cells)
        return Stacked(lines, [title], [self._glyphs.fit(line, cells - 1) for line in self._brought_back])


def line_of(glyphs: Glyphs, row: PairRow, folder: str | None) -> Line:
    """A row in one line."""
    who, words, said = row_words(row, folder)
    if row.pair is None:
        return (glyphs.ui(f" {who} ", "dim"), glyphs.data(words))
    return (glyphs.data(f" {who}", "tool"), glyphs.data(f" {words}  "), glyphs.data(said, "dim"))


def _lines(body: Body | None, cells: int) -> LineSource:
    return BodyLines(body, cells) if body is not None else []


def _is_small(conversation: Conversation, block: Block) -> bool:
    """Whether reading its record again is quick."""
    try:
        return conversation.document.record(block.record).size <= _RECORD
    except LookupError:
        return False


def _output(glyphs: Glyphs, result: Block, call: Block | None) -> Body:
    text = result.text
    if len(text) <= MOST or looks_like_json(text):
        return result_body(glyphs, result, call)
    return output_body(glyphs, text[:MOST], call, numbered=False)
