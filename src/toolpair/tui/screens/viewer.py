"""A text in full: a call's input, a result, exact bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.text.cells import cut
from toolpair.text.safe import visible_text
from toolpair.tui.keys import APP, VIEWER
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import BaseScreen, Hint, hint_line
from toolpair.tui.screens.prompt import PromptScreen
from toolpair.tui.styled_text import Span, spread
from toolpair.tui.widgets.big_text import BigText
from toolpair.tui.widgets.text_block import Lines


class ViewerPage(Struct, frozen=True):
    """A text that h and l switch between. `make` returns the text when it is first shown."""

    title: str
    make: Callable[[], str]
    line_style: Callable[[str], str] | None = None


class ViewerScreen(BaseScreen[None]):
    """Pages of long texts, with search."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *VIEWER.bindings()]

    def __init__(self, title: str, pages: Sequence[ViewerPage], start: int = 0) -> None:
        super().__init__()
        self._title = title
        self._pages = list(pages)
        self._page = start
        self._texts: dict[int, str] = {}
        self._lines: dict[int, int] = {}
        self._note = ""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield BigText(self.glyphs)
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(BigText).focus()
        self.after_refresh(self._show_page)

    def _show_page(self) -> None:
        page = self._pages[self._page]
        if self._page not in self._texts:
            self._texts[self._page] = text = page.make()
            body = text.rstrip("\n")
            self._lines[self._page] = body.count("\n") + 1
        self.query_one(BigText).show(self._texts[self._page], page.line_style)
        self._note = ""
        self.lay_out(self.size.width, self.size.height)

    def lay_out(self, width: int, height: int) -> None:
        glyphs = self.glyphs
        text = self._texts.get(self._page, "")
        pages = sum(len(page.title) + 3 for page in self._pages)
        title = cut(glyphs.own(self._title), max(10, width - pages - 28), glyphs.ellipsis)
        spans: list[Span] = [glyphs.ui(f" {title}  ", "bold")]
        for n, page in enumerate(self._pages if len(self._pages) > 1 else ()):
            here = n == self._page
            words = f"[{page.title}]" if here else f" {page.title} "
            spans.append(glyphs.ui(f"{words} ", "title" if here else "dim", f"page({n})"))
        size = f" {count_text(self._lines.get(self._page, 1), 'line')} "
        if width >= 100:
            size = f" {count_text(len(text), 'character')}, {size.strip()} "
        self.query_one("#top", Lines).show([spread(spans, (glyphs.ui(size, "dim"),), width), glyphs.rule("", width)])
        self.query_one("#bottom", Lines).show([glyphs.rule(self._note, width), hint_line(glyphs, self.hints(), width)])

    def hints(self) -> list[Hint]:
        hints = [("/", "find", "search"), ("n", "next", "hit(1)"), ("z", "wrap", "wrap"), ("y", "copy", "yank")]
        if len(self._pages) > 1:
            hints.insert(0, ("h l", "other pages", f"page({(self._page + 1) % len(self._pages)})"))
        return [*hints, ("?", "all keys", "help"), ("q", "back", "leave")]

    def _say(self, note: str) -> None:
        self._note = note
        self.lay_out(self.size.width, self.size.height)

    def action_page(self, number: int) -> None:
        if number != self._page and 0 <= number < len(self._pages):
            self._page = number
            self._show_page()

    def action_side(self, by: int) -> None:
        self.action_page(self._page + by)

    def action_wrap(self) -> None:
        view = self.query_one(BigText)
        view.set_wrap(not view.wrapped)
        self._say("long lines wrap" if view.wrapped else "long lines are cut: < and > scroll sideways")

    def action_shift(self, by: int) -> None:
        self.query_one(BigText).shift(by)

    def action_search(self) -> None:
        def found(query: str | None) -> None:
            if query is not None:
                self._say("" if self.query_one(BigText).find(query) or not query else f"not found: {query}")

        self.ask(PromptScreen("Find in this text", submit="find"), found)

    def action_hit(self, by: int) -> None:
        if not self.query_one(BigText).find_next(by):
            self._say("no match. / finds something")

    def action_yank(self) -> None:
        self._say(self.tool.copy(visible_text(self._texts.get(self._page, ""))))
