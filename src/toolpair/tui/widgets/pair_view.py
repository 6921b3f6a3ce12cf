"""The list of pairs: two aligned columns, drawn line by line, only what is visible."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from toolpair.tui.keys import MOVE
from toolpair.tui.layout import SPACIOUS, left_column
from toolpair.tui.overview import Overview
from toolpair.tui.paint import Scrolled
from toolpair.tui.rail import BREAKS, NOTE, ProblemTicks, Ticks, rail
from toolpair.tui.row_lines import RowLines, row_height
from toolpair.tui.styled_text import Glyphs, Line, spread
from toolpair.tui.timeline import gutter_line, gutter_width

if TYPE_CHECKING:
    from toolpair.session.session import PairRow, Problem

RUN: Final = 16
"""Rows are measured in runs of this length."""


class RowHeights:
    """Rows not measured yet count as one line each, so lines below may move when they are measured."""

    def __init__(self, count: int, height: Callable[[int], int]) -> None:
        """`height` returns the lines of the row at a position, at least one."""
        self._count = count
        self._height = height
        whole, rest = divmod(count, RUN)
        self._lines: list[int] = [RUN] * whole + [rest] * (rest > 0)
        self._tops: list[int] = [*range(0, count, RUN), count]
        self._inner: dict[int, list[int]] = {}
        """For each measured run: where its rows begin in it, and where it ends."""

    def __len__(self) -> int:
        return self._count

    @property
    def total(self) -> int:
        """Total lines, as far as known."""
        return self._tops[-1]

    def measure(self, first: int, last: int) -> None:
        """Measure the rows at these positions, and the rest of their runs."""
        first, last = max(0, first), min(last, self._count - 1)
        changed = False
        for run in range(first // RUN, last // RUN + 1) if first <= last else ():
            if run not in self._inner:
                begin = run * RUN
                heights = map(self._height, range(begin, min(begin + RUN, self._count)))
                self._inner[run] = inner = list(accumulate(heights, initial=0))
                changed = changed or inner[-1] != self._lines[run]
                self._lines[run] = inner[-1]
        if changed:
            self._tops = list(accumulate(self._lines, initial=0))

    def top(self, position: int) -> int:
        """The line where the row at `position` begins."""
        self.measure(position, position)
        run, rest = divmod(position, RUN)
        return self._tops[run] + self._inner[run][rest]

    def height(self, position: int) -> int:
        """The number of lines of the row."""
        self.measure(position, position)
        run, rest = divmod(position, RUN)
        return self._inner[run][rest + 1] - self._inner[run][rest]

    def at(self, line: int) -> int:
        """The position of the row drawn at `line`; the last one for a line past the end."""
        line = max(0, min(line, self.total - 1))
        run = bisect_right(self._tops, line) - 1
        while run not in self._inner:
            self.measure(run * RUN, run * RUN)
            line = min(line, self.total - 1)
            run = bisect_right(self._tops, line) - 1
        return run * RUN + bisect_right(self._inner[run], line - self._tops[run]) - 1


CONTEXT = 2
"""Lines kept visible above and below the cursor."""
_EXACT = 1000
"""Rows of a list that is measured as a whole for the rail."""
AHEAD = 12
"""Rows above the visible ones that are measured too: as far as one turn of the wheel goes."""


class PairView(Scrolled, can_focus=True, inherit_bindings=False):
    """Rows with a cursor on the call's or the result's cell."""

    BINDINGS: ClassVar[list[BindingType]] = MOVE.bindings()
    DEFAULT_CSS = "PairView { overflow-y: scroll; }"

    class Moved(Message):
        """The cursor moved to another row or cell."""

    class Opened(Message):
        """A double click."""

    def __init__(self, overview: Overview, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.overview = overview
        self._order: Sequence[int] = range(0)
        self._heights = RowHeights(0, lambda position: 1)
        self._cache: LRUCache[tuple[int, bool], list[Strip]] = LRUCache(512)
        self._width = 0
        self.cursor = 0
        """Position among the shown rows, not all rows."""
        self.side: str = "call"
        self.query_text = ""
        self.stacked = False
        self._timed = False
        self.ticks: ProblemTicks | None = None
        """Where problems are, for the rail."""

    # what is shown

    def dress_scrollbars(self) -> None:
        rail(self, self._rail_ticks, self._glyphs.ascii)

    @property
    def row_index(self) -> int | None:
        """The index, among all rows, of the row under the cursor."""
        return self._order[self.cursor] if 0 <= self.cursor < len(self._order) else None

    @property
    def row(self) -> PairRow | None:
        index = self.row_index
        return None if index is None else self.overview.rows[index]

    @property
    def shown(self) -> Sequence[int]:
        return self._order

    def reload(self, only: Sequence[int] | None = None) -> None:
        """Reload the rows of the overview; `only` are the indices of the rows to show."""
        self._order = range(len(self.overview.rows)) if only is None else only
        self.cursor = max(0, min(self.cursor, len(self._order) - 1))
        self._measure()
        self.forget()

    def forget(self) -> None:
        """Draw everything again."""
        self._cache.clear()
        self.refresh()

    def _measure(self) -> None:
        """The rows have changed; keep what was at the top of the view there, as far as possible."""
        top = int(self.scroll_offset.y)
        first = self._heights.at(top) if len(self._heights) else 0
        inside = top - self._heights.top(first) if len(self._heights) else 0
        rows, order = self.overview.rows, self._order
        self._heights = RowHeights(len(order), lambda position: row_height(rows[order[position]], self.stacked))
        first = min(first, max(0, len(order) - 1))
        self._measure_marked()
        self._look(first - AHEAD, first + self.size.height)
        self._fit()
        if top:
            self.scroll_to(y=self._heights.top(first) + inside, animate=False, force=True)

    def _fit(self) -> None:
        """Only the scroll bar shows how long the list is: nothing has to be laid out."""
        size = Size(self.size.width, self._heights.total)
        if size != self.virtual_size:
            self.set_reactive(PairView.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = size.height

    def _look(self, first: int, last: int) -> None:
        """Measure the rows at these positions; the view stays put even if rows above it turn out taller."""
        self._keeping_place(lambda: self._heights.measure(first, last))

    def _keeping_place(self, measure: Callable[[], None]) -> None:
        top = int(self.scroll_offset.y)
        anchor = self._heights.at(top) if len(self._heights) else 0
        before = self._heights.top(anchor) if len(self._heights) else 0
        measure()
        self._fit()
        moved = self._heights.top(anchor) - before if len(self._heights) else 0
        if moved:
            self.scroll_to(y=top + moved, animate=False, force=True)

    def show_ticks(self) -> None:
        """Draw the ticks."""
        self._keeping_place(self._measure_marked)
        self.vertical_scrollbar.refresh()

    def _measure_marked(self) -> None:
        """In a short list a tick is at the height of its row; drawing it must not make the list longer."""
        if len(self._order) <= _EXACT:
            for position, _, _ in self._marked():
                self._heights.measure(position, position)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if len(self._heights) and round(old_value) != round(new_value):
            first = self._heights.at(round(new_value))
            self._look(first - AHEAD, first + self.size.height)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._cache.clear()

    def set_stacked(self, stacked: bool) -> None:
        if stacked != self.stacked:
            self.stacked = stacked
            self._measure()
            self.forget()

    @property
    def times_width(self) -> int:
        """The cells that times take at the end of each row; 0 when they are not shown."""
        return gutter_width(self.size.width, self.overview.times) if self._timed and not self.stacked else 0

    def show_times(self, shown: bool) -> None:
        """Show when each row was written, or not, if there is room for it."""
        if shown != self._timed:
            self._timed = shown
            self.forget()

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self._cache.clear()
        self._fit()
        self.reveal()

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if y >= self._heights.total:
            return self.paint((), cells)
        position = self._heights.at(y)
        strips = self._strips(position, cells)
        line = y - self._heights.top(position)
        return strips[line] if line < len(strips) else self.paint((), cells)

    def _strips(self, position: int, cells: int) -> list[Strip]:
        key = (position, position == self.cursor)
        strips = self._cache.get(key)
        if strips is None or (strips and strips[0].cell_length != cells):
            here = position == self.cursor
            room, spacious = cells - self.times_width, self.size.width >= SPACIOUS
            maker = RowLines(self.overview, self._glyphs, room, self.stacked, self.query_text, spacious)
            lines = maker.lines(self._order[position], self.side if here else None)
            if self.times_width and lines:
                lines[0] = spread(lines[0], self._times(position), cells)
            strips = [self.paint(line, cells, "cursor" if here else "") for line in lines]
            self._cache[key] = strips
        return strips

    @property
    def tools_in_view(self) -> list[str]:
        """The names of the tools that are called in the rows that are drawn."""
        if not self._order:
            return []
        top = int(self.scroll_offset.y)
        first, last = (self._heights.at(min(y, self._heights.total - 1)) for y in (top, top + self.size.height))
        rows = (self.overview.rows[self._order[n]] for n in range(first, last + 1))
        calls = (row.pair.call for row in rows if row.pair is not None)
        return sorted({call.name for call in calls if call is not None and isinstance(call.name, str) and call.name})

    def _times(self, position: int) -> Line:
        overview = self.overview
        return gutter_line(self._glyphs, self.size.width, overview.times, overview.rows, self._order, position)

    # the rail

    def lines_needed(self, most: int) -> int:
        """How many lines the rows take; `most` if it is that many or more."""
        count = len(self._order)
        if count >= most:
            return most
        self._heights.measure(0, count - 1)
        self._fit()
        return min(most, self._heights.total)

    def _marked(self) -> Iterator[tuple[int, str, Problem]]:
        """The position of each problem that is not hidden, the worst problems first."""
        order, count = self._order, len(self._order)
        for row, style, problem in self.ticks.rows if self.ticks is not None else ():
            position = row
            if not isinstance(order, range):
                position = bisect_right(order, row) - 1
                if position < 0 or order[position] != row:
                    continue
            if position < count:
                yield position, style, problem

    def _cells_of(self, size: int) -> Iterator[tuple[int, str, Problem]]:
        """The cell of the rail for each problem that is not hidden, the worst problems first."""
        count, total = len(self._order), self._heights.total
        for position, style, problem in self._marked():
            # In a long list not every row is measured; a cell stands for many.
            line = self._heights.top(position) if count <= _EXACT else position * total // count
            yield (line if total <= size else line * size // total), style, problem

    def _rail_ticks(self, size: int) -> Ticks:
        ticks: dict[int, tuple[str, Style]] = {}
        for cell, style, _ in self._cells_of(size):
            if cell not in ticks:
                ticks[cell] = (NOTE if style == "dim" else BREAKS, Style(color=self.style_of(style).color))
        return ticks

    def problem_of_tick(self, cell: int, size: int) -> Problem | None:
        """The problem that a tick of the rail marks."""
        return next((problem for at, _, problem in self._cells_of(size) if at == cell), None)

    # the cursor

    def _refresh_row(self, position: int) -> None:
        if 0 <= position < len(self._order):
            self._cache.discard((position, True))
            self.refresh_lines(self._heights.top(position), self._heights.height(position))

    def move_to(self, position: int, centre: bool = False) -> None:
        """Move the cursor to the row at `position`."""
        if not self._order:
            return
        position = max(0, min(position, len(self._order) - 1))
        old, self.cursor = self.cursor, position
        if old != position:
            self._refresh_row(old)
            self._refresh_row(position)
        self.reveal(centre)
        self.post_message(self.Moved())

    @property
    def depth(self) -> int:
        """How many lines below the top of the view the cursor's row begins."""
        return self._heights.top(self.cursor) - int(self.scroll_offset.y) if self._order else 0

    def go_to_row(self, row: int, depth: int | None = None) -> bool:
        """Move the cursor to a row by its index, `depth` lines below the top; False when the filter hides it."""
        if isinstance(self._order, range):
            position = row
        else:
            position = bisect_right(self._order, row) - 1
            if position < 0 or self._order[position] != row:
                return False
        if depth is not None and 0 <= position < len(self._order):
            self._look(position - depth, position - depth + self.size.height)
            self.scroll_to(y=max(0, self._heights.top(position) - depth), animate=False, force=True)
        self.move_to(position, centre=True)
        return True

    def reveal(self, centre: bool = False) -> None:
        """Scroll until the cursor's row is visible; `centre` moves it to the middle if it was not."""
        height = self.scrollable_content_region.height
        if not self._order or not height:
            return
        self._look(self.cursor - height // 2 - CONTEXT, self.cursor + height // 2 + CONTEXT)
        top = self._heights.top(self.cursor)
        bottom = top + self._heights.height(self.cursor)
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

    def move(self, lines: int) -> None:
        """Scroll and move the cursor by this many lines, at least one row."""
        if not self._order:
            return
        first = self._heights.at(int(self.scroll_offset.y))
        self._look(first + min(lines, 0), first + max(lines, 0) + self.size.height)
        here = self._heights.top(self.cursor)
        there = max(0, min(here + lines, self._heights.total - 1))
        position = self._heights.at(there)
        if position == self.cursor:
            position += 1 if lines > 0 else -1
        limit = max(0, self._heights.total - self.size.height)
        self.scroll_to(y=max(0, min(self.scroll_offset.y + lines, limit)), animate=False)
        self.move_to(position)

    def action_edge(self, by: int) -> None:
        self.move_to(0 if by < 0 else len(self._order) - 1)

    def action_side(self, by: int) -> None:
        self.set_side("call" if by < 0 else "result")

    def on_click(self, event: events.Click) -> None:
        y = event.y + self.scroll_offset.y
        if y >= self._heights.total:
            return
        position = self._heights.at(y)
        if self.stacked:
            side = "call" if y == self._heights.top(position) else "result"
        else:
            side = "call" if event.x <= left_column(self._width - self.times_width) else "result"
        self.set_side(side)
        self.move_to(position)
        if event.chain == 2:
            self.post_message(self.Opened())
