"""A block of prepared lines: the head, the card, key bars."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip

from toolpair.text.cells import width
from toolpair.tui.paint import Painter
from toolpair.tui.styled_text import Line, cut_line


class Lines(Painter):
    """Draws the lines it is given, cut at its width. Clicking a span with an action runs it."""

    DEFAULT_CSS = "Lines { height: auto; width: 1fr; }"

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Line] = list(lines)

    @property
    def lines(self) -> Sequence[Line]:
        return self._lines

    def show(self, lines: Sequence[Line]) -> None:
        """Replace the lines, and draw those that differ; a different number changes the height only if that is
        automatic.
        """
        before, self._lines = self._lines, list(lines)
        if len(lines) != len(before) and self.styles.height is not None and self.styles.height.is_auto:
            if self._layout_required:
                # It may have been measured since it was last told, and Textual would keep that height.
                self._layout_updates += 1
            self.refresh(layout=True)
            return
        differ = [n for n, (old, new) in enumerate(zip_longest(before, self._lines)) if old != new]
        if differ:
            self.refresh(*(Region(0, n, self.size.width, 1) for n in differ))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else ()
        return self.paint(line, self.size.width)

    async def on_click(self, event: events.Click) -> None:
        if not 0 <= event.y < len(self._lines):
            return
        x = event.x
        for span in cut_line(self._lines[event.y], self.size.width):
            x -= width(span.text)
            if x < 0:
                if span.action is not None:
                    event.stop()
                    await self.screen.run_action(span.action)
                return
