"""Shows something in full: a call, a result, a record, a diff, what the model sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from toolpair.text.cells import cut
from toolpair.text.cells import width as text_width
from toolpair.text.safe import visible, visible_text
from toolpair.tui.bodies.body import Body, Query
from toolpair.tui.bodies.diff_body import DiffBody
from toolpair.tui.bodies.reading import short_title
from toolpair.tui.bodies.text_body import TextBody
from toolpair.tui.keys import APP, VIEWER
from toolpair.tui.screens.base_screen import BaseScreen, Hint, hint_line
from toolpair.tui.styled_text import Glyphs, Line, Span, line_width, spread
from toolpair.tui.widgets.body_view import BodyView
from toolpair.tui.widgets.field import Field, SafeInput
from toolpair.tui.widgets.text_block import Lines

SIDE_BY_SIDE: Final = 120
"""Columns of a terminal from which a call and its result are next to each other."""
_NO_FOLD: Final = "nothing folds here"


class ViewerPage(Struct, frozen=True):
    """A body that h and l switch between, made when it is first shown.

    `about`: what is said of it at the top. `as_stored`: the same as its bytes stand, which z switches to. `record_of`:
    the number of the page that it is the record of. `beside`: the number of the page that it is shown beside where
    there is room, `make_beside` makes its body then.
    """

    title: str
    make: Callable[[Glyphs], Body]
    about: Callable[[], str] = lambda: ""
    as_stored: Callable[[Glyphs], Body] | None = None
    record_of: int | None = None
    beside: int | None = None
    make_beside: Callable[[Glyphs], Body] | None = None


Shown = tuple[str, Sequence[ViewerPage], int]
"""A title, pages, and the number of the one to begin with."""


def text_page(title: str, make: Callable[[], str], line_style: Callable[[str], str] | None = None) -> ViewerPage:
    """A page with a plain text."""
    return ViewerPage(title, lambda glyphs: TextBody(glyphs, make(), line_style, prefix=" "))


class ViewerScreen(BaseScreen[None]):
    """Pages, with search. `page` is the title of the one to begin with."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *VIEWER.bindings()]
    DEFAULT_CSS = """
    ViewerScreen #find { display: none; }
    ViewerScreen #find.-open { display: block; }
    ViewerScreen #pages { height: 1fr; }
    ViewerScreen #pages BodyView { width: 1fr; }
    ViewerScreen #pages .-right { border-left: solid $rule; }
    ViewerScreen #pages .-right.-ascii { border-left: ascii $rule; }
    """

    def __init__(
        self,
        title: str,
        pages: Sequence[ViewerPage],
        start: int = 0,
        neighbour: Callable[[int, str], Shown | None] | None = None,
    ) -> None:
        """`neighbour`: what is shown of the next (1) or the previous pair, which goes there, too; it is given the title
        of the page.
        """
        super().__init__()
        self._neighbour = neighbour
        self._side_by_side = True
        """Unless somebody chose otherwise."""
        self._title = title
        self._pages = list(pages)
        self._page = start
        self._bodies: dict[tuple[int, str], Body] = {}
        self._about: dict[int, str] = {}
        self._stored = False
        self._origin = 0
        """The row where the search that is being typed began."""

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        self._left, self._right = BodyView(self.glyphs), BodyView(self.glyphs)
        self._right.display = False
        self._right.set_class(True, "-right").set_class(self.glyphs.ascii, "-ascii")
        with Horizontal(id="pages"):
            yield self._left
            yield self._right
        yield Lines(id="rule")
        yield Field(self.glyphs, SafeInput(), "/", id="find")
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self.query_one(SafeInput).disabled = True
        self.view.focus()
        self.after_refresh(self._show_page)

    @property
    def view(self) -> BodyView:
        """The one that keys go to."""
        sides = self._sides
        return self._right if sides is not None and self._page == sides[1] else self._left

    @property
    def _sides(self) -> tuple[int, int] | None:
        """The pages shown side by side: that of the cursor, and the one that belongs to it."""
        beside = self._pages[self._page].beside
        if beside is None or not self._side_by_side or self.size.width < SIDE_BY_SIDE:
            return None
        return min(self._page, beside), max(self._page, beside)

    @property
    def body(self) -> Body:
        """What is shown."""
        return self.view.body

    def _show_page(self) -> None:
        sides = self._sides
        self._right.display = sides is not None
        for view, number in zip((self._left, self._right), sides or (self._page,), strict=False):
            view.search(None)
            body = self._body_of(number, sides is not None)
            if sides is None or view.body is not body:
                view.show(body)
        self.view.focus()
        self.say("")

    def _body_of(self, number: int, beside: bool) -> Body:
        page = self._pages[number]
        ways = {"stored": page.as_stored if self._stored else None, "beside": page.make_beside if beside else None}
        way, make = next(((way, make) for way, make in ways.items() if make is not None), ("", page.make))
        if (number, way) not in self._bodies:
            self._bodies[number, way] = make(self.glyphs)
            self._about.setdefault(number, page.about())
        return self._bodies[number, way]

    def lay_out(self, width: int, height: int) -> None:
        glyphs, sides = self.glyphs, self._sides
        if self._bodies and self._right.display != (sides is not None):
            self._show_page()  # which draws this again
            return
        about = self._about.get(self._page, "") if sides is None else ""
        marks: list[Span] = []
        tabs = self._tabs
        for n in tabs if len(tabs) > 1 else ():
            here = n == self._page
            words = f"[{self._pages[n].title}]" if here else f" {self._pages[n].title} "
            marks.append(glyphs.ui(words, "title" if here else "dim", f"page({n})"))
        room = width - line_width(marks) - 6
        for_title = min(text_width(glyphs.own(self._title)), max(12, room * 3 // 5))
        right = cut(glyphs.own(short_title(about, room - for_title)), max(0, room - 12), glyphs.ellipsis)
        title = cut(glyphs.own(self._title), max(8, room - len(right)), glyphs.ellipsis)
        line = spread(
            (glyphs.ui(f" {title}  ", "bold"), *marks), (Span(right, self._style(about)), glyphs.ui(" ")), width
        )
        self.query_one("#top", Lines).show([line, self._columns_line(sides, width)])
        self.query_one("#rule", Lines).show([glyphs.rule(self.note, width)])
        self.query_one("#bottom", Lines).show([hint_line(glyphs, self.hints(), width)])

    def _columns_line(self, sides: tuple[int, int] | None, width: int) -> Line:
        """The line above the text: what each column has."""
        glyphs = self.glyphs
        if sides is None:
            return glyphs.rule("", width)
        half, spans = width // 2, list[Span]()
        for number, cells, lead in zip(sides, (half, width - half), ("──", "┬─"), strict=True):
            title, about = self._pages[number].title, self._about.get(number, "")
            words = f"{title} · {short_title(about, cells - len(title) - 8)}" if about else title
            begin, *rest = glyphs.rule(words, cells, lead=lead)
            style = "title" if number == self._page else self._style(about)
            spans += [begin, *(replace(span, style=style, action=f"page({number})") for span in rest[:1]), *rest[1:]]
        return tuple(spans)

    @staticmethod
    def _style(about: str) -> str:
        return "error" if about.startswith(("ERROR", "error")) else "dim"

    def hints(self) -> list[Hint]:
        if self.query_one("#find").has_class("-open"):
            return [("enter", "keep", "submit_search"), ("esc", "back to where it began", "back")]
        body = self.body
        hints: list[Hint] = []
        if isinstance(body, DiffBody):
            hints.append(("]", "next change", "change(1)"))
        if body.folds:
            hints += [
                ("enter", "fold" if not isinstance(body, DiffBody) else "unfold", "fold"),
                ("O", "fold all" if not isinstance(body, DiffBody) else "unfold all", "fold_all"),
            ]
        hints.append(("/", "find", "search"))
        if self.view.sought is not None:
            hints.append(("n", "next match", "hit(1)"))
        if len(self._pages) > 1:
            tabs = self._tabs
            after = tabs[(tabs.index(self._page) + 1) % len(tabs)]
            hints.append((self.glyphs.both("h", "side(-1)", "l", "side(1)"), "other pages", f"page({after})"))
        if self._other is not None:
            hints.append(("v", "record" if self._pages[self._page].record_of is None else "close the record", "record"))
        if self._pages[self._page].beside is not None and self.size.width >= SIDE_BY_SIDE:
            hints.append(("tab", self._pages[self._pages[self._page].beside or 0].title, "other_side"))
            hints.append(("|", "one column" if self._sides else "side by side", "columns"))
        elif isinstance(body, DiffBody):
            hints.append(("|", "one column" if body.two else "two columns", "columns"))
        if self._neighbour is not None:
            hints.append(("}", "next pair", "pair(1)"))
        hints += [
            ("z", "wrap" if self._pages[self._page].as_stored is None else "as stored", "wrap"),
            ("y", "copy", "yank"),
        ]
        return [*hints, ("?", "all keys", "help"), ("q", "back", "leave")]

    # pages

    def action_page(self, number: int) -> None:
        if number != self._page and 0 <= number < len(self._pages):
            self._page = number
            self._show_page()

    def action_other_side(self) -> None:
        """To the call, or to its result."""
        beside = self._pages[self._page].beside
        if beside is not None:
            self.action_page(beside)

    def on_descendant_focus(self) -> None:
        """A click on the other column."""
        sides = self._sides
        if sides is not None and self.focused in (self._left, self._right):
            self._page = sides[self.focused is self._right]
            self.draw()

    def action_pair(self, by: int) -> None:
        """Show the next pair, or the previous one, in place of this one."""
        found = self._neighbour(by, self._pages[self._page].title) if self._neighbour is not None else None
        if found is None:
            self.say(f"there is no {'next' if by > 0 else 'previous'} pair" if self._neighbour is not None else "")
            return
        self._title, self._pages, self._page = found[0], list(found[1]), found[2]
        self._bodies, self._about, self._stored = {}, {}, False
        self._show_page()

    @property
    def _tabs(self) -> list[int]:
        """The pages to choose from: of the records, only that of the page shown."""
        of = self._pages[self._page].record_of
        shown = self._page if of is None else of
        return [n for n, page in enumerate(self._pages) if page.record_of in (None, shown)]

    def action_side(self, by: int) -> None:
        tabs = self._tabs
        at = tabs.index(self._page) + by
        if 0 <= at < len(tabs):
            self.action_page(tabs[at])

    @property
    def _other(self) -> int | None:
        """The record of the page shown; on a record, the page it belongs to."""
        of = self._pages[self._page].record_of
        if of is not None:
            return of
        return next((n for n, page in enumerate(self._pages) if page.record_of == self._page), None)

    def action_record(self) -> None:
        if self._other is not None:
            self.action_page(self._other)
        else:
            self.say("there is no record behind this")

    # ways to see it

    def action_wrap(self) -> None:
        if self._pages[self._page].as_stored is not None:
            self._stored = not self._stored
            self._show_page()
            self.say("as its bytes stand in the file" if self._stored else "")
            return
        self.view.set_wrap(not self.view.wrapped)
        self.say("long lines wrap" if self.view.wrapped else "long lines are cut: < and > scroll sideways")

    def action_shift(self, by: int) -> None:
        self.view.shift(by)
        if self.view.wrapped:
            self.say("z cuts long lines first; then < and > scroll sideways")

    def action_fold(self) -> None:
        if not self.view.fold():
            self.say(_NO_FOLD)

    def action_fold_all(self) -> None:
        self.view.fold_all()
        if not self.body.folds:
            self.say(_NO_FOLD)

    def action_columns(self) -> None:
        if self._pages[self._page].beside is not None and self.size.width >= SIDE_BY_SIDE:
            self._side_by_side = not self._side_by_side
            self._show_page()
            return
        switched = self.view.switch_columns()
        self.say("" if switched else f"only a diff has columns, and, in {SIDE_BY_SIDE} columns, a call with its result")

    def action_change(self, by: int) -> None:
        if not self.view.change(by):
            self.say("no more changes" if isinstance(self.body, DiffBody) else "only a diff has changes to go to")

    # search

    def action_search(self) -> None:
        field = self.query_one(SafeInput)
        self._origin = max(-1, self.view.here - 1)
        self.query_one("#find").add_class("-open")
        field.disabled = False
        field.value = ""
        field.focus()
        self.say("")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.query_one(SafeInput).disabled:
            return
        self.view.search(Query(event.value) if event.value else None)
        found = self.view.find(1, self._origin) if event.value else None
        self._tell(found, event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_submit_search()

    def action_submit_search(self) -> None:
        self._close_field()

    def _close_field(self) -> None:
        self.query_one("#find").remove_class("-open")
        self.query_one(SafeInput).disabled = True
        self.view.focus()
        self.draw()

    def action_back(self) -> None:
        if self.query_one("#find").has_class("-open"):
            self.view.search(None)
            self.note = ""
            self._close_field()
        else:
            super().action_back()

    def _tell(self, found: int | None, words: str) -> None:
        """Say which match it is."""
        if not words:
            self.say("")
            return
        if found is None:
            self.say(f"not found: {visible(words)}")
            return
        number, count = self.view.matches_before(found) + 1, self.view.matches
        case = " · any case" if Query(words).any_case and words.upper() != words else ""
        self.say(f"match {min(number, count):,} of {count:,} · line {self.view.body.number(found):,}{case}")

    def action_hit(self, by: int) -> None:
        query = self.view.sought
        if query is None:
            self.say("/ finds something first")
            return
        self._tell(self.view.find(by), query.words)

    def action_yank(self) -> None:
        self.say(self.tool.copy(visible_text(self.body.text())))

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
