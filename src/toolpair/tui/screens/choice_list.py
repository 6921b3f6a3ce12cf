"""A list of choices above, and details of the current one below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from textual.app import ComposeResult

from toolpair.tui.screens.base_screen import BaseScreen
from toolpair.tui.styled_text import Line
from toolpair.tui.widgets.body_view import BodyView
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

T = TypeVar("T")


class ChoiceScreen(BaseScreen[T], Generic[T]):
    """Returns what the cursor is on."""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield LineList(self.glyphs)
        yield Lines(id="middle")
        yield BodyView(self.glyphs)
        yield Lines(id="bottom")

    @property
    def list(self) -> LineList:
        return self.query_one(LineList)

    @property
    def details(self) -> BodyView:
        return self.query_one(BodyView)

    def on_mount(self) -> None:
        self.list.focus()

    def fill(self, entries: Sequence[Sequence[Line]], cursor: int | None = None) -> None:
        """Show these entries on at most half of the lines."""
        self.list.styles.height = max(1, min(sum(map(len, entries)), self.size.height // 2))
        self.list.show(entries, cursor)

    def on_line_list_chosen(self) -> None:
        self.action_take()

    def action_take(self) -> None:
        """Return what the cursor is on."""
