"""The list of causes. Its cursor is drawn as one only while the list has the focus."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.strip import Strip

from toolpair.tui.widgets.line_list import LineList


class CauseList(LineList, inherit_bindings=False):
    BINDINGS: ClassVar[list[BindingType]] = [
        *LineList.BINDINGS,
        Binding("enter", "choose", "show only these", show=False),
    ]
    DEFAULT_CSS = "CauseList { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    bare = False
    """Whether what is shown is no cause, but that there is none."""

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if y >= len(self._flat):
            return self.paint((), cells)
        entry, line = self._flat[y]
        here = entry == self.cursor and not self.bare
        bar = self._glyphs.ui("▌" if here else " ", "key" if self.has_focus else "dim")
        return self.paint((bar, *line), cells, "cursor" if here and self.has_focus else "")
