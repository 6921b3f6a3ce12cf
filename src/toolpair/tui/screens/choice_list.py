"""Layout: a list of choices above, and details of the current one below."""

from __future__ import annotations

from textual.app import ComposeResult

from toolpair.tui.styled_text import Glyphs
from toolpair.tui.widgets.big_text import BigText
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines


def listed(glyphs: Glyphs) -> ComposeResult:
    """The widgets of such a screen."""
    yield Lines(id="top")
    yield LineList(glyphs)
    yield Lines(id="middle")
    yield BigText(glyphs)
    yield Lines(id="bottom")
