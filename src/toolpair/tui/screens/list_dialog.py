"""A box at the bottom with a list to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult

from toolpair.tui.screens.base_screen import Dialog, Hint, hint_line
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

T = TypeVar("T")


class ListDialog(Dialog[T], Generic[T]):
    """Returns what the cursor is on; None after escape."""

    DEFAULT_CSS = "ListDialog LineList { height: auto; background: $surface; }"

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield LineList(self.glyphs)
        yield Lines(id="bottom")

    @property
    def list(self) -> LineList:
        return self.query_one(LineList)

    def frame(self, title: str, hints: Sequence[Hint], more: Sequence[Line] = ()) -> None:
        """Show the title above the list, and below it `more` and the keys."""
        width = self.size.width
        self.query_one("#top", Lines).show([self.glyphs.rule(title, width, "title")])
        self.query_one("#bottom", Lines).show([*more, hint_line(self.glyphs, hints, width)])

    def fill(self, lines: Sequence[Line], most: int, cursor: int | None = None) -> None:
        """Show these entries on at most so many lines."""
        self.list.styles.height = max(1, min(len(lines), most))
        self.list.show([[line] for line in lines], cursor)

    def action_move(self, by: int) -> None:
        self.list.action_move(by)

    def on_input_submitted(self) -> None:
        self.action_choose()

    def on_line_list_chosen(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        """Return what the cursor is on."""
