"""The styles of spans, and rendering a line to a Textual strip."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from toolpair.text.cells import width
from toolpair.tui.styled_text import Line, cut_line

STYLE_NAMES = (
    "text", "dim", "quiet", "bold", "rule", "tool", "error", "warning", "good", "applied", "key", "differ", "hit",
    "cursor", "side", "title", "cut", "badge", "code-keyword", "code-string", "code-number", "code-name",
    "code-comment", "code-heading", "removed", "added", "removed-mark", "added-mark", "italic",
)  # fmt: skip

PAINT_CSS = """
.paint--text { color: $words; }
.paint--dim { color: $muted; }
.paint--quiet { color: $quiet; }
.paint--bold { text-style: bold; }
.paint--italic { text-style: italic; }
.paint--rule { color: $rule; }
.paint--title { text-style: bold; color: $hint; }
.paint--tool { text-style: bold; }
.paint--error { color: $stops; }
.paint--warning { color: $loses; }
.paint--good { color: $ready; }
.paint--applied { color: $applied; }
.paint--key { color: $hint; text-style: bold; }
.paint--differ { text-style: bold underline; }
.paint--hit { text-style: reverse; }
.paint--cursor { background: $cursor-row; }
.paint--side { text-style: bold; }
.paint--cut { color: $stops; text-style: bold; }
.paint--badge { text-style: bold reverse; }
.paint--code-keyword { color: $code-keyword; }
.paint--code-string { color: $code-string; }
.paint--code-number { color: $code-number; }
.paint--code-name { color: $code-name; }
.paint--code-comment { color: $quiet; }
.paint--code-heading { color: $code-name; text-style: bold; }
.paint--removed { background: $removed; }
.paint--added { background: $added; }
.paint--removed-mark { background: $removed-mark; }
.paint--added-mark { background: $added-mark; }
.-no-color .paint--removed-mark { text-style: bold underline; }
.-no-color .paint--added-mark { text-style: bold underline; }
.-no-color .paint--code-heading { text-style: bold; }
.-no-color .paint--cursor { text-style: bold; }
.-no-color .paint--dim { text-style: dim; }
.-no-color .paint--differ { text-style: bold underline; }
"""


class Painter(Widget):
    """Mixin for a widget that draws lines of spans in the styles above."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"paint--{name}" for name in STYLE_NAMES}

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._style_cache: dict[str, Style] = {}

    def style_of(self, names: str) -> Style:
        """The combined style of `names` (space-separated) on this widget's background."""
        cache = self.__dict__.setdefault("_style_cache", {})
        style: Style | None = cache.get(names)
        if style is None:
            style = self.rich_style
            for name in names.split():
                style += self.get_component_rich_style(f"paint--{name}", partial=True)
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
