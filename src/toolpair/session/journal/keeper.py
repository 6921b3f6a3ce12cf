"""Writes the journal of one session in a background thread whenever something is applied."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from toolpair.session.journal.folder import Folder, Locked, new_name
from toolpair.session.journal.journal_entry import Journaled, JournalEntry, Mark
from toolpair.source.errors import UnreadableFile

if TYPE_CHECKING:
    from toolpair.session.journal.left import UnsavedWork

_LAST: Final = 2.0
"""Seconds for the last change to be written before the program ends."""

Wanted = tuple[JournalEntry, Callable[[], Mark]]


class Keeper:
    """Its thread writes the latest state, skipping those in between. It never fails."""

    def __init__(self, folder: Callable[[], Folder], path: str) -> None:
        """`folder` is called in the thread."""
        self._make_folder = folder
        self._folder: Folder | None = None
        self._name = new_name(path)
        self._news = threading.Condition()
        self._wanted: Wanted | None = None
        self._is_notified = False
        self._is_busy = False
        self._thread: threading.Thread | None = None
        self._locked: Locked | None = None
        self._taken_up: list[UnsavedWork] = []
        self.problem: str | None = None
        """Why the journal cannot be written, one phrase; None while it can."""

    def keep(self, session: Journaled) -> None:
        """Record the session's current state."""
        self._notify((JournalEntry.of(session, time.time()), partial(Mark.of, session.file.snapshot)))

    def take_up(self, left: UnsavedWork) -> None:
        """Unsaved work was applied again: delete it once it has been recorded with the rest."""
        with self._news:
            self._taken_up.append(left)

    def forget(self) -> None:
        """There is nothing left to keep: it has been saved, undone or discarded."""
        self._notify(None)

    def _notify(self, wanted: Wanted | None) -> None:
        with self._news:
            if wanted is None and self._thread is None and not self._taken_up:
                return  # nothing was ever recorded
            self._wanted, self._is_notified = wanted, True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
                self._thread.start()
            self._news.notify_all()

    def flush(self, seconds: float = _LAST) -> None:
        """Wait until everything is written, or cannot be."""
        with self._news:
            self._news.wait_for(lambda: not self._is_notified and not self._is_busy, seconds)

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._is_notified)
                wanted, taken_up = self._wanted, self._taken_up
                self._is_notified, self._is_busy, self._taken_up = False, True, []
            try:
                self._carry_out(wanted)
                for left in taken_up:
                    left.forget()
                self.problem = None
            except Exception as error:  # whatever it is, the user's work goes on
                self.problem = getattr(error, "strerror", None) or str(error) or type(error).__name__
                with self._news:
                    self._taken_up = taken_up + self._taken_up
            finally:
                with self._news:
                    self._is_busy = False
                    self._news.notify_all()

    def _carry_out(self, wanted: Wanted | None) -> None:
        if self._folder is None:
            self._folder = self._make_folder()
        before = self._locked
        if wanted is None:
            self._folder.remove(self._name)
            self._locked = None
        else:
            entry, mark = wanted
            with contextlib.suppress(UnreadableFile, OSError):
                entry = replace(entry, mark=mark())
            self._locked = self._folder.write(self._name, entry.to_bytes())
        if before is not None:
            before.close()
