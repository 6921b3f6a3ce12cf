"""The base of all screens: glyphs, a message for too small terminals, keys that mean the same everywhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from toolpair.text.safe import SafeText
from toolpair.tui.keys import APP
from toolpair.tui.later import LaterOn
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width
from toolpair.tui.widgets.text_block import Lines

if TYPE_CHECKING:
    from toolpair.tui.commands import Command

T = TypeVar("T")
LEAST_WIDTH, LEAST_HEIGHT = 40, 10


def is_small(width: int, height: int) -> bool:
    """Whether this size is too small to show anything."""
    return width < LEAST_WIDTH or height < LEAST_HEIGHT


Hint = tuple[str, str, str]
"""A key, what it does in a word or two, and the action for a click on it."""


def hint_line(glyphs: Glyphs, hints: Sequence[Hint], cells: int, gap: int = 2, keep_first: bool = False) -> Line:
    """A key bar; hints that do not fit are left out, but the last two (or the first and the last) stay."""
    made = [
        (glyphs.ui(glyphs.key(key, action), "key", action), glyphs.ui(f" {label}", "", action))
        for key, label, action in hints
    ]
    widths = [line_width(pair) for pair in made]
    while len(made) > 2 and 1 + sum(widths) + gap * (len(made) - 1) > cells:
        n = -2 if keep_first else -3
        del made[n], widths[n]
    begin, between = Span(SafeText(" ")), Span(SafeText(" " * gap))
    return tuple(span for n, pair in enumerate(made) for span in (between if n else begin, *pair))


def hint_lines(glyphs: Glyphs, hints: Sequence[Hint], cells: int) -> list[Line]:
    """All hints, on as many lines as they need."""
    lines: list[Line] = []
    row: list[Hint] = []
    gap = 4
    for hint in hints:
        if row and sum(len(key) + len(label) + 1 + gap for key, label, _ in [*row, hint]) - gap + 1 > cells:
            lines.append(hint_line(glyphs, row, cells, gap))
            row = []
        row.append(hint)
    return [*lines, hint_line(glyphs, row, cells, gap)] if row else lines


class BaseScreen(LaterOn[T], Generic[T]):
    """Shows what `build` yields, or a message when the terminal is too small for it."""

    BINDINGS: ClassVar[list[BindingType]] = APP.bindings()
    DEFAULT_CSS = """
    BaseScreen { layout: vertical; color: $words; }
    BaseScreen #too-small { display: none; }
    BaseScreen.-small > * { display: none; }
    BaseScreen.-small > #too-small { display: block; }
    """

    def build(self) -> ComposeResult:
        """The widgets of a screen; none in this base class."""
        return ()

    def compose(self) -> ComposeResult:
        yield from self.build()
        yield Lines(id="too-small")

    @property
    def glyphs(self) -> Glyphs:
        return self.tool.glyphs

    note = ""
    """Shown above the keys."""
    drawn = False
    """Whether it has been drawn since it came to the top of the stack."""
    seen_since = float("inf")
    """Since when it has been visible, by the monotonic clock."""

    def on_screen_resume(self) -> None:
        # Not on mount: a key may have closed the screen that covered it.
        self.after_refresh(self._note_drawn)

    def on_screen_suspend(self) -> None:
        self.drawn = False
        self.seen_since = float("inf")

    def _note_drawn(self) -> None:
        if self.app.screen is self:
            self.drawn = True
            self.seen_since = time.monotonic()

    def finish(self, result: T | None = None) -> None:
        """Close, once: a second key in the same read finds it closed and must not close the one below."""
        if self.inert:
            return
        self._finished = True
        self.dismiss(result)

    @property
    def inert(self) -> bool:
        """Whether keys are not meant for this screen: it is closed, or covered by another."""
        return self._finished or self.app.screen is not self

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not self.inert and super().check_action(action, parameters)

    def on_resize(self, event: events.Resize) -> None:
        if not self.is_on:
            return  # it is being removed
        width, height = event.size.width, event.size.height
        small = is_small(width, height)
        grown = self.has_class("-small") and not small
        self.set_class(small, "-small")
        if small:
            words = f"{width} x {height} is too small. toolpair needs {LEAST_WIDTH} x {LEAST_HEIGHT}."
            if self.tool.open_sessions.unsaved:
                words += " Your fixes are not saved."
            self.query_one("#too-small", Lines).show(self.glyphs.paragraph(words, max(width, 9)))
            return
        self.lay_out(width, height)
        if grown:
            # Hidden widgets had no size: measure them again now.
            self.after_refresh(self._settle)

    def _settle(self) -> None:
        for lines in self.query(Lines):
            lines.refresh(layout=True)
        if not is_small(*self.size):
            self.draw()

    def lay_out(self, width: int, height: int) -> None:
        """Lay the screen out for a size."""

    def draw(self) -> None:
        """Lay it out again, for the size that it has."""
        if self.size.width:
            self.lay_out(self.size.width, self.size.height)

    def say(self, note: str) -> None:
        """Show a note, until something else happens."""
        self.note = note
        self.draw()

    def action_back(self) -> None:
        """Close one layer; the last one stays."""
        if len(self.app.screen_stack) > 1:
            self.finish(None)

    async def action_leave(self) -> None:
        if len(self.app.screen_stack) > 2:
            self.finish(None)
        else:
            await self.app.action_quit()

    def action_help(self) -> None:
        self.tool.open_help()

    def commands(self) -> list[Command]:
        """The commands of this screen."""
        from toolpair.tui.commands import commands_of

        return commands_of(type(self).BINDINGS, self.glyphs.keys)

    def action_palette(self) -> None:
        """List them by name, and run the chosen one."""

        async def chosen(action: str | None) -> None:
            if action is not None:
                await self.run_action(action)

        self.ask(self.tool.command_list(self.commands()), chosen)


class Dialog(ModalScreen[T], BaseScreen[T], Generic[T]):
    """A box at the bottom; the screen above it stays visible."""

    DEFAULT_CSS = """
    Dialog { background: $background 40%; align: left bottom; }
    Dialog > #box { height: auto; max-height: 90%; width: 1fr; background: $surface; }
    Dialog > #box > Lines { background: $surface; }
    """

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield from self.build()
        yield Lines(id="too-small")

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            # Not left to the binding, which would run after the keys that arrived with it.
            event.stop()
            event.prevent_default()
            self.finish(None)

    def action_palette(self) -> None:
        """It asks one thing, and has no commands."""


HELD = 0.4
"""Seconds after a screen has been drawn during which no answer is accepted."""
REPEATED = 0.15
"""Seconds: the same key within this time is being held; it repeats every 0.03 s."""


class HeldKey:
    """For the keys of a screen that write, discard or confirm something."""

    def __init__(self, screen: BaseScreen[Any]) -> None:
        self._screen = screen
        self._last: dict[str, float] = {}

    def admits(self, key: str = "enter") -> bool:
        """Whether the current key was pressed for what the screen shows, however long it waited in the queue; if not,
        say what to do.
        """
        came = self._screen.tool.typed_ahead.came
        last = self._last.get(key)
        self._last[key] = came
        held = last is not None and came - last < min(HELD, REPEATED)
        if came - self._screen.seen_since >= HELD and not held:
            return True
        self._screen.say(f"press {key} again, now that you have read this")
        return False
