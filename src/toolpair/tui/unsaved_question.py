"""The question before fixes that no file has are thrown away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from toolpair.tui.desk import Desk
from toolpair.tui.numbers import count_text
from toolpair.tui.screens.base_screen import BaseScreen

if TYPE_CHECKING:
    from toolpair.tui.application import Application
    from toolpair.tui.open_sessions import OpenSessions


class UnsavedQuestion:
    """Asks it, once, and leads to the review."""

    def __init__(self, app: Application, sessions: OpenSessions) -> None:
        self._app = app
        self._sessions = sessions
        self._asked: tuple[str, BaseScreen[Any]] | None = None
        """The last one."""

    def ask(
        self,
        title: str,
        discard: str,
        leave: Callable[[], None],
        desks: Sequence[Desk] | None = None,
    ) -> None:
        """Call `leave`; if that would lose fixes that are in no file, ask first, once."""
        from toolpair.tui.screens.confirm import ConfirmScreen

        screen = self._app.screen
        if self._asked == (title, screen):
            return
        fixes = sum(desk.unsaved_fixes for desk in (self._sessions.desks if desks is None else desks))
        if not fixes or not isinstance(screen, BaseScreen):
            leave()
            return

        def answered(answer: str | None) -> None:
            if answer == "discard":
                leave()
            elif answer == "save":
                self.review()

        words = f"{count_text(fixes, 'fix')} {'is' if fixes == 1 else 'are'} applied but not saved."
        question = ConfirmScreen(title, words, [("w", "save", "review and save"), ("d", "discard", discard)])
        self._asked = title, question
        screen.ask(question, answered)

    def review(self) -> None:
        """Go back to the last session with unsaved fixes, and open its review."""
        from toolpair.tui.screens.pair_screen import PairScreen

        sessions = self._sessions
        number = max((n for n, desk in enumerate(sessions.desks) if desk.unsaved), default=None)
        if number is None:
            return
        sessions.back_to(number)
        if isinstance(self._app.screen, PairScreen):
            self._app.screen.action_review()
