"""The main screen, as far as its controllers may use it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from toolpair.source.gc_pause import keep_all
from toolpair.tui.controllers.main_screen import MainScreen

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Problem
    from toolpair.tui.controllers.row_filter import RowFilter
    from toolpair.tui.controllers.working import CurrentWork
    from toolpair.tui.desk import Desk
    from toolpair.tui.screens.profile_list import Found
    from toolpair.tui.screens.recipe_list import Sketch


Known = TypeVar("Known")

_REST: Final = 0.1
"""Seconds without another step."""


class KnownOf(Generic[Known]):
    """What is known about one thing, as long as it is asked about that one."""

    def __init__(self) -> None:
        self._about: object = None
        self._known: dict[Any, Known] = {}

    def of(self, about: object) -> dict[Any, Known]:
        """It may be filled."""
        if self._about is not about:
            self._about, self._known = about, {}
        return self._known


class Owner(MainScreen):
    """The main screen with the controllers that others use."""

    work: CurrentWork
    row_filter: RowFilter
    _keeping: Timer | None = None

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self.tried: KnownOf[Sketch | Exception] = KnownOf()
        """What each recipe would do to a conversation."""
        self.counted: KnownOf[Found] = KnownOf()
        """What each profile finds in a transcript."""

    def current_problem(self) -> Problem | None:
        """The problem under the cursor; if there is none, say so."""
        problem = self.overview.current
        if problem is None and self.is_whole():
            if any(self.overview.index.levels):
                self.say("no problem here. ] goes to the next one")
            else:
                self.say_no_problem()
        return problem

    def say_no_problem(self) -> None:
        """Say that the session has no problem, or none any more."""
        self.say("no problem is left to fix" if self.session.changed else "there are no problems")

    def show_problem(self, problem: Problem) -> None:
        """Go to the problem's row."""
        self.overview.current = problem
        row = self.overview.row_of(problem)
        if not self.pairs.go_to_row(row):
            self.row_filter.words = ""
            self.pairs.reload()
            self.note = "filter cleared: it hid this problem"
            self.pairs.go_to_row(row)
        self.overview.current = problem
        self.redraw()

    def show_first_problem(self) -> None:
        """Go to the most important problem, if there is one."""
        first = self.overview.first_problem
        if first is not None:
            self.show_problem(first)

    @property
    @abstractmethod
    def is_led(self) -> bool:
        """Whether it goes to a given place as soon as the whole file is read."""

    def reload(self, row: int | None = None) -> None:
        """Reload the session, keeping the cursor on its row, or on `row`."""
        here = self.pairs.row_index if row is None else row
        key = self.overview.current.key if self.overview.current is not None else None
        before = len(self.overview.rows)
        self.overview.reload()
        self.overview.current = self.overview.same(key) if key is not None else None
        self.rows_changed(here or 0, len(self.overview.rows) - before)
        if here is not None:
            self.pairs.go_to_row(min(here, max(0, len(self.overview.rows) - 1)))
        self.redraw()

    def read_again(self, row: int) -> None:
        """Reload after staged fixes have changed at `row`."""
        before = len(self.overview.rows)
        self.overview.reload()
        self.rows_changed(row, len(self.overview.rows) - before)
        # Each step's problems stay, for undo: after many the collector would look at all of them during a key.
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.later(_REST, keep_all)

    def rows_changed(self, row: int, more: int) -> None:
        """The rows from `row` on have changed, and there are `more` of them."""
        self.stop_looking()
        self.row_filter.rows_changed(row, more)

    def show_other_history(self) -> None:
        """Another history of the session is current now: show it from its first row, without a filter."""
        self.overview.current = None
        self.row_filter.words = ""
        self.reload(0)
