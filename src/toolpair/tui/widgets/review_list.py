"""The list of the review: rows that can be excluded, and headings, which the cursor skips."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip

from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.line_list import LineList

_TICK = 4
"""Columns of the box in front of a row."""


class ReviewList(LineList):
    DEFAULT_CSS = "ReviewList { height: auto; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    class Ticked(Message):
        """The box of a row was clicked."""

    _headings: Collection[int] = ()

    def show_parts(self, entries: Sequence[Sequence[Line]], headings: Collection[int]) -> None:
        """`headings`: the entries that are none of the rows."""
        self._headings = headings
        self.show(entries)
        if self.cursor in headings:
            self.move_to(self.cursor + 1)

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        if at < len(self._flat) and self._flat[at][0] in self._headings:
            return self.paint(self._flat[at][1], self.scrollable_content_region.width)
        return super().render_line(y)

    def move_to(self, entry: int) -> None:
        last = len(self._entries) - 1
        entry = max(0, min(entry, last))
        by = 1 if entry >= self.cursor else -1
        while entry in self._headings and 0 <= entry + by <= last:
            entry += by
        if entry not in self._headings:
            super().move_to(entry)

    def on_click(self, event: events.Click) -> None:
        super().on_click(event)
        y = event.y + self.scroll_offset.y
        if 0 <= y < len(self._flat) and self._flat[y][0] == self.cursor and event.x <= _TICK:
            self.post_message(self.Ticked())
