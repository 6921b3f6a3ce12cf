"""A list of very many one-line entries, each created when drawn. Its screen moves the cursor."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from textual import events
from textual.cache import LRUCache
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from toolpair.tui.paint import Scrolled
from toolpair.tui.styled_text import Glyphs, Line

_KEPT: Final = 512
"""Lines that are kept."""


class RowList(Scrolled, can_focus=False):
    """The cursor bar takes the first cell of each line."""

    class Moved(Message):
        """The cursor is on another entry."""

    class Chosen(Message):
        """An entry was double-clicked."""

    def __init__(self, glyphs: Glyphs, make: Callable[[int, int], Line]) -> None:
        """`make` returns the line of an entry in that many cells, excluding the cursor bar."""
        super().__init__(glyphs)
        self._make = make
        self._strips: LRUCache[tuple[int, bool, int], Strip] = LRUCache(_KEPT)
        """By entry, whether the cursor is on it, and cells."""
        self.count = 0
        self.cursor = 0

    def show(self, count: int, cursor: int) -> None:
        """Show this many entries, with the cursor on this one."""
        self.count = count
        self.cursor = max(0, min(cursor, count - 1))
        self.virtual_size = Size(self.size.width, count)
        self._reveal()
        self.forget()

    def forget(self, entries: Collection[int] | None = None) -> None:
        """Make the lines of these entries, or all of them, again."""
        if entries is None:
            self._strips.clear()
            self.refresh()
            return
        for key in set(self._strips.keys()):
            if key[0] in entries:
                self._strips.discard(key)
        for entry in entries:
            self.refresh_line(entry)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self) -> None:
        # No other width makes it longer: nothing has to be laid out again.
        self.set_reactive(RowList.virtual_size, Size(self.size.width, self.count))
        self._reveal()

    def render_line(self, y: int) -> Strip:
        entry = y + self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if entry >= self.count:
            return self.paint((), cells)
        here = entry == self.cursor
        strip = self._strips.get((entry, here, cells))
        if strip is None:
            bar = self._glyphs.ui("▌" if here else " ", "key")
            strip = self.paint((bar, *self._make(entry, cells - 1)), cells, "cursor" if here else "")
            self._strips[entry, here, cells] = strip
        return strip

    def _reveal(self) -> None:
        height = self.scrollable_content_region.height
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False)
        elif height and self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False)

    def move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def move_to(self, entry: int) -> None:
        entry = max(0, min(entry, self.count - 1))
        if entry != self.cursor:
            self.refresh_line(self.cursor)
            self.cursor = entry
            self.refresh_line(entry)
            self._reveal()
            self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        entry = event.y + self.scroll_offset.y
        if 0 <= entry < self.count:
            self.move_to(entry)
            if event.chain == 2:
                self.post_message(self.Chosen())
