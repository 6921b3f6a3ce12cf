"""What all screens have: glyphs, a word for a terminal that is too small, keys that mean the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import ModalScreen, Screen

from toolpair.text.safe import SafeText
from toolpair.tui.keys import APP
from toolpair.tui.spans import Glyphs, Line, Span, line_width
from toolpair.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from toolpair.tui.app import ToolpairApp

T = TypeVar("T")
LEAST_WIDTH, LEAST_HEIGHT = 40, 10

Hint = tuple[str, str, str]
"""A key, what it does in a word or two, the action that a click on it runs."""


def hint_line(glyphs: Glyphs, hints: Sequence[Hint], cells: int, gap: int = 2) -> Line:
    """A key bar; hints that do not fit are left out, the last two stay."""
    kept = list(hints)

    def build(chosen: Iterable[Hint]) -> list[Span]:
        spans: list[Span] = []
        for key, label, action in chosen:
            spans.append(Span(SafeText(" " if not spans else " " * gap)))
            spans.append(glyphs.ui(key, "key", action))
            spans.append(glyphs.ui(f" {label}", "", action))
        return spans

    while len(kept) > 2 and line_width(build(kept)) > cells:
        del kept[-3]
    return tuple(build(kept))


class BaseScreen(Screen[T], Generic[T]):
    """`build` yields the widgets."""

    BINDINGS: ClassVar[list[BindingType]] = APP.bindings()
    DEFAULT_CSS = """
    BaseScreen { layout: vertical; }
    BaseScreen #too-small { display: none; }
    BaseScreen.-small > * { display: none; }
    BaseScreen.-small > #too-small { display: block; }
    """

    def build(self) -> ComposeResult:
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield from self.build()
        yield Lines(id="too-small")

    @property
    def tool(self) -> ToolpairApp:
        return cast("ToolpairApp", self.app)

    @property
    def glyphs(self) -> Glyphs:
        return self.tool.glyphs

    def on_resize(self, event: events.Resize) -> None:
        width, height = event.size.width, event.size.height
        small = width < LEAST_WIDTH or height < LEAST_HEIGHT
        self.set_class(small, "-small")
        if small:
            words = f"{width} x {height} is too small. toolpair needs {LEAST_WIDTH} x {LEAST_HEIGHT}."
            self.query_one("#too-small", Lines).show(self.glyphs.paragraph(words, max(width, 9)))
        else:
            self.lay_out(width, height)

    def lay_out(self, width: int, height: int) -> None:
        """Lay the screen out for a size."""

    def action_back(self) -> None:
        """One layer less; the last one stays."""
        if len(self.app.screen_stack) > 1:
            self.dismiss(None)

    async def action_leave(self) -> None:
        if len(self.app.screen_stack) > 2:
            self.dismiss(None)
        else:
            await self.app.action_quit()

    def action_help(self) -> None:
        from toolpair.tui.screens.help import HelpScreen

        if not isinstance(self, HelpScreen):
            self.app.push_screen(HelpScreen())

    def action_palette(self) -> None:
        """Only the main screen has one."""


class Dialog(ModalScreen[T], BaseScreen[T], Generic[T]):
    """A box at the bottom over what stays in view."""

    DEFAULT_CSS = """
    Dialog { background: $background 40%; align: left bottom; }
    Dialog > #box { height: auto; max-height: 90%; width: 1fr; background: $surface; }
    Dialog > #box > Lines { background: $surface; }
    """
