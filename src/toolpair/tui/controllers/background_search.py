"""A search through the rows in a background thread that can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.tui.searching import RowSearch
from toolpair.tui.work import failure

if TYPE_CHECKING:
    from toolpair.tui.controllers.main_screen import MainScreen


class BackgroundSearch:
    """One search, started at once; `on_found` is called with what it finds until it is stopped."""

    def __init__(self, owner: MainScreen, search: RowSearch, on_found: Callable[[], None]) -> None:
        self.search = search
        self._owner = owner
        self._stopped = False
        self._aside = owner.in_thread(
            lambda aside: search.run(aside, lambda _: None if self._stopped else on_found()),
            "search",
            self._failed,
            of_state=True,
        )

    @property
    def is_running(self) -> bool:
        return not self._stopped and not self.search.done

    def stop(self) -> bool:
        """Returns whether it was still running."""
        running = self.is_running
        self._stopped = True
        self._aside.stop()
        return running

    def _failed(self, error: Exception) -> None:
        """Nothing can be found because the rows cannot be read."""
        self._owner.stop_looking()
        self._owner.say(f"the search failed: {failure(error)}")
