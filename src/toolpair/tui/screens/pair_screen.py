"""The main screen: verdict, pairs, the problem under the cursor, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.binding import BindingType

from toolpair.tui.controllers.applying import redo, review, undo
from toolpair.tui.controllers.clipboard import choose_copy
from toolpair.tui.controllers.comparing import choose_other
from toolpair.tui.controllers.follow import Follower, look_for_neighbours
from toolpair.tui.controllers.goto import ask_where, go_to
from toolpair.tui.controllers.journal_offer import JournalOffer
from toolpair.tui.controllers.many_fixes import choose_recipe, fix_all, fix_cause
from toolpair.tui.controllers.menus import (
    choose_branch,
    choose_conversation,
    choose_original,
    choose_profile,
    choose_theme,
)
from toolpair.tui.controllers.one_fix import choose_fix, fix_one
from toolpair.tui.controllers.reading_on import ReadingOn
from toolpair.tui.controllers.row_filter import ONLY_BROKEN, RowFilter
from toolpair.tui.controllers.text_search import TextSearch
from toolpair.tui.controllers.viewers import view_bytes, view_row, view_sent, view_statistics
from toolpair.tui.controllers.working import CurrentWork, changing, judging
from toolpair.tui.keys import APP, LOOK, PROBLEMS
from toolpair.tui.layout import NARROW
from toolpair.tui.screens.base_screen import is_small
from toolpair.tui.screens.main_view import MainView
from toolpair.tui.work import LongTask

if TYPE_CHECKING:
    from toolpair.tui.background_loading import Opening
    from toolpair.tui.commands import Command
    from toolpair.tui.desk import Desk


class PairScreen(MainView):
    """The layout, the cursor and the keys, which act on the problem under the cursor; controllers do what keys ask."""

    BINDINGS: ClassVar[list[BindingType]] = [*PROBLEMS.bindings(), *LOOK.bindings(), *APP.bindings()]
    DEFAULT_CSS = """
    PairScreen #head { height: auto; }
    PairScreen #lower { height: 8; }
    PairScreen #card, PairScreen #causes { height: 100%; }
    PairScreen #below { width: 100%; }
    PairScreen #causes-title, PairScreen #causes-keys { height: 1; }
    """

    def __init__(
        self,
        desk: Desk,
        at: str | None = None,
        opening: Opening | None = None,
        reading: LongTask | None = None,
        sought: str = "",
    ) -> None:
        """`opening`: of this file the session has but the beginning, while `reading` goes on. `sought` is searched for
        at once.
        """
        super().__init__(desk)
        self.work = CurrentWork(self)
        self.row_filter = RowFilter(self)
        self._search = TextSearch(self)
        self._follower = Follower(self)
        self.journal = JournalOffer(self)
        self._at = at
        self._sought = sought
        self.reading = ReadingOn(self, opening, reading, self._all_is_read)

    def on_mount(self) -> None:
        self.pairs.reload()
        self.pairs.focus()
        first = self.overview.first_problem if self.overview.partial is None else None
        self.overview.current = first
        if first is not None:
            self.pairs.cursor = self.overview.row_of(first)
        if not is_small(*self.app.size):
            self.lay_out(*self.app.size)  # Before Textual does: otherwise the first frame is laid out again.
        self.after_refresh(self._begin)

    def on_unmount(self) -> None:
        self.work.stop()
        self.stop_looking()

    def _begin(self) -> None:
        self.pairs.reveal(centre=True)
        if self.overview.partial is None:
            self._all_is_read()
        else:
            self.reading.begin()

    def _all_is_read(self) -> None:
        at, self._at = self._at, None
        if at:
            go_to(self, at)
        elif self._sought:
            self._search.begin(self._sought)
        look_for_neighbours(self)
        self.journal.begin()

    @property
    def is_led(self) -> bool:
        return bool(self._at)

    @property
    def busy_reason(self) -> str:
        return self.reading.busy_reason or self.work.busy_reason

    # what is shown

    def on_pair_view_moved(self) -> None:
        row = self.pairs.row_index
        current = self.overview.current
        if current is None or row is None or self.overview.row_of(current) != row:
            self.overview.current = self.overview.problem_at(row) if row is not None else None
        self.redraw()

    # the causes

    def on_descendant_focus(self) -> None:
        entry = self.cause if self.in_causes else None
        if entry is not None and not entry.holds(self.overview.current):
            self.show_problem(entry.first)  # so that the card shows what `a` would fix
        else:
            self.redraw()

    def on_line_list_moved(self) -> None:
        """The cursor is on another cause: show one of its problems."""
        entry = self.cause
        if entry is not None:
            self.show_problem(entry.first)

    def action_only_cause(self) -> None:
        """Show only the rows of the cause under the cursor."""
        entry = self.cause
        if entry is not None:
            self.leave_causes()
            self.row_filter.switch(entry.filter_words)

    on_line_list_chosen = action_only_cause

    @judging
    def action_broken(self) -> None:
        """Show only what is broken, or all again."""
        if self.is_whole():
            self.row_filter.switch(ONLY_BROKEN)

    def action_rail(self, cell: int, size: int) -> None:
        """A tick in the scroll bar was clicked."""
        problem = self.pairs.problem_of_tick(cell, size)
        if problem is not None:
            self.show_problem(problem)

    # problems

    @judging
    def action_problem(self, by: int) -> None:
        """Go to the next problem, or the previous one."""
        if not self.is_whole():
            return
        self.note = ""
        problem, around = self.overview.after(self.pairs.row_index or 0, by, self.overview.current)
        if problem is None:
            self.say_no_problem()
            return
        if around:
            self.note = "wrapped around"
        self.show_problem(problem)

    @judging
    @changing
    def action_fix(self) -> None:
        problem = self.current_problem()
        if problem is not None:
            fix_one(self, problem)

    @judging
    @changing
    def action_choose(self) -> None:
        problem = self.current_problem()
        if problem is not None:
            choose_fix(self, problem)

    @judging
    @changing
    def action_fix_cause(self) -> None:
        problem = self.current_problem()
        if problem is None:
            return
        number = self.overview.index.group_number(problem)
        if number is None:
            fix_one(self, problem)
        else:
            fix_cause(self, problem, self.overview.index.groups[number])

    # looking

    def action_read_rest(self) -> None:
        self.reading.read_rest()

    @judging
    def action_bytes(self) -> None:
        problem = self.current_problem()
        if problem is not None:
            view_bytes(self, problem)

    def action_times(self) -> None:
        """Show or hide the times of the rows; kept for all sessions while the program runs."""
        if not self.overview.times.any:
            self.say("this file does not say when its records were written")
            return
        self.tool.shows_times = not self.has_times
        narrow = self.tool.shows_times and self.size.width < NARROW
        self.say(f"times are shown from {NARROW} columns on" if narrow else "")

    def action_search(self) -> None:
        self._search.ask()

    def action_hit(self, by: int) -> None:
        self._search.go(by)

    def action_filter(self) -> None:
        self.row_filter.ask()

    def on_paste(self, event: events.Paste) -> None:
        """A paste here is an error text: offer to go where it points."""
        event.stop()
        if event.text.strip():
            ask_where(self, event.text)

    @changing
    def action_follow(self) -> None:
        self._follower.switch()

    def stop_looking(self) -> bool:
        return any([self._search.stop(), self.row_filter.stop()])

    def action_back(self) -> None:
        """End one layer: long work, a running search, its marks, the filter, the note."""
        if self.work.stop():
            rest = "r reads the rest" if self.overview.partial is not None else "nothing was changed"
            self.say(f"stopped: {rest}")
        elif self.stop_looking():
            self.say("stopped")
        elif self.in_causes:
            self.leave_causes()
        elif self._search.query:
            self._search.clear()
        elif self.row_filter.words:
            self.row_filter.clear()
        else:
            self.say("")

    def action_sessions(self) -> None:
        from toolpair.tui.screens.picker import PickerScreen

        if self.tool.sessions is not None:
            self.open(PickerScreen(self.tool.sessions))

    async def action_leave(self) -> None:
        """Go back from a sub-agent's session to the one it was opened from; from any other, quit."""
        if len(self.tool.open_sessions.desks) > 1:
            self.tool.open_sessions.go_back()
        else:
            await self.app.action_quit()

    def commands(self) -> list[Command]:
        from toolpair.tui.commands import commands_of_main

        return commands_of_main(self.glyphs.keys)

    @changing
    def action_cut(self) -> None:
        from toolpair.tui.controllers.cutting import choose_side

        choose_side(self)

    @judging
    def action_prove(self) -> None:
        from toolpair.tui.controllers.proving import ask_agent

        if self.is_whole():
            ask_agent(self, self.session)

    # keys for which a controller does all

    action_goto = ask_where
    action_open = on_pair_view_opened = on_preview_opened = view_row
    action_sees = judging(view_sent)
    action_statistics = view_statistics
    action_compare = choose_other
    action_yank = choose_copy
    action_theme = choose_theme
    action_fix_all = judging(changing(fix_all))
    action_recipe = judging(changing(choose_recipe))
    action_undo = judging(changing(undo))
    action_redo = judging(changing(redo))
    action_review = judging(changing(review))
    action_profile = judging(changing(choose_profile))
    action_conversation = changing(choose_conversation)
    action_branches = changing(choose_branch)
    action_restore = judging(changing(choose_original))
