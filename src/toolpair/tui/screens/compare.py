"""Two histories side by side."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import BindingType

from toolpair.history.comparison_records import changes_of
from toolpair.history.comparison_rows import ComparisonRows
from toolpair.history.steps import History, Step, history_of
from toolpair.history.summary import PairRow
from toolpair.history.two_histories import compared
from toolpair.text.cells import cut
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside
from toolpair.tui.bodies.body import Query
from toolpair.tui.bodies.diff_body import DiffBody
from toolpair.tui.compare_text import (
    ONE_COLUMN,
    StepText,
    column_cells,
    difference_parts,
    row_line,
    step_text,
    summary_short,
)
from toolpair.tui.compared_sides import Side
from toolpair.tui.comparison_search import TERMS, ChosenRows, Test, filter_test, matching, text_test, unfolded
from toolpair.tui.keys import APP, COMPARE, CURSOR
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import BaseScreen, Hint, hint_line
from toolpair.tui.screens.prompt import FilterPrompt, FindPrompt
from toolpair.tui.screens.viewer import ViewerPage, ViewerScreen, text_page
from toolpair.tui.searching import GivingWay
from toolpair.tui.styled_text import Line, Span, spread, with_hits
from toolpair.tui.viewer_pages import change_pages, pages_of
from toolpair.tui.widgets.row_list import RowList
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import Stopped, failure

if TYPE_CHECKING:
    pass

_KEPT: Final = 2_000
"""Texts of steps that are kept."""
_SOON: Final = 0.01
_NAMED: Final = 2_000
"""Steps whose tools a filter completes."""
_FIND: Final = "Searches text, tools and ids on both sides. A capital letter makes it match case."
_DIGITS: Final = 4
"""For the numbers of lines."""
Key = tuple[bool, int, int, bool]


class CompareScreen(BaseScreen[None]):
    """Reads both in the background. `[` and `]` go from difference to difference."""

    BINDINGS: ClassVar[list[BindingType]] = [*APP.bindings(), *COMPARE.bindings(), *CURSOR.bindings()]

    def __init__(self, a: Side, b: Side) -> None:
        super().__init__()
        self._sides = a, b
        self._rows: ComparisonRows | ChosenRows | None = None
        self._words = ""
        """The filter."""
        self._query = ""
        self._hits: list[tuple[int, int]] = []
        """The rows that have it, by their part and their place in it."""
        self._searching: Aside | None = None
        self._side = "a"
        self._columns: bool | None = None
        """Whether each side has its column; None: by the width."""
        self._note = "reading …"
        self._texts: dict[Key, StepText] = {}
        self._wanted: dict[Key, tuple[History, Step]] = {}
        self._incomplete: set[int] = set()
        """The rows that are drawn without a text that is wanted."""
        self._fetching = False

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield RowList(self.glyphs, self._line)
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self._aside: Aside | None = None
        # Only once the screen is drawn, which the thread would hold up.
        self.after_refresh(self._begin)

    def _begin(self) -> None:
        self._aside = self.in_thread(self._read, "work", self._failed)

    def on_unmount(self) -> None:
        for aside in (self._aside, self._searching):
            if aside is not None:
                aside.stop()

    @property
    def _list(self) -> RowList:
        return self.query_one(RowList)

    # in a thread

    def _read(self, aside: Aside) -> None:
        way = GivingWay(aside, self.tool.last_key)

        def progress(name: str, done: int) -> None:
            if way():
                note = f"reading {name} …" + (f" {count_text(done, 'message')}" if done else "")
                aside.run_in_ui(lambda: self._say(note))

        try:
            a, b = (
                history_of(side.load(lambda _, mark=mark: progress(mark, 0)), partial(progress, mark))  # type: ignore[misc]
                for mark, side in zip("AB", self._sides, strict=True)
            )
            found = ComparisonRows(compared(a, b, rest=way))
        except Stopped:
            return
        aside.run_in_ui(lambda: self._show(found))

    def _failed(self, error: Exception) -> None:
        self._say(f"not compared: {failure(error)}")

    def _show(self, rows: ComparisonRows) -> None:
        self._rows = rows
        self._note = ""
        self._list.show(len(rows), rows.next(-1, 1) or 0)
        self._draw()

    # drawing

    @property
    def _two(self) -> bool:
        return self.size.width >= ONE_COLUMN if self._columns is None else self._columns

    def _line(self, entry: int, cells: int) -> Line:
        rows = self._rows
        if rows is None or entry >= len(rows):
            return ()
        side = self._side if entry == self._list.cursor else None

        def text(history: History, step: Step) -> StepText | None:
            known = self._text(history, step)
            if known is None:
                self._incomplete.add(entry)
            return known

        line = row_line(self.glyphs, rows.comparison, rows[entry], text, side, cells, self._two)
        return with_hits(line, Query(self._query).pattern) if self._query else line

    def _text(self, history: History, step: Step) -> StepText | None:
        """What is known of a step. Those of a long conversation are read in a thread."""
        if not history.conversation.fixes_are_local:
            return step_text(history, step)
        assert self._rows is not None
        key = (history is self._rows.comparison.a, step.message, step.block, step.inherited)
        known = self._texts.get(key)
        if known is None:
            self._wanted[key] = history, step
            if not self._fetching:
                self._fetching = True
                self.later(_SOON, self._fetch)
        return known

    def _fetch(self) -> None:
        wanted, self._wanted = self._wanted, {}

        def read(aside: Aside) -> None:
            way = GivingWay(aside, self.tool.last_key)
            found: dict[Key, StepText] = {}
            for key, what in wanted.items():
                found[key] = step_text(*what)
                way()
            aside.run_in_ui(lambda: self._take(found))

        self.in_thread(read, "work", self._failed)

    def _take(self, found: dict[Key, StepText]) -> None:
        self._texts.update(found)
        for key in list(self._texts)[: max(0, len(self._texts) - _KEPT)]:
            del self._texts[key]
        self._fetching = bool(self._wanted)
        if self._wanted:
            self.later(_SOON, self._fetch)
        incomplete, self._incomplete = self._incomplete, set()
        self._list.forget(incomplete)

    def _draw(self) -> None:
        if self.size.width:
            self.lay_out(self.size.width, self.size.height)

    def lay_out(self, width: int, height: int) -> None:
        glyphs, rows = self.glyphs, self._rows
        left, right = column_cells(width - 1)
        names = []
        for mark, side, room in zip("AB", self._sides, (left, right), strict=True):
            here = mark.lower() == self._side
            name = cut(visible(side.name), max(4, room - 5), glyphs.ellipsis)
            words = (
                glyphs.ui(f" {mark} ", "title" if here else "dim", f"side_of({mark.lower()!r})"),
                Span(name, "bold"),
            )
            names.append(spread(words, (), room + 1 if mark == "A" else room))
        head: Line = (*names[0], glyphs.ui("  "), *names[1])
        lines = [head]
        if rows is not None:
            summary = cut(glyphs.own(f" {summary_short(rows.comparison)}"), width, glyphs.ellipsis)
            lines.append((Span(summary, "good" if rows.comparison.same else "warning"),))
        self.query_one("#top", Lines).show([*lines, glyphs.rule("", width)])
        self._list.forget()
        self._show_keys(width)

    def _show_keys(self, width: int) -> None:
        glyphs, rows = self.glyphs, self._rows
        note = self._note
        if not note and rows is not None and rows.differences:
            note = f"difference {max(1, rows.number(self._list.cursor)):,} of {rows.differences:,}"
        if self._words and rows is not None:
            note = " · ".join(filter(None, (visible(self._words), f"{count_text(len(rows), 'row')} (esc)", note)))
        hints: list[Hint] = [
            ("]", "next difference", "difference(1)"), ("enter", "open both", "open_both"),
            ("|", self._columns_hint, "columns"), ("h l", "A or B", "side(0)"), ("/", "find", "search"),
            ("&", "filter", "filter"), ("p", "exact bytes", "bytes"), ("O", "unfold all", "fold_all"),
            ("?", "all keys", "help"), ("q", "back", "leave"),
        ]  # fmt: skip
        if rows is None or not rows.differences:
            hints = hints[-2:]
        self.query_one("#bottom", Lines).show([glyphs.rule(note, width), hint_line(glyphs, hints, width)])

    @property
    def _columns_hint(self) -> str:
        return "one column" if self._two else "two columns"

    def _say(self, note: str) -> None:
        self._note = note
        if self.size.width:
            self._show_keys(self.size.width)

    _hit_note = ""
    """What is said of the match to which the cursor has just gone."""

    def on_row_list_moved(self) -> None:
        self._say(self._hit_note)
        self._hit_note = ""

    def on_row_list_chosen(self) -> None:
        self.action_open_both()

    # keys

    def action_move(self, by: int) -> None:
        self._list.move(by)

    def action_half(self, by: int) -> None:
        self._list.move(by * max(1, self._list.size.height // 2))

    def action_page(self, by: int) -> None:
        self._list.move(by, pages=True)

    def action_edge(self, by: int) -> None:
        self._list.move_to(0 if by < 0 else self._list.count - 1)

    def action_difference(self, by: int) -> None:
        if self._rows is None:
            return
        row = self._rows.next(self._list.cursor, by)
        if row is None:
            self._say(f"this is the {'last' if by > 0 else 'first'} difference" if self._rows.differences else "")
        else:
            self._list.move_to(row)

    def action_side(self, by: int) -> None:
        """To the left, to the right, or to the other one."""
        self.action_side_of({-1: "a", 1: "b"}.get(by, "b" if self._side == "a" else "a"))

    def action_side_of(self, side: str) -> None:
        self._side = side
        self._draw()

    def action_columns(self) -> None:
        self._columns = not self._two
        self._draw()

    def action_fold_all(self) -> None:
        rows = self._rows
        if isinstance(rows, ChosenRows):
            self._say("esc shows all rows first")
        elif rows is not None:
            same = [place for place, part in enumerate(rows.comparison.parts) if part.kind == "same"]
            self._unfold([] if rows.unfolded else same)

    def _unfold(self, places: list[int]) -> None:
        """Show the steps of these parts; the cursor stays on its part."""
        assert isinstance(self._rows, ComparisonRows)
        here = self._rows[self._list.cursor].part if len(self._rows) else 0
        within = self._list.cursor - self._rows.row_of(here)
        self._rows = ComparisonRows(self._rows.comparison, places)
        self._list.show(len(self._rows), self._rows.row_of(here) + (within if here not in places else 0))
        self._draw()

    def action_open_both(self) -> None:
        """Both sides of the row; what is the same is unfolded first."""
        rows = self._rows
        if rows is None or not len(rows):
            return
        row = rows[self._list.cursor]
        if row.a is None and row.b is None:
            if row.across is None:
                self._unfold([*rows.unfolded, row.part])
            return
        found, part = rows.comparison, rows.comparison.parts[row.part]
        pages: list[ViewerPage] = []
        a, b, carets = row.a, row.b, self.tool.carets
        start = 0
        for mark, history, step in (("A", found.a, a), ("B", found.b, b)):
            if step is not None:
                start = len(pages) if self._side == mark.lower() else start
                pages += _pages(mark, history, step, carets)
        if a is not None and b is not None and part.kind == "differs":
            differs = partial(difference_parts, found, part, a, b)
            pages.insert(0, ViewerPage("what differs", lambda glyphs: DiffBody(glyphs, differs, _DIGITS, carets)))
            start = 0
        name = a.name if a is not None else b.name if b is not None else ""
        self.open(ViewerScreen(visible(name), pages, start))

    def action_bytes(self) -> None:
        """The records of both sides, byte by byte."""
        rows = self._rows
        row = rows[self._list.cursor] if rows is not None and len(rows) else None
        if rows is None or row is None or (row.a is None and row.b is None):
            self._say("enter shows what is here; p the records of one row")
            return
        changes = changes_of(rows.comparison, row)
        if not changes:
            self._say("both records have the same bytes, or stand in the session that this one continues")
            return
        noun = "line" if rows.comparison.a.conversation.document.kind == "lines" else "message"
        name = next(step.name for step in (row.a, row.b) if step is not None)
        pages = change_pages(lambda: changes, noun, self.tool.carets)
        self.open(ViewerScreen(f"Exact bytes, A and B: {visible(name)}", pages))

    # search and filter

    def _search(self, test: Test, then: Callable[[ComparisonRows, list[int]], None]) -> None:
        """Look at every row in a thread."""
        if self._searching is not None:
            self._searching.stop()
        rows = self._rows
        assert rows is not None
        every = unfolded(rows.comparison)

        def work(aside: Aside) -> None:
            try:
                hits = matching(every, test, GivingWay(aside, self.tool.last_key))
            except Stopped:
                return
            aside.run_in_ui(lambda: then(every, hits))

        self._searching = self.in_thread(work, "search", self._failed)

    def action_filter(self) -> None:
        """Show only the steps that match."""
        rows = self._rows
        if rows is None:
            return
        found = rows.comparison

        def wrong(words: str) -> str:
            try:
                filter_test(found, words)
            except ValueError as error:
                return str(error)
            return ""

        def given(words: str | None) -> None:
            if words is None:
                return
            if not words.strip():
                self._clear_filter()
                return
            self._say("filtering …")
            self._search(filter_test(found, words), partial(self._take_filter, words.strip()))

        tools = {step.name for history in (found.a, found.b) for step in history.steps[:_NAMED] if step.pair >= 0}
        self.ask(FilterPrompt(self._words, wrong, sorted(tools), 0, TERMS), given)

    def _take_filter(self, words: str, every: ComparisonRows, hits: list[int]) -> None:
        if not hits:
            self._say(f"no row matches {visible(words)}")
            return
        self._words, self._note = words, ""
        self._rows = ChosenRows(every, hits)
        self._list.show(len(self._rows), self._rows.next(-1, 1) or 0)
        self._draw()

    def _clear_filter(self) -> None:
        """Show all rows again, with the cursor where it was."""
        rows = self._rows
        self._words = self._note = ""
        if isinstance(rows, ChosenRows):
            part = rows[self._list.cursor].part
            self._rows = ComparisonRows(rows.comparison)
            self._list.show(len(self._rows), self._rows.row_of(part))
        self._draw()

    def action_back(self) -> None:
        if self._words:
            self._clear_filter()
        elif self._query:
            self._query, self._hits = "", []
            self._list.refresh()
            self._say("")
        else:
            super().action_back()

    def action_search(self) -> None:
        """Find what is typed as it is typed."""
        rows = self._rows
        if rows is None:
            return
        cursor, before = self._list.cursor, self._query

        def typed(words: str) -> None:
            self._query, self._hits = words, []
            self._list.refresh()
            if words:
                self._search(text_test(rows.comparison, words), partial(self._take_hits, prompt))
            else:
                prompt.note(_FIND)

        def given(words: str | None) -> None:
            if words is None:
                if self._searching is not None:
                    self._searching.stop()
                self._query, self._hits, self._rows = before, [], rows
                self._note = self._hit_note = ""
                self._list.show(len(rows), cursor)
                self._draw()
            elif words and (words != self._query or not self._hits):
                self._query = words
                self._search(text_test(rows.comparison, words), partial(self._take_hits, None))

        prompt = FindPrompt(self._query, typed, _FIND)
        self.ask(prompt, given)

    def _take_hits(self, prompt: FindPrompt | None, every: ComparisonRows, hits: list[int]) -> None:
        self._hits = [(every[n].part, n - every.row_of(every[n].part)) for n in hits]
        if isinstance(self._rows, ChosenRows):
            shown = set(self._rows.chosen)
            self._hits = [hit for n, hit in zip(hits, self._hits, strict=True) if n in shown]
        here = self._place
        self._go_to(next((n for n, hit in enumerate(self._hits) if hit >= here), 0))
        if prompt is not None and prompt.is_on:
            prompt.note(self._note)

    @property
    def _place(self) -> tuple[int, int]:
        """Where the cursor is: its part, and its place in it."""
        rows, cursor = self._rows, self._list.cursor
        if rows is None or not len(rows):
            return 0, 0
        part = rows[cursor].part
        if isinstance(rows, ChosenRows):
            every = unfolded(rows.comparison)
            return part, rows.chosen[cursor] - every.row_of(part)
        return part, cursor - rows.row_of(part)

    def action_hit(self, by: int) -> None:
        if not self._query:
            self._say("/ finds something first")
            return
        here, hits = self._place, self._hits
        if not hits:
            self._say(f"not found: {visible(self._query)}")
        elif by > 0:
            self._go_to(next((n for n, hit in enumerate(hits) if hit > here), 0))
        else:
            self._go_to(next((n for n in range(len(hits) - 1, -1, -1) if hits[n] < here), len(hits) - 1))

    def _go_to(self, number: int) -> None:
        """Go to a match; what hides it is unfolded."""
        rows = self._rows
        assert rows is not None
        if not self._hits:
            self._say(f"not found: {visible(self._query)}")
            return
        part, within = self._hits[number]
        if isinstance(rows, ChosenRows):
            every = unfolded(rows.comparison)
            self._list.move_to(bisect_left(rows.chosen, every.row_of(part) + within))
        else:
            if rows.comparison.parts[part].kind == "same" and part not in rows.unfolded:
                rows = self._rows = ComparisonRows(rows.comparison, [*rows.unfolded, part])
                self._list.show(len(rows), self._list.cursor)
            self._list.move_to(rows.row_of(part) + within)
        self._hit_note = f"match {number + 1:,} of {len(self._hits):,}"
        self._say(self._hit_note)


def _pages(mark: str, history: History, step: Step, carets: bool) -> list[ViewerPage]:
    """Call and result of a step, or what it says."""
    pair = history.pair_of(step)
    if pair is None:
        return [text_page(mark, lambda: history.block_of(step).text)]
    _, pages = pages_of(history.conversation, PairRow("pair", pair=pair, result=pair.result), None, "record", carets)
    return [replace(page, title=f"{mark} {page.title}") for page in pages if page.record_of is None]
