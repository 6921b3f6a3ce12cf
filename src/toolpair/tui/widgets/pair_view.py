"""The list of pairs: two aligned columns, drawn line by line, only what is in view."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toolpair.tui.keys import MOVE
from toolpair.tui.overview import Overview
from toolpair.tui.paint import Painter
from toolpair.tui.row_lines import RowLines, row_height
from toolpair.tui.scrollbar import plain_scrollbar
from toolpair.tui.spans import Glyphs

if TYPE_CHECKING:
    from toolpair.session import Row

CONTEXT = 2
"""So many lines stay in view above and below the cursor."""


class PairView(ScrollView, Painter, can_focus=True, inherit_bindings=False):
    """Rows under a cursor that stands on the call's or on the result's cell."""

    COMPONENT_CLASSES = Painter.COMPONENT_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = MOVE.bindings()
    DEFAULT_CSS = "PairView { height: 1fr; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    class Moved(Message):
        """The cursor stands on another row or cell."""

    class Opened(Message):
        """A double click."""

    def __init__(self, overview: Overview, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.overview = overview
        self._glyphs = glyphs
        self._order: Sequence[int] = range(0)
        self._heights = array("B")
        self._tops = array("q", [0])
        self._cache: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(512)
        self._width = 0
        self.cursor = 0
        """Position in what is shown, not in all rows."""
        self.side: str = "call"
        self.query_text = ""
        self.stacked = False

    # what is shown

    def on_mount(self) -> None:
        super().on_mount()  # type: ignore[no-untyped-call]
        plain_scrollbar(self, self._glyphs.ascii)

    @property
    def row_index(self) -> int | None:
        """The row under the cursor, as an index of all rows."""
        return self._order[self.cursor] if 0 <= self.cursor < len(self._order) else None

    @property
    def row(self) -> Row | None:
        index = self.row_index
        return None if index is None else self.overview.rows[index]

    @property
    def shown(self) -> Sequence[int]:
        return self._order

    def reload(self, only: Sequence[int] | None = None) -> None:
        """Take the rows of the overview again; `only` are the indices of the rows to show."""
        self._order = range(len(self.overview.rows)) if only is None else only
        self._measure()
        self.cursor = max(0, min(self.cursor, len(self._order) - 1))
        self.forget()

    def forget(self) -> None:
        """Draw everything again."""
        self._cache.clear()
        self.refresh()

    def _measure(self) -> None:
        rows = self.overview.rows
        self._heights = array("B", [row_height(rows[n], self.stacked) for n in self._order])
        self._tops = array("q", accumulate(self._heights, initial=0))
        self.virtual_size = Size(self.size.width, self._tops[-1])

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._cache.clear()

    def set_stacked(self, stacked: bool) -> None:
        if stacked != self.stacked:
            self.stacked = stacked
            self._measure()
            self.forget()

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self._cache.clear()
        self.virtual_size = Size(self.size.width, self._tops[-1])
        self.reveal()

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if y >= self._tops[-1]:
            return self.paint((), cells)
        position = bisect_right(self._tops, y) - 1
        strips = self._strips(position, cells)
        line = y - self._tops[position]
        return strips[line] if line < len(strips) else self.paint((), cells)

    def _strips(self, position: int, cells: int) -> list[Strip]:
        key = (position, position == self.cursor)
        strips = self._cache.get(key)
        if strips is None or (strips and strips[0].cell_length != cells):
            here = position == self.cursor
            maker = RowLines(self.overview, self._glyphs, cells, self.stacked, self.query_text)
            lines = maker.lines(self._order[position], self.side if here else None)
            strips = [self.paint(line, cells, "cursor" if here else "") for line in lines]
            self._cache[key] = strips
        return strips

    # the cursor

    def _refresh_row(self, position: int) -> None:
        if 0 <= position < len(self._order):
            self._cache.discard((position, True))
            self.refresh_lines(self._tops[position], self._heights[position])

    def move_to(self, position: int, centre: bool = False) -> None:
        """Put the cursor on the row at `position`."""
        if not self._order:
            return
        position = max(0, min(position, len(self._order) - 1))
        old, self.cursor = self.cursor, position
        if old != position:
            self._refresh_row(old)
            self._refresh_row(position)
        self.reveal(centre)
        self.post_message(self.Moved())

    def go_to_row(self, row: int) -> bool:
        """Put the cursor on a row by its index; False when the filter hides it."""
        if isinstance(self._order, range):
            position = row
        else:
            position = bisect_right(self._order, row) - 1
            if position < 0 or self._order[position] != row:
                return False
        self.move_to(position, centre=True)
        return True

    def reveal(self, centre: bool = False) -> None:
        """Scroll until the cursor's row is in view; `centre` puts it in the middle when it was not."""
        height = self.scrollable_content_region.height
        if not self._order or not height:
            return
        top, bottom = self._tops[self.cursor], self._tops[self.cursor + 1]
        context = min(CONTEXT, max(0, (height - (bottom - top)) // 2))
        offset = int(self.scroll_offset.y)
        if top - context >= offset and bottom + context <= offset + height:
            return
        if top >= offset and bottom <= offset + height and centre:
            return
        if centre:
            target = top - (height - (bottom - top)) // 2
        elif top - context < offset:
            target = top - context
        else:
            target = bottom + context - height
        self.scroll_to(y=max(0, target), animate=False, force=True)

    def set_side(self, side: str) -> None:
        if side != self.side:
            self.side = side
            self._refresh_row(self.cursor)
            self.post_message(self.Moved())

    def action_move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def _by_lines(self, lines: int) -> None:
        """Scroll and move the cursor by so many lines, at least one row."""
        here = self._tops[self.cursor] if self._order else 0
        there = max(0, min(here + lines, self._tops[-1] - 1))
        position = bisect_right(self._tops, there) - 1
        if position == self.cursor:
            position += 1 if lines > 0 else -1
        limit = max(0, self._tops[-1] - self.size.height)
        self.scroll_to(y=max(0, min(self.scroll_offset.y + lines, limit)), animate=False)
        self.move_to(position)

    def action_half(self, by: int) -> None:
        self._by_lines(by * max(1, self.size.height // 2))

    def action_page(self, by: int) -> None:
        self._by_lines(by * max(1, self.size.height - 1))

    def action_edge(self, by: int) -> None:
        self.move_to(0 if by < 0 else len(self._order) - 1)

    def action_side(self, by: int) -> None:
        self.set_side("call" if by < 0 else "result")

    def on_click(self, event: events.Click) -> None:
        y = event.y + self.scroll_offset.y
        if y >= self._tops[-1]:
            return
        position = bisect_right(self._tops, y) - 1
        if self.stacked:
            side = "call" if y == self._tops[position] else "result"
        else:
            side = "call" if event.x <= (self._width - 1) // 2 else "result"
        self.set_side(side)
        self.move_to(position)
        if event.chain == 2:
            self.post_message(self.Opened())
