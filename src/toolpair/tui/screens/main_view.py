"""The parts of the main screen around the list: verdict, column titles, the problem's card, causes, keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal

from toolpair.text.cells import cut
from toolpair.tui.card_text import Card, cause_lines, learn_preview
from toolpair.tui.head_text import column_titles, head_lines
from toolpair.tui.looking_ahead import LookingAhead
from toolpair.tui.screens.base_screen import Hint, hint_line
from toolpair.tui.screens.writing import bar_line
from toolpair.tui.styled_text import Line, Span, line_width
from toolpair.tui.widgets.pair_view import PairView
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.tui.controllers.owner import Owner

WIDE, NARROW = 110, 72
REST = 0.12
"""Seconds without a key before deferred work starts."""
HINTS: tuple[Hint, ...] = (
    ("]", "next", "problem(1)"), ("u", "undo", "undo"), ("w", "review and save", "review"),
    ("@", "paste an error", "goto"), ("/", "find", "search"), ("enter", "open", "open"), ("M", "recipes", "recipe"),
    ("&", "filter", "filter"), ("y", "copy", "yank"), ("P", "provider", "profile"),
    ("m", "what the model sees", "sees"), ("?", "all keys", "help"), ("q", "quit", "leave"),
)  # fmt: skip


def card_height(height: int, wide: bool) -> int:
    """Height of the card, including its title, on a screen of `height` lines."""
    if height < 14:
        return 3
    if height < 20:
        return 5
    if height < 30:
        return 8
    return min(16, height // 3) if wide else 10


class MainView:
    """The widgets and what they currently show."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._head = Lines(id="head")
        self._titles = Lines(id="titles")
        self._card = Lines(id="card")
        self._causes = Lines(id="causes")
        self._lower = Horizontal(id="lower")
        self._keys = Lines(id="keys")
        self._resting: Timer | None = None
        self._ahead = LookingAhead(partial(owner.later, of_state=True))

    def build(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield self._head
        yield self._titles
        yield PairView(self._owner.overview, self._owner.glyphs)
        with self._lower:
            yield self._card
            yield self._causes
        yield self._keys

    def lay_out(self, width: int, height: int) -> None:
        """Lay it out for this size."""
        self._lower.styles.height = card_height(height, width >= WIDE)
        self._causes.display = width >= WIDE
        self._owner.pairs.set_stacked(width < NARROW)
        self._owner.redraw()

    def redraw(self) -> None:
        """Draw everything but the list, which draws itself."""
        width, height = self._owner.size
        if not width:
            return
        glyphs = self._owner.glyphs
        wide, stacked = width >= WIDE, width < NARROW
        limit = 2 if height < 14 else 4 if width < NARROW and height >= 20 else 3
        self._head.show(
            head_lines(
                self._owner.session, glyphs, width, limit, self._owner.overview.partial, self._owner.overview.running
            )
        )
        self._titles.show([column_titles(glyphs, width, stacked, self._owner.row_filter.note)])
        card_width = width - (width * 2 // 5) - 1 if wide else width
        rows = card_height(height, wide)
        self._owner.overview.wanted = None
        card = Card(self._owner.overview, glyphs, card_width, rows, wide)
        row = self._owner.pairs.row_index
        problem = self._owner.overview.current
        if problem is not None and row is not None:
            card_lines = card.problem(problem, row)
        else:
            card_lines = card.row(self._owner.pairs.row)
        self._card.show(card_lines)
        self._preview_soon()
        if wide:
            self._causes.styles.width = width * 2 // 5
            self._causes.show(cause_lines(self._owner.overview, glyphs, width * 2 // 5, rows, problem))
        bar: list[Line] = [] if height < 12 else [self._note_line(width)]
        if height < 12 and self._owner.note:
            bar = []
            keys: Line = (glyphs.ui(f" {self._owner.note}", "warning"),)
        else:
            keys = hint_line(glyphs, self._hints, width)
        self._keys.show([*bar, keys])
        if self._owner.session.conversation.fixes_are_local:
            self._ahead.soon(self._owner.overview.rows, self._next_rows)

    def _next_rows(self) -> Iterator[int]:
        """The rows shown with the next and the previous problem, from the middle outwards, then a page."""
        here, height = self._owner.pairs.row_index or 0, self._owner.size.height
        for by in (1, -1):
            problem, _ = self._owner.overview.after(here, by, self._owner.overview.current)
            if problem is not None:
                row = self._owner.overview.row_of(problem)
                yield from (row + way * n for n in range(height // 2) for way in (1, -1))
        yield from range(here, here + 2 * height)

    def _preview_soon(self) -> None:
        """In a long history, a fix's preview is computed when no keys are pressed."""
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        if self._owner.overview.wanted is not None:
            self._resting = self._owner.later(REST, self._preview, of_state=True)

    def _preview(self) -> None:
        wanted, self._resting = self._owner.overview.wanted, None
        if wanted is not None and self._owner.overview.current is wanted[0]:
            learn_preview(self._owner.overview, *wanted)
            self._owner.redraw()

    def _note_line(self, width: int) -> Line:
        glyphs = self._owner.glyphs
        work = self._owner.work.now
        if work is not None:
            right = glyphs.ui(f"{self._owner.note or 'esc stops'} ", "warning" if self._owner.note else "dim")
            return bar_line(glyphs, work.what, work.done, work.total, (right,), width, work.unit)
        if not self._owner.note:
            return glyphs.rule("", width)
        words = cut(glyphs.own(f"── {self._owner.note} "), width, glyphs.ellipsis)
        rest = glyphs.rule("", max(0, width - line_width((Span(words),))))
        return (Span(words, "warning"), *rest)

    def draw_bar(self) -> None:
        """Draw only the progress of the work."""
        width, height = self._owner.size
        if width and height >= 12:
            self._keys.show([self._note_line(width), hint_line(self._owner.glyphs, self._hints, width)])

    @property
    def _hints(self) -> Sequence[Hint]:
        hints = (
            HINTS
            if self._owner.desk is self._owner.tool.open_sessions.desks[0]
            else (*HINTS[:-1], ("q", "back", "leave"))
        )
        return hints if self._owner.overview.walk or self._owner.overview.partial is not None else hints[1:]
