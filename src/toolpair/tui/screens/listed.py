"""A list of choices above, and what the one under the cursor would do below."""

from __future__ import annotations

from typing import TypeVar

from textual.app import ComposeResult

from toolpair.tui.screens.base import BaseScreen
from toolpair.tui.widgets.big_text import BigText
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.lines import Lines

T = TypeVar("T")


class ListedScreen(BaseScreen[T]):
    """`action_take` takes the choice, by enter or a double click."""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield LineList(self.glyphs)
        yield Lines(id="middle")
        yield BigText(self.glyphs)
        yield Lines(id="bottom")

    def on_line_list_chosen(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        raise NotImplementedError
