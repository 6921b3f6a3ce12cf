"""Work that an earlier run applied to a session but did not save."""

from __future__ import annotations

import contextlib

from toolpair.session.journal.folder import LONGEST, Folder, Locked
from toolpair.session.journal.journal_entry import DamagedEntry, JournalEntry, Newer


class UnsavedWork:
    """One journal entry. While this object lives, no other process is offered the same one."""

    def __init__(self, folder: Folder, name: str, entry: JournalEntry, locked: Locked) -> None:
        self._folder = folder
        self._name = name
        self._locked = locked
        self.entry = entry

    def forget(self) -> None:
        """Do not offer it again."""
        with contextlib.suppress(OSError):
            self._folder.remove(self._name)
        self._locked.close()

    def release(self) -> None:
        """Offer it again the next time the session is opened."""
        self._locked.close()


def left_for(folder: Folder, path: str) -> UnsavedWork | str | None:
    """The newest unsaved work on the session at this path; a sentence when it cannot be read, None if there is none."""
    folder.sweep()
    try:
        found = folder.of(path)
    except OSError:
        return None  # a user who may not look there has left nothing there either
    chosen: UnsavedWork | str | None = None
    for name, locked in found:
        if chosen is not None:
            locked.close()
            continue
        try:
            chosen = UnsavedWork(folder, name, _entry(locked, path), locked)
        except Newer:
            chosen = (
                "A newer version of toolpair has fixes for this file that were applied but not saved; only that "
                "version can restore them."
            )
        except DamagedEntry:
            chosen = _damaged(folder, name)
    return chosen


def _entry(locked: Locked, path: str) -> JournalEntry:
    try:
        data = locked.read()
    except OSError as error:
        raise DamagedEntry from error
    if len(data) > LONGEST:
        raise DamagedEntry
    entry = JournalEntry.from_bytes(data)
    if entry.path != path:
        raise DamagedEntry
    return entry


def _damaged(folder: Folder, name: str) -> str:
    with contextlib.suppress(OSError):
        name = folder.set_aside(name)
    return (
        "Fixes that were applied but not saved cannot be restored, because their journal is damaged "
        f"({folder.path / name})."
    )
