"""The sessions that are open in the interface, one on top of the other, and the screens that show them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from toolpair.tui.desk import Desk

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.application import Application
    from toolpair.tui.aside import Validity
    from toolpair.tui.background_loading import Opener, Opening
    from toolpair.tui.screens.pair_screen import PairScreen
    from toolpair.tui.work import LongTask


class OpenSessions:
    """The session that was opened, with the sub-agents' sessions opened from it on top."""

    def __init__(self, app: Application, session: Session | None, at: str | None) -> None:
        """`at` is where the first one that is shown starts."""
        self._app = app
        self._at = at
        self.desks: list[Desk] = [Desk(session)] if session is not None else []

    @property
    def top(self) -> Desk | None:
        """The session that is looked at."""
        return self.desks[-1] if self.desks else None

    @property
    def unsaved(self) -> bool:
        """Whether quitting now would throw something away: fixes that no file has."""
        return any(desk.unsaved for desk in self.desks)

    def begin(self) -> None:
        """Show the one that the program was started with."""
        from toolpair.tui.screens.pair_screen import PairScreen

        self._app.push_screen(PairScreen(self.desks[-1], self._at))

    def open_file(
        self,
        screen: Opener,
        opening: Opening,
        work: LongTask,
        failed: Callable[[Exception], None],
        keep: int = 0,
    ) -> None:
        """Open a file in the background and show its contents in place of `screen`.

        `failed` is called when nothing is shown yet. `keep` is how many of the open sessions stay below it.
        """
        from toolpair.tui.background_loading import begin

        shown: list[PairScreen] = []

        def type_again() -> None:
            screen.early.hand_over(self._app.typed_ahead)

        def beginning(session: Session) -> Validity | None:
            top: object = self._app.screen
            if top is screen:
                shown.append(self.show(session, keep, opening, work))
                type_again()
                return shown[0].ticket()
            return None

        def show_now(session: Session) -> None:
            self.show(session, keep)
            type_again()

        def whole(session: Session) -> None:
            if shown:
                shown[0].reading.take_whole(session)
            else:
                screen.when_on_top(partial(show_now, session))

        def not_read(error: Exception) -> None:
            if shown:
                shown[0].reading.not_read(error)
            else:
                failed(error)

        begin(screen, opening, work, whole, not_read, beginning)

    def show(
        self, session: Session, keep: int = 0, opening: Opening | None = None, work: LongTask | None = None
    ) -> PairScreen:
        """Show a session on top of `keep` of the open ones. With `opening`, it holds only the beginning of its file."""
        from toolpair.tui.screens.pair_screen import PairScreen

        desk = Desk(session, opening.size if opening is not None else None)
        for closed in self.desks[keep:]:
            closed.close(keep=False)
        self.desks[keep:] = [desk]
        screen = PairScreen(desk, self._at, opening, work)
        self._at = None
        while len(self._app.screen_stack) > keep + 2:
            self._app.pop_screen()
        if len(self._app.screen_stack) == keep + 2:
            self._app.switch_screen(screen)
        else:
            self._app.push_screen(screen)
        return screen

    def go_back(self) -> None:
        """Go back from a sub-agent's session to the one it was opened from."""

        def leave() -> None:
            while len(self._app.screen_stack) > len(self.desks):
                self._app.pop_screen()
            self.desks.pop().close(keep=False)

        self._app.ask_about_unsaved("Back?", "discard them and go back", leave, desks=self.desks[-1:])

    def screen_of(self, desk: Desk) -> PairScreen | None:
        """The main screen that shows the session."""
        from toolpair.tui.screens.pair_screen import PairScreen

        return next(
            (each for each in self._app.screen_stack if isinstance(each, PairScreen) and each.desk is desk), None
        )

    def changed(self, desk: Desk) -> None:
        """Tell its main screen that the session has been replaced."""
        screen = self.screen_of(desk)
        if screen is not None:
            screen.forget_note()
            screen.reload()

    def go_on_with(self, desk: Desk, session: Session) -> None:
        """Show what its file holds now, with nothing applied, in place of the session."""
        desk.go_on_with(session)
        self.changed(desk)

    def keep(self) -> None:
        """Write the journal if unsaved fixes have changed."""
        for desk in self.desks:
            desk.keep()
            problem = desk.keeper.problem if desk.keeper is not None else None
            screen = self.screen_of(desk)
            if problem is not None and screen is not None:
                screen.warn_of_journal(problem)

    def close(self) -> None:
        """Write down what is applied and not saved; nobody works on it any more. Can be called from another thread."""
        for desk in self.desks:
            desk.close(keep=True)

    def back_to(self, number: int) -> None:
        """Close those on top of the one with this number, and the screens over its main screen."""
        while len(self._app.screen_stack) > number + 2:
            self._app.pop_screen()
        for closed in self.desks[number + 1 :]:
            closed.close(keep=False)
        del self.desks[number + 1 :]
