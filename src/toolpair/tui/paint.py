"""The styles of spans, rendering a line to a Textual strip, and scroll bars without block characters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, NamedTuple, Protocol, cast

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip
from textual.widget import Widget

from toolpair.text.cells import width
from toolpair.tui.styled_text import Glyphs, Line, cut_line


class Paint(NamedTuple):
    """What a style adds: the role of its colour, that of its background, and text attributes."""

    colour: str = ""
    background: str = ""
    text: str = ""


STYLES: Final[Mapping[str, Paint]] = {
    "text": Paint("words"),
    "dim": Paint("muted"),
    "quiet": Paint("quiet"),
    "bold": Paint(text="bold"),
    "italic": Paint(text="italic"),
    "rule": Paint("rule"),
    "title": Paint("hint", text="bold"),
    "tool": Paint(text="bold"),
    "error": Paint("stops"),
    "warning": Paint("loses"),
    "good": Paint("ready"),
    "applied": Paint("applied"),
    "key": Paint("hint", text="bold"),
    "differ": Paint("words", "removed-mark", "bold"),
    "changed": Paint(text="bold underline"),
    "hit": Paint(text="reverse"),
    "cursor": Paint(background="cursor-row"),
    "side": Paint(text="bold"),
    "cut": Paint("stops", text="bold"),
    "badge": Paint(text="bold reverse"),
    "code-keyword": Paint("code-keyword"),
    "code-string": Paint("code-string"),
    "code-number": Paint("code-number"),
    "code-name": Paint("code-name"),
    "code-comment": Paint("quiet"),
    "code-heading": Paint("code-name", text="bold"),
    "removed": Paint(background="removed"),
    "added": Paint(background="added"),
    "removed-mark": Paint(background="removed-mark"),
    "added-mark": Paint(background="added-mark"),
}
_WITHOUT_COLOURS: Final[Mapping[str, str]] = {
    "removed-mark": "bold underline",
    "added-mark": "bold underline",
    "differ": "bold underline",
    "cursor": "bold",
    "dim": "dim",
}
"""Text attributes of the styles that only colours would show."""


class Palette:
    """The styles in one theme.

    They are no component classes of Textual's: it would work out each of them again for every widget whenever one is
    mounted or the focus moves.
    """

    def __init__(self, colours: Mapping[str, str], no_color: bool) -> None:
        """`colours`: that of each role."""
        self._styles: dict[str, Style] = {}
        for name, paint in STYLES.items():
            text = _WITHOUT_COLOURS.get(name, paint.text) if no_color else paint.text
            colour, background = (
                Color.parse(colours[role]).rich_color if role else None for role in (paint.colour, paint.background)
            )
            self._styles[name] = Style(color=colour, bgcolor=background) + Style.parse(text)

    def __getitem__(self, name: str) -> Style:
        return self._styles[name]


class Painted(Protocol):
    """An application, as far as its widgets are drawn in its styles."""

    @property
    def palette(self) -> Palette: ...


class Painter(Widget):
    """Mixin for a widget that draws lines of spans in the styles above."""

    _palette: Palette | None = None
    """The palette in which it was last drawn."""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._style_cache: dict[str, Style] = {}
        if self._palette is not None and self._palette is not cast("Painted", self.app).palette:
            self.refresh()

    def style_of(self, names: str) -> Style:
        """The combined style of `names` (space-separated) on this widget's background."""
        cache = self.__dict__.setdefault("_style_cache", {})
        style: Style | None = cache.get(names)
        if style is None:
            self._palette = palette = cast("Painted", self.app).palette
            style = self.rich_style
            for name in names.split():
                style += palette[name]
            cache[names] = style
        return style

    def paint(self, line: Line, cells: int, under: str = "") -> Strip:
        """The strip of a line, exactly `cells` wide. `under` is a style beneath all its spans."""
        segments = []
        used = 0
        for span in cut_line(line, cells):
            if span.text:
                segments.append(Segment(span.text, self.style_of(f"{under} {span.style}" if under else span.style)))
                used += width(span.text)
        if used < cells:
            segments.append(Segment(" " * (cells - used), self.style_of(under)))
        return Strip(segments, cells)


class PlainScrollBar(ScrollBarRender):
    """Made of spaces only."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


class Scrolled(ScrollView, Painter):
    """Lines that scroll up and down, by keys that move through them."""

    DEFAULT_CSS = "Scrolled { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs

    def on_mount(self) -> None:
        self.dress_scrollbars()

    def dress_scrollbars(self) -> None:
        """Choose how the scroll bars are drawn."""
        if self._glyphs.ascii:
            self.vertical_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]
            self.horizontal_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]

    def move(self, by: int) -> None:
        """Move by so many lines."""

    def action_move(self, by: int) -> None:
        self.move(by)

    def action_half(self, by: int) -> None:
        self.move(by * max(1, self.size.height // 2))

    def action_page(self, by: int) -> None:
        self.move(by * max(1, self.size.height - 1))
