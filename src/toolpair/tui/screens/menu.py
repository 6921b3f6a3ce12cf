"""A menu. With a filter it is the command palette."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Final

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from toolpair.text.cells import width
from toolpair.tui.keys import APP
from toolpair.tui.screens.base_screen import Dialog, hint_line
from toolpair.tui.styled_text import Line, cut_line, line_width
from toolpair.tui.widgets.field import Field, SafeInput
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

_REST: Final = 0.05
"""Seconds after a movement before something is shown for it."""


class MenuEntry(Struct, frozen=True):
    """`value` is returned when it is chosen. `note` is shown dimmed after the label."""

    value: str
    label: str
    note: str = ""


class MenuScreen(Dialog[str | None]):
    """Returns the value of the chosen entry, None after escape."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), Binding("enter", "choose", "choose", show=False)]
    DEFAULT_CSS = """
    MenuScreen.-live { background: $background 0%; }
    MenuScreen LineList { height: auto; max-height: 20; background: $surface; }
    """

    def __init__(
        self,
        title: str,
        entries: Sequence[MenuEntry],
        cursor: int = 0,
        filter: bool = False,
        on_move: Callable[[str], None] | None = None,
    ) -> None:
        """`on_move` is called with the value of the entry on which the cursor rests."""
        super().__init__()
        self._on_move = on_move
        self.set_class(on_move is not None, "-live")
        self._title = title
        self._entries = list(entries)
        self._shown = list(entries)
        self._start = cursor
        self._filter = filter

    def build(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Lines(id="top")
            if self._filter:
                yield Field(self.glyphs, SafeInput())
            yield LineList(self.glyphs)
            yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(SafeInput if self._filter else LineList).focus()

    def lay_out(self, width: int, height: int) -> None:
        self.query_one("#top", Lines).show([self.glyphs.rule(self._title, width, "title")])
        hints = [("enter", "choose", "choose"), ("esc", "back", "back")]
        self.query_one("#bottom", Lines).show([hint_line(self.glyphs, hints, width)])
        self._fill(height, self._start)

    def _fill(self, height: int, cursor: int | None = None) -> None:
        entries: list[list[Line]] = []
        room = self.size.width - 1  # the list draws its own bar before each entry
        for entry in self._shown:
            note = f"   {entry.note}" if entry.note else ""
            line: Line = (self.glyphs.ui(f" {entry.label}"), self.glyphs.ui(note, "dim"))
            if line_width(line) > room:
                rest = self.glyphs.ui("…", "dim")
                line = (*cut_line(line, room - width(rest.text)), rest)
            entries.append([line])
        menu = self.query_one(LineList)
        menu.styles.height = max(1, min(len(entries), int(height * 0.7)))
        menu.show(entries, cursor)

    def on_input_changed(self, event: Input.Changed) -> None:
        words = event.value.lower().split()
        self._shown = [e for e in self._entries if all(w in f"{e.label} {e.note}".lower() for w in words)]
        self._fill(self.size.height, 0)

    def on_input_submitted(self) -> None:
        self.action_choose()

    def on_key(self, event: events.Key) -> None:
        if self.inert:
            return
        if self._filter and event.key in ("up", "down"):
            self.query_one(LineList).action_move(1 if event.key == "down" else -1)
            event.stop()
            event.prevent_default()
        elif not self._filter and event.character is not None and event.character in "123456789":
            number = int(event.character) - 1
            if number < len(self._shown):
                event.stop()
                self.finish(self._shown[number].value)

    def on_line_list_moved(self) -> None:
        if self._on_move is not None:
            self.later(_REST, partial(self._rested, self.query_one(LineList).cursor))

    def _rested(self, cursor: int) -> None:
        if self._on_move is not None and not self.inert and cursor == self.query_one(LineList).cursor:
            self._on_move(self._shown[cursor].value)

    def on_line_list_chosen(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        cursor = self.query_one(LineList).cursor
        if cursor < len(self._shown):
            self.finish(self._shown[cursor].value)
