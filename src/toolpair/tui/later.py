"""What is done later: told by a thread, due by a timer, after a refresh, or when a dialog has been answered.

Keys go on meanwhile, so whatever comes back may be out of date. Here alone is decided whether it is: it is used while
the screen that it was made for is still on and, where it speaks of the session, while that is still in the state that
it was made for. No screen starts a thread or a timer, or opens another screen, in any other way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from textual.screen import Screen

from toolpair.tui.aside import Aside
from toolpair.tui.desk import Desk, DeskState

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.tui.app import ToolpairApp

P = ParamSpec("P")
T = TypeVar("T")
Answer = TypeVar("Answer")


class Ticket:
    """For one thing that is done later."""

    def __init__(self, screen: LaterOn[Any], of_state: bool) -> None:
        self._screen = screen
        self._state = DeskState.of(screen.desk.session) if of_state and screen.desk is not None else None

    @property
    def is_good(self) -> bool:
        """Whether what comes back may be used."""
        screen = self._screen
        if not screen.is_on:
            return False
        return self._state is None or (screen.desk is not None and self._state.is_of(screen.desk.session))

    def only(self, what: Callable[P, Any]) -> Callable[P, Any]:
        """`what`, which does nothing when the ticket is not good any more."""

        def when_due(*args: P.args, **kwargs: P.kwargs) -> Any:
            return what(*args, **kwargs) if self.is_good else None

        return when_due


class LaterOn(Screen[T]):
    """A screen's ways to have something done later. `of_state`: it is about the session as it is at this moment."""

    _desk: Desk | None = None
    _finished = False
    _when_on_top: tuple[Callable[[], object], ...] = ()

    @property
    def tool(self) -> ToolpairApp:
        return cast("ToolpairApp", self.app)

    @property
    def desk(self) -> Desk | None:
        """The session that the screen is about: the one that was on top when it was first asked."""
        if self._desk is None:
            self._desk = self.tool.desk
        return self._desk

    @property
    def is_on(self) -> bool:
        """Whether the screen is still there, on top or below another one. At the end none is."""
        return not self._finished and not self.tool.typed_ahead.has_ended() and self in self.app.screen_stack

    def ticket(self, of_state: bool = False) -> Ticket:
        return Ticket(self, of_state)

    def later(self, seconds: float, what: Callable[[], Any], of_state: bool = False) -> Timer:
        return self.set_timer(seconds, self.ticket(of_state).only(what))

    def every(self, seconds: float, what: Callable[[], Any]) -> Timer:
        return self.set_interval(seconds, self.ticket().only(what))

    def after_refresh(self, what: Callable[[], Any], of_state: bool = False) -> None:
        self.call_after_refresh(self.ticket(of_state).only(what))

    def in_thread(
        self,
        work: Callable[[Aside], None],
        name: str = "aside",
        failed: Callable[[Exception], None] | None = None,
        of_state: bool = False,
    ) -> Aside:
        """Run `work` beside the keys. `failed` is told what ended it too early; without it that ends the program."""
        return Aside(self.app, self.ticket(of_state), work, name, failed or self.app._handle_exception)

    def when_on_top(self, what: Callable[[], object]) -> None:
        """Do what puts another screen on, or in the place of this one, when no other lies over it."""
        if self.app.screen is self:
            what()
        else:
            self._when_on_top = (*self._when_on_top, what)

    def on_screen_resume(self) -> None:
        waiting, self._when_on_top = self._when_on_top, ()
        for what in waiting:
            if self.is_on:
                self.when_on_top(what)

    def open(self, screen: Screen[Any]) -> None:
        """Open another screen over this one."""
        self.app.push_screen(screen)

    def ask(self, screen: Screen[Answer], answered: Callable[[Answer | None], Any], of_state: bool = False) -> None:
        """Open a screen over this one and hear its answer. `of_state`: it is asked about the session as it is now."""
        self.app.push_screen(screen, self.ticket(of_state).only(answered))
