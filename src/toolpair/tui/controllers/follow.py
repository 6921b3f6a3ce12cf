"""What becomes of the file meanwhile: other processes that work with it, and records that its agent appends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from toolpair.session.session import SessionError
from toolpair.text.safe import visible
from toolpair.tui.aside import Aside
from toolpair.tui.desk import DeskState
from toolpair.tui.numbers import count_text

if TYPE_CHECKING:
    from textual.timer import Timer

    from toolpair.session.following import News
    from toolpair.tui.aside import Aside
    from toolpair.tui.controllers.owner import Owner

FIRST_LOOK = 0.01
"""Seconds until the first check: Textual fails on a timer of zero."""
FOLLOW_EVERY = 1.0
"""Minimum seconds between two checks."""


class Follower:
    """While on, checks the file from time to time."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._timer: Timer | None = None
        self._dropped = ""
        """The staged fixes that no longer applied, until something else is staged."""

    def switch(self) -> None:
        """Turn following on or off."""
        owner = self._owner
        if self._timer is not None:
            self._stop("stopped following")
            return
        if owner.session.path is None:
            source = "what a store held" if owner.session.file.snapshot.only_read else "standard input"
            owner.say(f"this was read from {source}, so there is nothing to follow")
            return
        # While the file grows, a call at its end is still running: its row says so.
        owner.overview.followed = True
        owner.pairs.forget()
        owner.say("following the file: new pairs appear at the end, F stops")
        self._timer = owner.later(FIRST_LOOK, self._look)

    def _stop(self, note: str) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._owner.overview.followed = False
        self._dropped = ""
        self._owner.say(note)

    def _look(self) -> None:
        """Check in a thread, unless another screen shows what is staged."""
        owner, timer, begin = self._owner, self._timer, time.monotonic()
        if owner.busy_reason or not owner.is_on_top:
            self._look_later(begin)
            return
        state = DeskState.of(owner.session)

        def check(aside: Aside) -> None:
            found: News | SessionError | None
            try:
                found = state.session.news()
            except SessionError as error:
                found = error
            aside.run_in_ui(lambda: taken(found))

        def taken(found: News | SessionError | None) -> None:
            if self._timer is not timer or owner.busy_reason or not owner.is_on_top or not state.is_of(owner.session):
                state.session.forget_news()
            elif isinstance(found, SessionError):
                self._stop(f"stopped following: {found}")
            elif found is not None:
                self._take_over(found)
            if self._timer is timer:
                self._look_later(begin)

        owner.in_thread(check)

    def _look_later(self, begin: float) -> None:
        """After a pause that leaves most of the time for keys."""
        if self._timer is not None:
            self._timer = self._owner.later(max(FOLLOW_EVERY, 5 * (time.monotonic() - begin)), self._look)

    def _take_over(self, news: News) -> None:
        """Show what was appended since the last check."""
        owner, pairs = self._owner, self._owner.pairs
        at_end = pairs.cursor >= len(pairs.shown) - 1
        try:
            followed = owner.session.follow(news)
        except SessionError as error:
            self._stop(f"stopped following: {error}")
            return
        if followed is None:
            return
        if followed.dropped:
            owner.overview.forget_marks()
            count = len(followed.dropped)
            reasons = "; ".join(dict.fromkeys(one.reason for one in followed.dropped))
            self._dropped = f"{count_text(count, 'fix')} no longer {'applies' if count == 1 else 'apply'}: {reasons}."
        elif owner.session.staged:
            self._dropped = ""
        owner.reload()
        if at_end and followed.change == "grown" and not owner.row_filter.words:
            pairs.go_to_row(max(0, len(owner.overview.rows) - 1))
        if followed.change == "gone":
            self._stop(followed.text)
        else:
            # The message about dropped fixes stays as long as it may not have been read.
            came = "" if followed.dropped else followed.text
            owner.say(" ".join(words for words in (self._dropped, came, "F stops following") if words))


def look_for_neighbours(owner: Owner) -> None:
    """Search for processes that write to the file, and agents that have its history in memory; name the first."""
    session = owner.session

    def look(aside: Aside) -> None:
        from toolpair.session.surroundings import leftover_notes

        left = leftover_notes(session.path) if session.path is not None else ()
        found = (*left, *session.look_around())
        if found:
            aside.run_in_ui(lambda: warn(found[0]))

    def warn(warning: str) -> None:
        owner.pairs.forget()  # such an agent may be running the call at the end
        if not owner.note:
            owner.say(f"! {visible(warning)}")

    # If that fails, a save will find out by itself.
    owner.in_thread(lambda aside: session.remember(), failed=lambda error: None)
    owner.in_thread(look, failed=lambda error: None)
