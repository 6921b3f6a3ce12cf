"""A menu, with a filter if it is long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Final

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from toolpair.tui.keys import APP, FILTERED
from toolpair.tui.later import LaterOn
from toolpair.tui.screens.list_dialog import ListDialog
from toolpair.tui.widgets.field import Field, SafeInput
from toolpair.tui.widgets.line_list import LineList
from toolpair.tui.widgets.text_block import Lines

_REST: Final = 0.05
"""Seconds that the cursor rests before something is shown for its entry."""


class MenuEntry(Struct, frozen=True):
    """`go` is called when it is chosen, `rest` while the cursor rests on it. `note` is shown dimmed after the label."""

    label: str
    go: Callable[[], object]
    note: str = ""
    rest: Callable[[], object] | None = None


def choose(
    screen: LaterOn[Any],
    title: str,
    entries: Sequence[MenuEntry],
    cursor: int = 0,
    filter: bool = False,
    of_state: bool = True,
) -> None:
    """Show a menu over the screen and do what is chosen; with `of_state` if the session is still in the same state."""
    menu = MenuScreen(title, entries, cursor, filter)
    screen.ask(menu, lambda entry: entry.go() if entry is not None else None, of_state)


class MenuScreen(ListDialog[MenuEntry | None]):
    """Returns the chosen entry."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        *FILTERED.bindings(priority=True),
        Binding("enter", "choose", "choose", show=False),
    ]
    DEFAULT_CSS = """
    MenuScreen.-live { background: $background 0%; }
    MenuScreen LineList { max-height: 20; }
    """

    def __init__(self, title: str, entries: Sequence[MenuEntry], cursor: int = 0, filter: bool = False) -> None:
        super().__init__()
        self.set_class(any(entry.rest is not None for entry in entries), "-live")
        self._title = title
        self._entries = list(entries)
        self._shown = list(entries)
        self._start = cursor
        self._filter = filter

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        if self._filter:
            yield Field(self.glyphs, SafeInput())
        yield LineList(self.glyphs)
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(SafeInput if self._filter else LineList).focus()

    def lay_out(self, width: int, height: int) -> None:
        self.frame(self._title, [("enter", "choose", "choose"), ("esc", "back", "back")])
        self._fill(self._start)

    def _fill(self, cursor: int) -> None:
        glyphs, width = self.glyphs, self.size.width - 1  # the list draws its own bar before each entry
        lines = [
            glyphs.fit((glyphs.ui(f" {each.label}"), glyphs.ui(f"   {each.note}" if each.note else "", "dim")), width)
            for each in self._shown
        ]
        self.fill(lines, int(self.size.height * 0.7), cursor)

    def on_input_changed(self, event: Input.Changed) -> None:
        words = event.value.lower().split()
        self._shown = [e for e in self._entries if all(w in f"{e.label} {e.note}".lower() for w in words)]
        self._fill(0)

    def on_key(self, event: events.Key) -> None:
        if self.inert:
            return
        if not self._filter and event.character is not None and event.character in "123456789":
            number = int(event.character) - 1
            if number < len(self._shown):
                event.stop()
                self.finish(self._shown[number])

    def on_line_list_moved(self) -> None:
        if self._shown[self.list.cursor].rest is not None:
            self.later(_REST, partial(self._rested, self.list.cursor))

    def _rested(self, cursor: int) -> None:
        rest = self._shown[cursor].rest
        if rest is not None and not self.inert and cursor == self.list.cursor:
            rest()

    def action_choose(self) -> None:
        if self.list.cursor < len(self._shown):
            self.finish(self._shown[self.list.cursor])
