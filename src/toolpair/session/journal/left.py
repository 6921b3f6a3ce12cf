"""Work that an earlier run applied to a session but did not save: found, and applied again."""

from __future__ import annotations

import contextlib
from typing import Final

from msgspec import Struct

from toolpair.rules.profiles import is_profile
from toolpair.session.decisions import Decision
from toolpair.session.following import Dropped, reapply
from toolpair.session.journal.folder import LONGEST, Folder, Locked
from toolpair.session.journal.journal_entry import DamagedEntry, Journaled, JournalEntry, JournalRow, Newer, Since, Step
from toolpair.source.errors import UnreadableFile


class UnsavedWork(Struct, frozen=True, eq=False):
    """One journal entry. While this object lives, no other process is offered the same one."""

    folder: Folder
    name: str
    entry: JournalEntry
    locked: Locked

    def forget(self) -> None:
        """Do not offer it again."""
        with contextlib.suppress(OSError):
            self.folder.remove(self.name)
        self.locked.close()

    def release(self) -> None:
        """Offer it again the next time the session is opened."""
        self.locked.close()


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


_PLACE_ONLY: Final = "the file was rewritten, and this fix was known only by its position"


class TakenUp(Struct, frozen=True):
    """How many fixes were applied again, and which could not be, with the reason."""

    fixes: int
    dropped: tuple[Dropped, ...]


def since(session: Journaled, entry: JournalEntry) -> Since:
    """What happened to the file since then."""
    try:
        return entry.mark.since(session.file.snapshot) if entry.mark is not None else "changed"
    except UnreadableFile:
        return "changed"


def take_up(session: Journaled, entry: JournalEntry) -> TakenUp:
    """Restore the view the session had then, and apply what was applied. Raises what staging raises."""
    if entry.profile is not None and entry.profile != session.profile.id and is_profile(entry.profile):
        session.set_profile(entry.profile)
    steps: tuple[Step, ...] = entry.steps
    dropped: list[Dropped] = []
    if since(session, entry) == "changed":
        steps = tuple(tuple(map(_named, step)) for step in steps)
        dropped += [
            Dropped(decision.fix_id, decision.rule, _PLACE_ONLY)
            for step in entry.steps
            for row in step
            for decision in row.decisions
            if _is_place_only(decision)
        ]
    before = sum(row.problems for row in session.staged)
    dropped += reapply(session.staging, steps)
    return TakenUp(sum(row.problems for row in session.staged) - before, tuple(dropped))


def _named(row: JournalRow) -> JournalRow:
    return JournalRow(row.conversation, tuple(each for each in row.decisions if not _is_place_only(each)))


def _is_place_only(decision: Decision) -> bool:
    """Whether only its place identifies it, where something else may be by now."""
    return not decision.call_id and not decision.result_id and decision.options is None
