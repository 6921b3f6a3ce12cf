"""The sessions that are open in the interface, one on top of the other, and the screens that show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from toolpair.tui.application import Opened
from toolpair.tui.desk import Desk
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import BaseScreen

if TYPE_CHECKING:
    from toolpair.session.session import Session
    from toolpair.tui.application import Application
    from toolpair.tui.aside import Validity
    from toolpair.tui.background_loading import Opener, Opening
    from toolpair.tui.screens.pair_screen import PairScreen
    from toolpair.tui.work import LongTask


class OpenSessions(Opened):
    """The session that was opened, with the sub-agents' sessions opened from it on top."""

    def __init__(self, app: Application, session: Session | None, at: str | None) -> None:
        """`at` is where the first one that is shown starts."""
        super().__init__()
        self._app = app
        self._at = at
        if session is not None:
            self.desks.append(Desk(session))
        self._asked: tuple[str, BaseScreen[Any]] | None = None
        """The last question about unsaved fixes."""

    def begin(self) -> None:
        """Show the one that the program was started with."""
        from toolpair.tui.screens.pair_screen import PairScreen

        self._app.push_screen(PairScreen(self.desks[-1], self._at))

    def open_file(
        self, screen: Opener, opening: Opening, work: LongTask, failed: Callable[[Exception], None], keep: int = 0
    ) -> None:
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
        self._close_above(keep)
        self.desks.append(desk)
        screen = PairScreen(desk, self._at, opening, work, self.sought)
        self._at, self.sought = None, ""
        self._pop_to(keep + 2)
        if len(self._app.screen_stack) == keep + 2:
            self._app.switch_screen(screen)
        else:
            self._app.push_screen(screen)
        return screen

    def go_back(self) -> None:
        def leave() -> None:
            self._pop_to(len(self.desks))
            self._close_above(len(self.desks) - 1)

        self.ask_about_unsaved("Back?", "discard them and go back", leave, desks=self.desks[-1:])

    def screen_of(self, desk: Desk) -> PairScreen | None:
        """The main screen that shows the session."""
        from toolpair.tui.screens.pair_screen import PairScreen

        return next(
            (each for each in self._app.screen_stack if isinstance(each, PairScreen) and each.desk is desk), None
        )

    def changed(self, desk: Desk) -> None:
        screen = self.screen_of(desk)
        if screen is not None:
            screen.note = ""
            screen.reload()

    def keep(self) -> None:
        """Write the journal if unsaved fixes have changed."""
        for desk in self.desks:
            desk.keep()
            problem = desk.keeper.problem if desk.keeper is not None else None
            screen = self.screen_of(desk)
            if problem is not None and screen is not None:
                screen.journal.warn(problem)

    def close(self) -> None:
        """Write down what is applied and not saved; nobody works on it any more. Can be called from another thread."""
        for desk in self.desks:
            desk.close(keep=True)

    def _pop_to(self, screens: int) -> None:
        while len(self._app.screen_stack) > screens:
            self._app.pop_screen()

    def _close_above(self, keep: int) -> None:
        for closed in self.desks[keep:]:
            closed.close(keep=False)
        del self.desks[keep:]

    def ask_about_unsaved(
        self, title: str, discard: str, leave: Callable[[], None], desks: Sequence[Desk] | None = None
    ) -> None:
        from toolpair.tui.screens.confirm import ConfirmScreen

        screen = self._app.screen
        if self._asked == (title, screen):
            return
        fixes = sum(desk.unsaved_fixes for desk in (self.desks if desks is None else desks))
        if not fixes or not isinstance(screen, BaseScreen):
            leave()
            return

        def answered(answer: str | None) -> None:
            if answer == "discard":
                leave()
            elif answer == "review":
                self._review_unsaved()

        words = f"{count_text(fixes, 'fix')} {'is' if fixes == 1 else 'are'} applied but not saved."
        question = ConfirmScreen(title, words, [("w", "review", "review and save"), ("D", "discard", discard)])
        self._asked = title, question
        screen.ask(question, answered)

    def _review_unsaved(self) -> None:
        """Go back to the last session with unsaved fixes, and open its review."""
        from toolpair.tui.screens.pair_screen import PairScreen

        number = max((n for n, desk in enumerate(self.desks) if desk.unsaved), default=None)
        if number is None:
            return
        self._pop_to(number + 2)
        self._close_above(number + 1)
        if isinstance(self._app.screen, PairScreen):
            self._app.screen.action_review()
