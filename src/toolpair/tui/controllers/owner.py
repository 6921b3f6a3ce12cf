"""The main screen, as far as its controllers may use it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from toolpair.tui.controllers.main_screen import MainScreen

if TYPE_CHECKING:
    from toolpair.tui.controllers.problem_cursor import ProblemCursor
    from toolpair.tui.controllers.row_filter import RowFilter
    from toolpair.tui.controllers.working import CurrentWork


class Owner(MainScreen):
    """The main screen with the controllers that others use."""

    work: CurrentWork
    row_filter: RowFilter
    problems: ProblemCursor

    @property
    @abstractmethod
    def is_led(self) -> bool:
        """Whether it goes to a certain place as soon as all is read."""

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

    def rows_changed(self, row: int, more: int) -> None:
        """Rows are others from `row` on, and there are `more` of them."""
        self.stop_looking()
        self.row_filter.rows_changed(row, more)

    def show_other_history(self) -> None:
        """Another history of the session is current now: show it from its first row, without a filter."""
        self.overview.current = None
        self.row_filter.words = ""
        self.reload(0)
