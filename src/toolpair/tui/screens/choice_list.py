"""Layout: a list of choices above, and details of the current one below."""

from __future__ import annotations

from textual.app import ComposeResult

from toolpair.tui.styled_text import Glyphs
from toolpair.tui.widgets.body_view import BodyView
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines


def listed(glyphs: Glyphs) -> ComposeResult:
    """The widgets of such a screen."""
    yield Lines(id="top")
    yield LineList(glyphs)
    yield Lines(id="middle")
    yield BodyView(glyphs)
    yield Lines(id="bottom")
