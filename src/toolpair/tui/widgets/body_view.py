"""Shows a body: a text, JSON, a diff. Only what is in view is drawn; the rest is laid out between keys."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final, cast

from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.strip import Strip

from toolpair.text.safe import SafeText
from toolpair.tui.bodies.body import Body, Query
from toolpair.tui.bodies.diff_body import DiffBody
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.keys import CURSOR
from toolpair.tui.paint import Scrolled
from toolpair.tui.styled_text import Glyphs, Span, with_hits

if TYPE_CHECKING:
    from toolpair.tui.later import LaterOn

STEP: Final = 16
"""Cells that one sideways step scrolls lines that are not wrapped."""
SLICE: Final = 0.006
"""Seconds of layout between two looks at the keys."""
_PAUSE: Final = 0.004
_SHOWN_EVERY: Final = 0.15
"""Seconds between two changes of the scroll bar during layout."""
REST: Final = 0.03
"""Seconds without movement before colours are asked for."""


class BodyView(Scrolled, can_focus=True, inherit_bindings=False):
    """A body with a cursor, if it has something to fold; else it just scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = CURSOR.bindings()
    DEFAULT_CSS = "BodyView { overflow-y: scroll; }"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.body: Body = TextBody(glyphs, "")
        self._width = 0
        self._going_on = False
        self._shown_at = 0.0
        self._colouring = False
        self._resting = False
        self._to_end = False
        self.sought: Query | None = None
        self.cursor = 0
        self.wrapped = True

    # what is shown

    def show(self, body: Body) -> None:
        """Show another body from its beginning."""
        self.body = body
        self.cursor = 0
        self._to_end = False
        body.skip = 0
        self._width = 0
        self._lay_out(0)
        self.scroll_to(y=0, animate=False)

    @property
    def text(self) -> str:
        return self.body.text()

    @property
    def _cells(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _bar(self) -> int:
        """The width of the cursor's column."""
        return 1 if self.body.folds else 0

    def _lay_out(self, place: int | None = None) -> None:
        """Lay the body out for the width there is, and keep what is at the top there."""
        width = self._cells
        if not width:
            return
        if place is None:
            place = self.body.place(int(self.scroll_offset.y)) if self.body.rows else 0
        cursor = self.body.place(self.cursor) if self.body.rows and self.cursor else 0
        self._width = width
        self.body.lay_out(width - self._bar, self.wrapped)
        self.cursor = self.body.row_of(cursor) if cursor else 0
        self._measure()
        self.scroll_to(y=self.body.row_of(place) if place else 0, animate=False, force=True)
        self._go_on()
        self.refresh()

    def _measure(self) -> None:
        self._shown_at = time.monotonic()
        self.virtual_size = Size(self.size.width, self.body.rows)

    def _go_on(self) -> None:
        """Lay out the rest, a little at a time."""
        if not self._going_on:
            self._going_on = True
            self._owner.later(_PAUSE, self._slice)

    @property
    def _owner(self) -> LaterOn[object]:
        return cast("LaterOn[object]", self.screen)

    def _slice(self) -> None:
        self._going_on = False
        if not self.is_attached:
            return
        body, end = self.body, time.monotonic() + SLICE
        while more := body.more(25):
            if time.monotonic() > end:
                break
        if more:
            self._go_on()
        if (not more and self.virtual_size.height != body.rows) or time.monotonic() - self._shown_at > _SHOWN_EVERY:
            self._measure()
            if self._to_end:
                self._edge()
        if not more:
            self._to_end = False

    def on_resize(self) -> None:
        if self._cells != self._width:
            self._lay_out()

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self._cells
        if not self._width or y >= self.body.rows:
            return self.paint((), cells)
        line = self.body.line(y)
        if self.sought is not None and self.sought.words:
            line = with_hits(line, self.sought.pattern)
        here = bool(self._bar) and y == self.cursor
        if self._bar:
            line = (self._glyphs.ui("▌", "key") if here else Span(SafeText(" ")), *line)
        if not self._colouring and not self._resting:
            self._colour_soon()
        return self.paint(line, cells, "cursor" if here else "")

    # colours

    def _colour_soon(self) -> None:
        self._resting = True
        self._owner.later(REST, self._colour)

    def _colour(self) -> None:
        """Ask for the colours of what is in view."""
        self._resting = False
        asked = self.body.wanted() if self.is_attached and not self._colouring else None
        if asked is None:
            return
        self._colouring = True
        self._owner.colour(asked, self._coloured)

    def _coloured(self, any_colours: bool) -> None:
        self._colouring = False
        self.refresh()

    # ways to see it

    def set_wrap(self, wrapped: bool) -> None:
        self.wrapped = wrapped
        self.body.skip = 0
        self._lay_out()

    def shift(self, by: int) -> None:
        """Scroll lines that are not wrapped sideways."""
        if not self.wrapped:
            self.body.skip = max(0, self.body.skip + by * STEP)
            self.refresh()

    def fold(self) -> bool:
        """Fold or unfold what is under the cursor. False if nothing can be folded there."""
        row = self.body.fold(min(self.cursor, self.body.rows - 1)) if self.body.folds and self.body.rows else None
        if row is None:
            return False
        self._changed(row)
        return True

    def fold_all(self) -> None:
        """Fold everything, or unfold it."""
        if self.body.folds and self.body.rows:
            place = self.body.place(self.cursor)
            self.body.fold_all()
            self._changed(self.body.row_of(place))

    def _changed(self, row: int) -> None:
        """There are other rows now, with the cursor on `row`."""
        self._measure()
        self._go_on()
        self._move_to(row)
        self.refresh()

    def switch_columns(self) -> bool:
        """Show a diff in one column instead of two, or the other way round. False for anything else."""
        body = self.body
        if not isinstance(body, DiffBody):
            return False
        body.columns = 1 if body.two else 2
        self._lay_out(0)
        self.scroll_to(y=0, animate=False)
        self.cursor = 0
        return True

    # search

    def search(self, query: Query | None) -> None:
        """Highlight the matches of `query`."""
        self.sought = query
        self.refresh()

    def find(self, by: int, row: int | None = None) -> int | None:
        """Go to the next or previous row with a match, from `row` or where one is, around the ends. Returns it."""
        if self.sought is None or not self.sought.words:
            return None
        start = self.here if row is None else row
        found = self.body.find(self.sought, start, by)
        if found is None:
            found = self.body.find(self.sought, -1 if by > 0 else self.body.rows, by)
        if found is not None:
            self._measure()
            self._hit = found
            self._reveal(found)
        return found

    _hit = -1

    @property
    def here(self) -> int:
        """The row to search from: the cursor's, or the last match while it is in view, else the one above the view."""
        if self._bar:
            return self.cursor
        top = int(self.scroll_offset.y)
        return self._hit if top <= self._hit < top + self.size.height else top - 1

    @property
    def matches(self) -> int:
        """How many matches there are."""
        return self.body.count(self.sought) if self.sought is not None and self.sought.words else 0

    def matches_before(self, row: int) -> int:
        return self.body.count(self.sought, row) if self.sought is not None and self.sought.words else 0

    def change(self, by: int) -> bool:
        """Go to the next or previous change of a diff; False without one."""
        row = self.body.change(self.cursor if self._bar else max(int(self.scroll_offset.y), self._hit_change), by)
        if row is None:
            return False
        self._measure()
        self._hit_change = row
        if self._bar:
            self.cursor = row
        self.scroll_to(y=row, animate=False)
        self.refresh()
        return True

    _hit_change = -1

    def _reveal(self, row: int) -> None:
        height = self.size.height
        if self._bar:
            self.cursor = row
        if not self.scroll_offset.y <= row < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, row - height // 3), animate=False)
        self.refresh()

    # movement

    def _move_to(self, row: int) -> None:
        row = max(0, min(row, self.body.rows - 1))
        self.cursor = row
        height = max(1, self.size.height)
        if row < self.scroll_offset.y:
            self.scroll_to(y=row, animate=False)
        elif row >= self.scroll_offset.y + height:
            self.scroll_to(y=row - height + 1, animate=False)
        self.refresh()

    def move(self, by: int) -> None:
        self._to_end = False
        if self._bar:
            self._move_to(self.cursor + by)
        else:
            self._hit_change = -1
            self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def action_edge(self, by: int) -> None:
        self._to_end = by > 0 and self._going_on
        self._hit_change = -1
        if by > 0:
            self._edge()
        else:
            self.cursor = 0
            self.scroll_to(y=0, animate=False)
            self.refresh()

    def _edge(self) -> None:
        self._measure()
        self.cursor = max(0, self.body.rows - 1)
        self.scroll_to(y=self.body.rows, animate=False, force=True)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        row = event.y + int(self.scroll_offset.y)
        if self._bar and 0 <= row < self.body.rows:
            again = row == self.cursor
            self._move_to(row)
            if again or event.chain == 2:
                self.fold()
