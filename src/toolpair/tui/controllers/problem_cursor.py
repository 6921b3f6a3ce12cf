"""Going from problem to problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import Problem
    from toolpair.tui.controllers.main_screen import MainScreen
    from toolpair.tui.controllers.row_filter import RowFilter


class ProblemCursor:
    """The problem under the cursor, and the way to others."""

    def __init__(self, owner: MainScreen, row_filter: RowFilter) -> None:
        self._owner = owner
        self._row_filter = row_filter

    def current(self) -> Problem | None:
        """The problem under the cursor; if there is none, say so."""
        problem = self._owner.overview.current
        if problem is None and self._owner.is_whole():
            self._owner.say("no problem here. ] goes to the next one")
        return problem

    def show(self, problem: Problem) -> None:
        """Go to the problem's row."""
        owner = self._owner
        owner.overview.current = problem
        row = owner.overview.row_of(problem)
        if not owner.pairs.go_to_row(row):
            self._row_filter.words = ""
            owner.pairs.reload()
            owner.note = "filter cleared: it hid this problem"
            owner.pairs.go_to_row(row)
        owner.overview.current = problem
        owner.redraw()

    def show_first(self) -> None:
        """Go to the most important problem, if there is one."""
        first = self._owner.overview.first_problem
        if first is not None:
            self.show(first)

    def go(self, by: int) -> None:
        """To the next one, or the one before."""
        owner = self._owner
        if not owner.is_whole():
            return
        owner.note = ""
        problem, around = owner.overview.after(owner.pairs.row_index or 0, by, owner.overview.current)
        if problem is None:
            owner.say("no problem is left to fix" if owner.session.changed else "there are no problems")
            return
        if around:
            owner.note = "wrapped around"
        self.show(problem)
