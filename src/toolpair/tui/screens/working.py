"""Long work beside the keys: it shows how far it is, escape ends it, and until then nothing else is changed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from toolpair.tui.aside import Aside
from toolpair.tui.screens.base import BaseScreen
from toolpair.tui.work import Work, failure

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.session import Session

MANY_MESSAGES, MANY_PROBLEMS = 2000, 500
"""With more of them a change takes longer than a key may, where the whole history is judged again."""
MANY_AT_ONCE = 20
"""So many problems are mended in a key's time where only what is around each is judged again."""
_PAUSE = 0.1
"""Seconds between two looks at how far the work is."""

R = TypeVar("R")
P = ParamSpec("P")
S = TypeVar("S", bound="WorkingScreen")


def takes_long(session: Session, problems: int = 1) -> bool:
    """Whether mending so many problems takes longer than a key may."""
    if session.conversation.in_stretches:
        return problems > MANY_AT_ONCE
    # What a lost link hides is in the file and not in the transcript: a fix brings it back.
    return len(session.document.records) > MANY_MESSAGES or len(session.problems) > MANY_PROBLEMS


class WorkingScreen(BaseScreen[None]):
    """A screen on which one piece of work at a time may go on."""

    _work: Work | None = None
    _ticker: Timer | None = None

    def say(self, note: str) -> None:
        raise NotImplementedError

    def draw_bar(self) -> None:
        """Show how far `_work` is."""
        raise NotImplementedError

    @property
    def held_up(self) -> str:
        """Why nothing can be changed just now, in a few words; empty when it can."""
        return f"not yet: still {self._work.what}, esc stops" if self._work is not None else ""

    def beside(self, work: Work, run: Callable[[Work], R], ended: Callable[[R], None]) -> None:
        """Run it in a thread, and `ended` with what it gives back in the interface's own, unless it was stopped."""
        self.follow_work(work)

        def in_thread(aside: Aside) -> None:
            result: R | Exception
            try:
                result = run(work)
            except Exception as error:  # told in the interface's own thread
                result = error
            aside.tell(lambda: self._work_ended(work, result, ended))

        self.in_thread(in_thread, "work")

    def follow_work(self, work: Work) -> None:
        """Show how far it is until it is forgotten."""
        self._work = work
        self._ticker = self.every(_PAUSE, self.draw_bar)
        self.draw_bar()

    def _work_ended(self, work: Work, result: R | Exception, ended: Callable[[R], None]) -> None:
        if self._work is not work:
            return
        self._forget_work()
        if isinstance(result, Exception):
            self.say(f"that failed: {failure(result)}")
        else:
            ended(result)

    def _forget_work(self) -> None:
        self._work = None
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def stop_work(self) -> bool:
        """True when there was something to stop."""
        if self._work is None:
            return False
        self._work.stopped = True
        self._forget_work()
        return True


def changing(action: Callable[Concatenate[S, P], Any]) -> Callable[Concatenate[S, P], Any]:
    """An action that changes the session, or what is staged on it: while work goes on it only says so."""

    @functools.wraps(action)
    def when_free(self: S, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        if self.held_up:
            self.say(self.held_up)
            return None
        return action(self, *args, **kwargs)

    return when_free
