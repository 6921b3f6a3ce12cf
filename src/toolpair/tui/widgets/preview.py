"""The preview of the pair under the cursor: its call and its output, side by side or one below the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol

from textual import events
from textual.message import Message
from textual.strip import Strip

from toolpair.tui.paint import Painter
from toolpair.tui.styled_text import Glyphs, Line, Span, cut_line, line_width

_WHEEL = 3
_LEAST_BELOW = 4
"""Lines from which it is worth while to show what else there is."""


class LineSource(Protocol):
    """Lines, which may be made when they are drawn."""

    def __len__(self) -> int: ...

    def __getitem__(self, n: int, /) -> Line: ...


class Preview(Painter):
    """Draws the lines that it is given below a title."""

    DEFAULT_CSS = "Preview { height: 100%; width: 1fr; }"

    class Opened(Message):
        """A double click."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._title: Line = ()
        self._left: LineSource = ()
        self._right: LineSource | None = None
        self._columns = (0, 0)
        self._below: Callable[[], LineSource] | None = None
        self._top = 0

    def show(
        self,
        title: Line,
        left: LineSource,
        right: LineSource | None,
        columns: tuple[int, int],
        below: Callable[[], LineSource] | None = None,
    ) -> None:
        """`right` is None where there is one column. `columns`: the cells of each. `below` makes what is shown where
        lines are free; none are made free for it.
        """
        self._title, self._left, self._right, self._columns = title, left, right, columns
        self._below = cache(below) if below is not None else None
        self._top = 0
        self.refresh()

    @property
    def height(self) -> int:
        """How many lines there are, without the title."""
        return max(len(self._left), len(self._right) if self._right is not None else 0)

    def scroll_by(self, lines: int) -> None:
        """Scroll both columns."""
        top = max(0, min(self._top + lines, self.height - max(1, self.size.height - 1)))
        if top != self._top:
            self._top = top
            self.refresh()

    def render_line(self, y: int) -> Strip:
        cells = self.size.width
        if y == 0:
            return self.paint(self._title, cells)
        n = y - 1 + self._top
        height = self.height
        if n >= height and self._below is not None and self.size.height - 1 - height >= _LEAST_BELOW:
            below = self._below()
            return self.paint(below[n - height] if n - height < len(below) else (), cells)
        left = self._left[n] if n < len(self._left) else ()
        if self._right is None:
            return self.paint(left, cells)
        begin = cut_line(left, self._columns[0])
        gap = " " * (self._columns[0] - line_width(begin))
        right = self._right[n] if n < len(self._right) else ()
        divider = self._glyphs.ui(f"{gap}│", "rule")
        line: tuple[Span, ...] = (*begin, divider, *cut_line(right, self._columns[1]))
        return self.paint(line, cells)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_by(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_by(-_WHEEL)

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self.post_message(self.Opened())
