"""Applying unsaved work from the journal to its session again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from toolpair.rules.profiles import is_profile
from toolpair.session.decisions import Decision
from toolpair.session.following import Dropped, reapply
from toolpair.session.journal.journal_entry import JournalEntry, JournalRow, Step
from toolpair.source.errors import UnreadableFile

if TYPE_CHECKING:
    from toolpair.session.journal.journaled import Journaled
    from toolpair.source.mark import Since

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
