"""A text of any size, folded; only visible lines are ever created."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from textual.binding import BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toolpair.text.fold import Fold
from toolpair.text.safe import SafeText
from toolpair.tui.keys import CURSOR
from toolpair.tui.paint import Painter
from toolpair.tui.scrollbar import plain_scrollbar
from toolpair.tui.styled_text import Glyphs, Span

STEP = 16
"""Characters that one sideways step scrolls unwrapped lines."""


class BigText(ScrollView, Painter, can_focus=True, inherit_bindings=False):
    """`line_style` returns the style of a screen line from the start of its line of text."""

    COMPONENT_CLASSES = Painter.COMPONENT_CLASSES
    BINDINGS: ClassVar[list[BindingType]] = CURSOR.bindings()
    DEFAULT_CSS = "BigText { height: 1fr; overflow-x: hidden; overflow-y: scroll; scrollbar-size-vertical: 1; }"

    class Scrolled(Message):
        """The visible part has changed."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._text = ""
        self._fold = Fold("", 1)
        self._style: Callable[[str], str] | None = None
        self._pattern: re.Pattern[str] | None = None
        self._skip = 0
        self._hit = -1
        self.wrapped = True

    def on_mount(self) -> None:
        super().on_mount()  # type: ignore[no-untyped-call]
        plain_scrollbar(self, self._glyphs.ascii)

    def show(self, text: str, line_style: Callable[[str], str] | None = None) -> None:
        self._text = text
        self._style = line_style
        self._hit = -1
        self._skip = 0
        self._refold()
        self.scroll_to(y=0, animate=False)

    @property
    def text(self) -> str:
        return self._text

    def _refold(self) -> None:
        width = self.scrollable_content_region.width
        if not width:
            return
        top = self._fold.starts[min(int(self.scroll_offset.y), len(self._fold) - 1)] if len(self._fold) else 0
        self._fold = Fold(self._text, width if self.wrapped else 0)
        self.virtual_size = Size(self.size.width, len(self._fold))
        self.scroll_to(y=self._fold.at(top) if top else 0, animate=False, force=True)
        self.refresh()

    def on_resize(self) -> None:
        if self._fold.text is not self._text or self._fold.cells != (self._text_width if self.wrapped else 0):
            self._refold()

    @property
    def _text_width(self) -> int:
        return self.scrollable_content_region.width

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.post_message(self.Scrolled())

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        cells = self.scrollable_content_region.width
        if y >= len(self._fold) or self._fold.text is not self._text:
            return self.paint((), cells)
        shown = self._fold.line(y) if self.wrapped else self._fold.window(y, self._skip, cells)
        style = ""
        if self._style is not None:
            start = self._fold.starts[y]
            begin = self._text.rfind("\n", 0, start) + 1
            style = self._style(self._text[begin : begin + 8])
        return self.paint(tuple(self._spans(shown, style)), cells)

    def _spans(self, shown: SafeText, style: str) -> list[Span]:
        if self._pattern is None:
            return [Span(shown, style)]
        out: list[Span] = []
        last = 0
        for match in self._pattern.finditer(shown):
            out.append(Span(SafeText(shown[last : match.start()]), style))
            out.append(Span(SafeText(match.group()), f"{style} hit".strip()))
            last = match.end()
        out.append(Span(SafeText(shown[last:]), style))
        return out

    def set_wrap(self, wrapped: bool) -> None:
        self.wrapped = wrapped
        self._skip = 0
        self._refold()

    def shift(self, by: int) -> None:
        """Scroll unwrapped lines sideways."""
        if not self.wrapped:
            self._skip = max(0, self._skip + by * STEP)
            self.refresh()

    def find(self, query: str) -> bool:
        """Search for `query` from the first visible line on; False when it does not occur."""
        self._pattern = re.compile(re.escape(query), 0 if query != query.lower() else re.IGNORECASE) if query else None
        top = min(int(self.scroll_offset.y), len(self._fold) - 1)
        self._hit = self._fold.starts[top] - 1 if len(self._fold) else -1
        self.refresh()
        return self.find_next(1)

    def find_next(self, by: int) -> bool:
        """The next or previous hit, wrapping around; False if there is none."""
        if self._pattern is None:
            return False
        if by > 0:
            match = self._pattern.search(self._text, self._hit + 1) or self._pattern.search(self._text)
        else:
            match = self._last_before(self._hit) or self._last_before(len(self._text) + 1)
        if match is None:
            return False
        self._hit = match.start()
        line = self._fold.at(self._hit)
        height = self.size.height
        if not self.scroll_offset.y <= line < self.scroll_offset.y + height:
            self.scroll_to(y=max(0, line - height // 3), animate=False)
        if not self.wrapped:
            along = self._hit - self._fold.starts[line]
            if not self._skip <= along < self._skip + self._text_width // 2:
                self._skip = max(0, along - 10)
        self.refresh()
        return True

    def _last_before(self, offset: int) -> re.Match[str] | None:
        assert self._pattern is not None
        # Backwards in growing windows: scanning all of a long text for its last hit would be noticeable.
        size = 1 << 16
        while True:
            start = max(0, offset - size)
            last: re.Match[str] | None = None
            for match in self._pattern.finditer(self._text, start):
                if match.start() >= offset:
                    break
                last = match
            if last is not None or start == 0:
                return last
            size *= 8

    def action_move(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def action_half(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by * max(1, self.size.height // 2), animate=False)

    def action_page(self, by: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + by * max(1, self.size.height - 1), animate=False)

    def action_edge(self, by: int) -> None:
        self.scroll_to(y=0 if by < 0 else len(self._fold), animate=False)
