"""The interface of the main screen that its controllers may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toolpair.tui.controllers.main_screen import MainScreen

if TYPE_CHECKING:
    from toolpair.tui.controllers.problem_cursor import ProblemCursor
    from toolpair.tui.controllers.row_filter import RowFilter
    from toolpair.tui.controllers.working import CurrentWork


class Owner(MainScreen, Protocol):
    """The main screen with the controllers that others use."""

    work: CurrentWork
    row_filter: RowFilter
    problems: ProblemCursor
