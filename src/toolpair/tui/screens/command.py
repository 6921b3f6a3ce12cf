"""`:` and the palette: every command by name, completed as one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from toolpair.tui.commands import Command, completed, found_for
from toolpair.tui.keys import COMPLETE, FILTERED
from toolpair.tui.screens.base_screen import hint_line
from toolpair.tui.screens.list_dialog import ListDialog
from toolpair.tui.styled_text import Line, spread
from toolpair.tui.widgets.field import Field, SafeInput
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines


class CommandScreen(ListDialog[str | None]):
    """Returns the action of the chosen command."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *COMPLETE.bindings(priority=True),
        *FILTERED.bindings(priority=True),
    ]
    DEFAULT_CSS = "CommandScreen LineList { max-height: 20; }"

    def __init__(self, commands: Sequence[Command]) -> None:
        super().__init__()
        self._commands = list(commands)
        self._shown = list(commands)

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield LineList(self.glyphs)
        yield Field(self.glyphs, SafeInput(), ":")
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        field = self.query_one(SafeInput)
        field.placeholder = "the name of a command"
        field.focus()

    def lay_out(self, width: int, height: int) -> None:
        self._fill(None)

    def _fill(self, cursor: int | None) -> None:
        width, height = self.size.width, self.size.height
        if not width:
            return
        self.query_one("#top", Lines).show([self.glyphs.rule("Commands", width, "title")])
        names = max((len(command.name) for command in self._commands), default=0)
        lines = [self._entry(command, names, width - 1) for command in self._shown]
        if not lines:
            lines = [(self.glyphs.ui("No command is called that.", "warning"),)]
        self.fill(lines, int(height * 0.7) - 2, cursor)
        count = f"{len(self._shown)} of {len(self._commands)} commands "
        hints = [("tab", "complete", "complete"), ("enter", "run", "choose"), ("esc", "close", "back")]
        keys = hint_line(self.glyphs, hints, width - len(count))
        self.query_one("#bottom", Lines).show([spread(keys, (self.glyphs.ui(count, "dim"),), width)])

    def _entry(self, command: Command, names: int, cells: int) -> Line:
        glyphs = self.glyphs
        keys = (glyphs.ui(f" {command.keys} ", "key"),)
        left: Line = (glyphs.ui(f"{command.name:<{names}}  ", "tool"), glyphs.ui(command.label))
        return glyphs.fit_before(keys, left, cells)

    def on_input_changed(self, event: Input.Changed) -> None:
        self._shown = found_for(event.value, self._commands)
        self._fill(0)

    def action_palette(self) -> None:
        """The key that opened it closes it."""
        self.finish()

    def action_complete(self) -> None:
        field = self.query_one(SafeInput)
        field.value = completed(field.value, self._commands)
        field.cursor_position = len(field.value)

    def action_choose(self) -> None:
        if self.list.cursor < len(self._shown):
            self.finish(self._shown[self.list.cursor].action)
