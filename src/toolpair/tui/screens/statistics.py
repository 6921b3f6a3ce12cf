"""A session in numbers. Each of them leads to its pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from toolpair.history.statistics import NO_NAME, Statistics, ToolNumbers, statistics_of
from toolpair.reports.reading.call_line import call_line
from toolpair.tui.aside import Aside
from toolpair.tui.keys import APP, STATISTICS
from toolpair.tui.screens.base_screen import BaseScreen, Hint, hint_line
from toolpair.tui.searching import GivingWay
from toolpair.tui.statistics_text import (
    BY_OUTPUT,
    COLUMNS,
    as_csv,
    head_line,
    most_of,
    name_cells,
    output_line,
    share_lines,
    title_line,
    tool_line,
)
from toolpair.tui.widgets.line_list import LineList, NumberList
from toolpair.tui.widgets.text_block import Lines
from toolpair.tui.work import Stopped, failure

if TYPE_CHECKING:
    from toolpair.session.session import Conversation

Wanted = tuple[str, str | int]
"""What to show: ("tool", its name) or ("pair", its number)."""
_TOOLS: Final = 500
_SUMMARY: Final = 200


class StatisticsScreen(BaseScreen[Wanted | None]):
    """Returns what to show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *APP.bindings(),
        *STATISTICS.bindings(),
        Binding("enter", "choose", "show", show=False),
    ]
    DEFAULT_CSS = """
    StatisticsScreen #tools { height: auto; min-height: 1; max-height: 45%; }
    StatisticsScreen #largest { height: 1fr; }
    """

    def __init__(self, conversation: Conversation, name: str) -> None:
        super().__init__()
        self._conversation = conversation
        self._about = name
        self._found: Statistics | None = None
        self._tools: list[ToolNumbers] = []
        self._summaries: Sequence[str] = ()
        self._done = False
        self._sorted_by = BY_OUTPUT

    def build(self) -> ComposeResult:
        yield Lines(id="top")
        yield NumberList(self.glyphs, id="tools")
        yield Lines(id="middle")
        yield NumberList(self.glyphs, id="largest")
        yield Lines(id="bottom")

    def on_mount(self) -> None:
        self._list("tools").focus()
        # Only once the screen is drawn, which the thread would hold up.
        self.after_refresh(partial(self.in_thread, self._read, "search", self._failed))

    def _list(self, name: str) -> LineList:
        return self.query_one(f"#{name}", LineList)

    # in a thread

    def _read(self, aside: Aside) -> None:
        way = GivingWay(aside, self.tool.last_key)

        def on_progress(result: Callable[[], Statistics], messages: int) -> None:
            if way():
                found = result()
                aside.run_in_ui(lambda: self._take(found, (), False))

        try:
            found = statistics_of(self._conversation, on_progress)
            summaries = []
            folder = self._conversation.transcript.folder
            for output in found.largest:
                way()
                call = self._conversation.pairs[output.pair].call
                summaries.append(call_line(call, folder)[1][:_SUMMARY] if call is not None else "")
        except Stopped:
            return
        aside.run_in_ui(lambda: self._take(found, summaries, True))

    def _failed(self, error: Exception) -> None:
        self.say(failure(error))

    def _take(self, found: Statistics, summaries: Sequence[str], done: bool) -> None:
        self._found, self._summaries, self._done = found, summaries, done
        self.draw()

    # drawing

    def lay_out(self, width: int, height: int) -> None:
        glyphs, found = self.glyphs, self._found
        head = head_line(glyphs, self._about, found, self._done, width)
        names = name_cells(found.tools[:_TOOLS] if found is not None else (), width - 2)
        titles = title_line(glyphs, self._sorted_by, names, width - 2)
        self.query_one("#top", Lines).show([head, (glyphs.ui(" "), *titles)])
        tools, largest = self._list("tools"), self._list("largest")
        if found is None:
            tools.show([])
            self.query_one("#middle", Lines).show([])
            largest.show([])
        else:
            here = self._tools[tools.cursor].name if tools.cursor < len(self._tools) else None
            key = COLUMNS[self._sorted_by].key
            self._tools = sorted(found.tools, key=lambda tool: (*key(tool), tool.name))[:_TOOLS]
            most = most_of(self._tools)
            shown = [tool.name for tool in self._tools]
            cursor = shown.index(here) if here in shown else 0
            entries = [[tool_line(glyphs, tool, most, names, width - 2)] for tool in self._tools]
            tools.styles.height = max(1, min(len(entries), height * 45 // 100))
            tools.show(entries, cursor)
            middle = share_lines(glyphs, found, width)
            self.query_one("#middle", Lines).show([*middle, glyphs.rule("largest outputs", width)])
            summaries = [*self._summaries, *[""] * (len(found.largest) - len(self._summaries))]
            rows = enumerate(zip(found.largest, summaries, strict=True), 1)
            largest.show([[output_line(glyphs, n, one, summary, width - 2)] for n, (one, summary) in rows])
        self._hints(width)

    def _hints(self, width: int) -> None:
        glyphs = self.glyphs
        tools = self._list("tools").has_focus
        hints: list[Hint] = [
            ("enter", "show only these" if tools else "go there", "choose"),
            ("tab", "largest outputs" if tools else "tools", "app.focus_next"),
            ("h l", "sort", "sort(1)"), ("y", "copy as CSV", "csv"), ("?", "all keys", "help"), ("q", "back", "leave"),
        ]  # fmt: skip
        note = [glyphs.rule(self.note, width)]
        self.query_one("#bottom", Lines).show([*note, hint_line(glyphs, hints, width)])

    def on_descendant_focus(self) -> None:
        if self.size.width:
            self._hints(self.size.width)

    # keys

    def action_sort(self, by: int) -> None:
        self.action_sort_by((self._sorted_by + by) % len(COLUMNS))

    def action_sort_by(self, column: int) -> None:
        if column == self._sorted_by or not 0 <= column < len(COLUMNS):
            return
        self._sorted_by = column
        self._tools = []  # the cursor goes to the first
        self.draw()

    def action_csv(self) -> None:
        if self._found is not None:
            self.say(self.tool.copy(as_csv(self._found.tools)))

    def on_line_list_chosen(self) -> None:
        self.action_choose()

    def action_choose(self) -> None:
        if self._found is None:
            return
        tools, largest = self._list("tools"), self._list("largest")
        if largest.has_focus and largest.cursor < len(self._found.largest):
            self.finish(("pair", self._found.largest[largest.cursor].pair))
        elif not largest.has_focus and tools.cursor < len(self._tools):
            name = self._tools[tools.cursor].name
            if name == NO_NAME or name.split() != [name]:
                self.say("a filter cannot name this tool")
            else:
                self.finish(("tool", name))
