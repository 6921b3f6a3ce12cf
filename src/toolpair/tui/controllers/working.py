"""Long work in the background: it shows its progress, escape stops it, and until then nothing else can be changed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from toolpair.source.gc_pause import made_to_stay
from toolpair.tui.aside import Aside
from toolpair.tui.work import LongTask, failure

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Session
    from toolpair.tui.controllers.main_screen import MainScreen

MANY_MESSAGES, MANY_PROBLEMS = 2000, 500
"""With more records, a change is too slow for a key if the whole history is checked again."""
MANY_AT_ONCE = 20
"""This many problems can be fixed within a key's time if only their surroundings are checked again."""
_PAUSE = 0.1
"""Seconds between updates of the progress."""

S = TypeVar("S", bound="MainScreen")
P = ParamSpec("P")


def takes_long(session: Session, problems: int = 1) -> bool:
    """Whether fixing this many problems is too slow for a key."""
    if session.conversation.fixes_are_local:
        return problems > MANY_AT_ONCE
    # What a lost link hides is in the file but not in the transcript; a fix brings it back.
    return len(session.conversation.document.records) > MANY_MESSAGES or len(session.problems) > MANY_PROBLEMS


class CurrentWork:
    """The one long task of a screen, if any."""

    def __init__(self, owner: MainScreen) -> None:
        self._owner = owner
        self._ticker: Timer | None = None
        self.now: LongTask | None = None

    @property
    def busy_reason(self) -> str:
        """Why nothing can be changed right now, in a few words; empty when it can."""
        return f"not yet: still {self.now.what}, esc stops" if self.now is not None else ""

    def on_draft(
        self, what: str, total: int, change: Callable[[Session], object], ended: Callable[[Session], None]
    ) -> None:
        """Change a draft of the session in a thread, then call `ended` with it unless it was stopped.

        What the screen needs is computed before that.
        """
        from toolpair.tui.background_loading import know

        session, work = self._owner.session, LongTask(what, total, lambda done: f"{done:,}")

        def in_thread(aside: Aside) -> None:
            result: Session | Exception
            try:
                result = draft = session.draft(work.on_progress)
                with made_to_stay():
                    change(draft)
                    work.go_on("checking")
                    know(draft)
            except Exception as error:  # reported in the interface's thread
                result = error
            aside.run_in_ui(lambda: take(result))

        def take(result: Session | Exception) -> None:
            if self.now is not work:
                return
            self.forget()
            if isinstance(result, Exception):
                self._owner.say(f"that failed: {failure(result)}")
            else:
                ended(result)

        self._owner.note = ""
        self.follow(work)
        self._owner.in_thread(in_thread, "work")

    def follow(self, work: LongTask) -> None:
        """Show the progress until it is forgotten."""
        self.now = work
        self._ticker = self._owner.every(_PAUSE, self._owner.draw_bar)
        self._owner.draw_bar()

    def forget(self) -> None:
        """It has ended, or nobody waits for it."""
        self.now = None
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def stop(self) -> bool:
        """Returns whether there was anything to stop."""
        if self.now is None:
            return False
        self.now.stopped = True
        self.forget()
        return True


def judging(action: Callable[Concatenate[S, P], Any]) -> Callable[Concatenate[S, P], Any]:
    """Decorates an action that is about what was judged: where the file's form is a guess, it only says so."""

    @functools.wraps(action)
    def when_known(self: S, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        if self.session.format.is_guess:
            self.say(self.session.format.read_only or "")
            return None
        return action(self, *args, **kwargs)

    return when_known


def changing(action: Callable[Concatenate[S, P], Any]) -> Callable[Concatenate[S, P], Any]:
    """Decorates an action that changes the session or what is staged: during long work it only says so."""

    @functools.wraps(action)
    def when_free(self: S, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        return action(self, *args, **kwargs) if self.is_free() else None

    return when_free
