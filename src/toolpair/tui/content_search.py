"""A search through what was said in the listed sessions, one after the other, in a process of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Final

from toolpair.formats.agent import FoundSession
from toolpair.tui.aside import Aside
from toolpair.tui.numbers import count_text, size_text
from toolpair.tui.picker_checks import FIND_LIMIT, Judge

LARGEST: Final = 100_000_000
"""Bytes of a session that is searched."""
MOST: Final = 200
"""Sessions after which it ends."""
_REPORT_EVERY: Final = 0.1
"""Seconds between two reports."""


class ContentSearch:
    """What is found by now."""

    def __init__(self, words: str, judge: Judge, sessions: Sequence[FoundSession]) -> None:
        self.pattern = re.compile(re.escape(words), re.IGNORECASE)
        self.words = words
        self._judge = judge
        self._sessions = [found for found in sessions if found.understood and found.size <= LARGEST]
        self._too_large = sum(found.understood and found.size > LARGEST for found in sessions)
        self.hits: dict[str, str] = {}
        """Path of a session -> what was said there."""
        self._looked = self._slow = 0
        self._stopped = self.done = False

    def run(self, aside: Aside, on_found: Callable[[], None]) -> None:
        """In a thread; `on_found` is called in the interface's, now and then and at the end."""
        reported = time.monotonic()
        for found in self._sessions:
            try:
                said = self._judge.find(found.path, self.words)
            except TimeoutError:
                said, self._slow = None, self._slow + 1
            if self._stopped or aside.stopped:
                break
            self._looked += 1
            if said is not None:
                self.hits[found.path] = said
            if len(self.hits) >= MOST:
                break
            if time.monotonic() - reported > _REPORT_EVERY:
                aside.run_in_ui(on_found)
                reported = time.monotonic()
        self._judge.close()
        self.done = True
        aside.run_in_ui(on_found)

    def stop(self) -> None:
        """End its process, and with it the search."""
        self._stopped = True
        self._judge.close()

    @property
    def progress(self) -> str:
        """How far it is, for the title."""
        found = f"{len(self.hits):,} found"
        return found if self.done else f"{found}, {self._looked:,} of {len(self._sessions):,} searched"

    @property
    def limits(self) -> str:
        """Where it has not looked; empty if it has looked everywhere."""
        said = []
        left = len(self._sessions) - self._looked
        if self.done and left:
            said.append(f"stopped at {MOST} sessions: more words find fewer ({left:,} not searched)")
        if self._too_large:
            count = count_text(self._too_large, "session")
            verb = "is" if self._too_large == 1 else "are"
            said.append(f"{count} of more than {size_text(LARGEST)} {verb} not searched")
        if self._slow:
            verb = "was" if self._slow == 1 else "were"
            said.append(f"{count_text(self._slow, 'session')} took more than {FIND_LIMIT:g} s and {verb} left out")
        return "; ".join(said)
