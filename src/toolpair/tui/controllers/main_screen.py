"""What the main screen shows and does by itself, without the controllers that it owns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from textual.geometry import Size
    from textual.screen import Screen
    from textual.timer import Timer

    from toolpair.session.session import Session
    from toolpair.tui.application import Application
    from toolpair.tui.aside import Aside
    from toolpair.tui.desk import Desk
    from toolpair.tui.overview import Overview
    from toolpair.tui.styled_text import Glyphs
    from toolpair.tui.widgets.pair_view import PairView

Answer = TypeVar("Answer")


class Asks(Protocol):
    """A screen that can open others."""

    @property
    def tool(self) -> Application: ...

    def ask(self, screen: Screen[Answer], answered: Callable[[Answer | None], Any], of_state: bool = False) -> None:
        """Open a screen over this one and pass its answer on."""

    def open(self, screen: Screen[Any]) -> None:
        """Open a screen over this one."""

    def when_on_top(self, what: Callable[[], object]) -> None:
        """Call it when no other screen covers this one."""


class MainScreen(Asks, Protocol):
    """Shows a session."""

    note: str
    """The line above the keys, until something else happens."""
    overview: Overview

    @property
    def session(self) -> Session: ...

    @property
    def desk(self) -> Desk: ...

    @property
    def pairs(self) -> PairView: ...

    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def size(self) -> Size: ...

    @property
    def busy_reason(self) -> str:
        """Why nothing can be changed right now, in a few words; empty when it can."""

    @property
    def is_led(self) -> bool:
        """Whether it goes to a certain place as soon as all is read."""

    @property
    def is_on_top(self) -> bool:
        """Whether no other screen covers it."""

    # what it shows

    def say(self, note: str) -> None:
        """Show this line above the keys."""

    def redraw(self) -> None:
        """Draw everything but the list, which draws itself."""

    def draw_bar(self) -> None:
        """Show the progress of the work."""

    def reload(self, row: int | None = None) -> None:
        """Reload the session, keeping the cursor on its row, or on `row`."""

    def read_again(self, row: int) -> None:
        """Reload after staged fixes have changed at `row`."""

    def show_other_history(self) -> None:
        """Another history of the session is current now: show it from its first row, without a filter."""

    def rows_changed(self, row: int, more: int) -> None:
        """Rows are others from `row` on, and there are `more` of them."""

    def stop_looking(self) -> bool:
        """Stop searching and filtering. Returns whether either was still running."""

    # deferred calls

    def later(self, seconds: float, what: Callable[[], Any], of_state: bool = False) -> Timer: ...

    def every(self, seconds: float, what: Callable[[], Any]) -> Timer: ...

    def in_thread(
        self,
        work: Callable[[Aside], None],
        name: str = "aside",
        failed: Callable[[Exception], None] | None = None,
        of_state: bool = False,
    ) -> Aside: ...
