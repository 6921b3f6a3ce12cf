"""Lists of entries of one or more lines with a cursor: fixes, menus, causes, staged changes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from toolpair.tui.keys import CURSOR
from toolpair.tui.paint import Scrolled
from toolpair.tui.styled_text import Glyphs, Line


class LineList(Scrolled, can_focus=True, inherit_bindings=False):
    """Entries with a cursor. The cursor bar takes the first cell of each line."""

    BINDINGS: ClassVar[list[BindingType]] = CURSOR.bindings()

    class Moved(Message):
        """The cursor is on another entry."""

    class Chosen(Message):
        """An entry was double-clicked, or chosen by a key."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._entries: list[list[Line]] = []
        self._flat: list[tuple[int, Line]] = []
        self._tops: list[int] = []
        self.cursor = 0

    def show(self, entries: Sequence[Sequence[Line]], cursor: int | None = None) -> None:
        self._entries = [list(entry) for entry in entries]
        self._flat = [(n, line) for n, entry in enumerate(self._entries) for line in entry]
        self._tops = []
        top = 0
        for entry in self._entries:
            self._tops.append(top)
            top += len(entry)
        if cursor is not None:
            self.cursor = cursor
        self.cursor = max(0, min(self.cursor, len(self._entries) - 1))
        self.virtual_size = Size(self.size.width, len(self._flat))
        self._reveal()
        self.refresh()

    def on_resize(self) -> None:
        # No other width makes it longer: nothing has to be laid out again.
        self.set_reactive(LineList.virtual_size, Size(self.size.width, len(self._flat)))
        self._reveal()

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if y >= len(self._flat):
            return self.paint((), cells)
        entry, line = self._flat[y]
        marked, lit = self.marks(entry)
        bar = self._glyphs.ui("▌" if marked else " ", "key" if lit else "dim")
        return self.paint((bar, *line), cells, "cursor" if marked and lit else "")

    def marks(self, entry: int) -> tuple[bool, bool]:
        """Whether an entry is marked, and whether the mark is lit."""
        return entry == self.cursor, True

    def _reveal(self) -> None:
        if not self._entries:
            return
        top = self._tops[self.cursor]
        bottom = top + len(self._entries[self.cursor])
        height = self.scrollable_content_region.height
        if top < self.scroll_offset.y or bottom - top > height:
            # Of an entry that is too tall, the first line matters most.
            self.scroll_to(y=top, animate=False)
        elif height and bottom > self.scroll_offset.y + height:
            self.scroll_to(y=bottom - height, animate=False)

    def move_to(self, entry: int) -> None:
        entry = max(0, min(entry, len(self._entries) - 1))
        if entry != self.cursor:
            self.cursor = entry
            self._reveal()
            self.refresh()
            self.post_message(self.Moved())

    def move(self, by: int) -> None:
        self.move_to(self.cursor + by)

    def action_edge(self, by: int) -> None:
        self.move_to(0 if by < 0 else len(self._entries) - 1)

    def on_click(self, event: events.Click) -> None:
        y = event.y + self.scroll_offset.y
        if 0 <= y < len(self._flat):
            self.move_to(self._flat[y][0])
            if event.chain == 2:
                self.post_message(self.Chosen())


class FocusedList(LineList):
    """Looks otherwise while the keys move it."""

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()


class NumberList(FocusedList):
    """Shows its cursor only while the keys move it."""

    def marks(self, entry: int) -> tuple[bool, bool]:
        return entry == self.cursor and self.has_focus, True


class CauseList(FocusedList, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        *LineList.BINDINGS,
        Binding("enter", "choose", "show only these", show=False),
    ]
    bare = False
    """Whether what is shown is no cause, but that there is none."""

    def action_choose(self) -> None:
        self.post_message(self.Chosen())

    def marks(self, entry: int) -> tuple[bool, bool]:
        return entry == self.cursor and not self.bare, self.has_focus


_TICK = 4
"""Columns of the box in front of a row."""


class ReviewList(LineList):
    DEFAULT_CSS = "ReviewList { height: auto; }"

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
