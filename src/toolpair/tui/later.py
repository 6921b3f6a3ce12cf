"""Deferred work: thread results, timers, callbacks after a refresh, answers from dialogs.

Keys are handled meanwhile, so any result may be out of date. This module alone decides that: a result is used if the
screen it is for is still mounted and, if it is about the session, the session is still in the same state. No screen
starts a thread or a timer, or opens another screen, in any other way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast
from weakref import WeakSet

from textual.screen import Screen

from toolpair.tui.aside import Aside
from toolpair.tui.desk import Desk, DeskState

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.tui.application import Application
    from toolpair.tui.bodies.body import Colourable

P = ParamSpec("P")
T = TypeVar("T")
Answer = TypeVar("Answer")


class Ticket:
    """Validity of one deferred call."""

    def __init__(self, screen: LaterOn[Any], of_state: bool) -> None:
        self.screen = screen
        self._state = DeskState.of(screen.desk.session) if of_state and screen.desk is not None else None

    @property
    def is_good(self) -> bool:
        """Whether the result may be used."""
        screen = self.screen
        if not screen.is_on:
            return False
        return self._state is None or (screen.desk is not None and self._state.is_of(screen.desk.session))

    def only(self, what: Callable[P, Any]) -> Callable[P, Any]:
        """`what`, wrapped to do nothing once the ticket is no longer good."""

        def when_due(*args: P.args, **kwargs: P.kwargs) -> Any:
            return what(*args, **kwargs) if self.is_good else None

        return when_due


class LaterOn(Screen[T]):
    """A screen's ways to defer work. `of_state`: it depends on the session's current state."""

    _desk: Desk | None = None
    _finished = False
    _when_on_top: tuple[Callable[[], object], ...] = ()

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name, id, classes)
        self._asides: WeakSet[Aside] = WeakSet()

    def on_unmount(self) -> None:
        for aside in self._asides:
            aside.stop_for(self)

    @property
    def tool(self) -> Application:
        return cast("Application", self.app)

    @property
    def desk(self) -> Desk | None:
        """The session that the screen is about: the one on top when first asked."""
        if self._desk is None:
            self._desk = self.tool.open_sessions.top
        return self._desk

    @property
    def is_on(self) -> bool:
        """Whether the screen still exists, on top or covered. False for all at the end."""
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
        """Run `work` in a background thread, until the screen is closed. `failed` is called with an exception; without
        it, that ends the program.
        """
        aside = Aside(self.app, self.ticket(of_state), work, name, failed or self.app._handle_exception)
        self._asides.add(aside)
        return aside

    def colour(self, asked: Colourable, done: Callable[[bool], None]) -> None:
        """Colour these lines, in a thread. `done` is called with whether there were any colours."""

        def work(aside: Aside) -> None:
            runs = self.tool.colours.runs(asked.file, asked.language, asked.lines)
            aside.run_in_ui(lambda: ended(runs))

        def ended(runs: list[list[tuple[int, int, str]]]) -> None:
            if runs:
                asked.body.coloured(asked, runs)
            done(bool(runs))

        self.in_thread(work, "colours")

    def when_on_top(self, what: Callable[[], object]) -> None:
        """Call it, to open a screen or replace this one, once no other screen covers this one."""
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
        """Open a screen over this one and pass its answer on. `of_state`: the question is about the current state."""
        self.app.push_screen(screen, self.ticket(of_state).only(answered))
