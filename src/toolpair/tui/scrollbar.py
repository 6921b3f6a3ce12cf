"""A scroll bar without block characters, for `--ascii`."""

from __future__ import annotations

from typing import ClassVar

from textual.scrollbar import ScrollBarRender
from textual.widget import Widget


class PlainScrollBar(ScrollBarRender):
    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * 8


def plain_scrollbar(widget: Widget, ascii: bool) -> None:
    """Draw the bars of `widget` with spaces only, when `ascii` is set."""
    if ascii:
        widget.vertical_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]
        widget.horizontal_scrollbar.renderer = PlainScrollBar  # type: ignore[misc]
