"""Following a file while an agent writes it: new records are read, and staged fixes are applied again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from toolpair.history.conversation import Conversation
from toolpair.session.decisions import Applied, Decision, id_of
from toolpair.session.staged import Staged
from toolpair.session.staging import Staging
from toolpair.source.container import Container
from toolpair.source.container_reading import container_in
from toolpair.source.errors import UnreadableFile
from toolpair.source.fingerprint import Identity
from toolpair.source.growth import Change, Growth, is_being_written, look
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.counting import plural
from toolpair.transcript.model import Damaged


class Dropped(Struct, frozen=True):
    """A staged fix that could not be applied again. `title` is its row's in the review."""

    title: str
    rule: str
    reason: str


class Followed(Struct, frozen=True):
    """What happened to the file since the last check.

    "grown": records were appended; "truncated", "replaced", "rewritten": the whole file was read again; "gone": the
    file no longer exists, and the session stays as it was.
    """

    change: Change
    records: int
    calls: int
    results: int
    """How many were added; negative when there are fewer now."""
    dropped: tuple[Dropped, ...]
    text: str
    """A summary in one or two sentences."""


class News(Struct, frozen=True, eq=False):
    """What a check found. `change` is None when only the file's times differ: then `snapshot` has the new ones."""

    change: Change | None
    snapshot: Snapshot | None
    container: Container | None


class Watch:
    """Checks one file from time to time, and reports only what is new."""

    def __init__(self) -> None:
        self._looked: Identity | None = None
        """The state in which the file was last seen, if not the snapshot's."""
        self._gone = False

    def look(self, snapshot: Snapshot) -> News | None:
        """What happened to the snapshot's file; None when there is nothing to take over.

        Raises Unreadable when it has changed and cannot be read.
        """
        growth = look(snapshot, self._looked)
        if growth is None or (growth.change == "gone" and self._gone):
            return None
        container = _container(growth)
        if container is None and growth.change not in (None, "gone"):
            return None
        self._looked = growth.looked
        self._gone = growth.change == "gone"
        return News(growth.change, growth.snapshot, container)


Counts = tuple[int, int, int]
"""Records, calls and results."""


def counts_of(file: Sequence[Conversation]) -> Counts:
    return (
        sum(found.counts.records for found in file),
        sum(found.counts.calls for found in file),
        sum(found.counts.results for found in file),
    )


def followed(
    change: Change,
    before: Counts,
    after: Counts,
    now: Sequence[Conversation],
    left: Sequence[tuple[Staged, Decision]],
    is_stored: bool,
) -> Followed:
    """The report for the user. `now` is the file with the staged fixes, `left` what could not be applied again;
    `is_stored`: the session is one of several in a database or a folder.
    """
    records, calls, results = (new - old for new, old in zip(after, before, strict=True))
    dropped = tuple(Dropped(row.title, decision.rule, reason(now, row, decision)) for row, decision in left)
    said = _text("changed" if is_stored and change == "rewritten" else change, records, calls, results, dropped)
    return Followed(change, records, calls, results, dropped, said)


def reapply(staging: Staging, steps: Sequence[Sequence[Applied]]) -> list[Dropped]:
    """Apply decisions again that were made on this or another state of the file, on top of what is staged.

    Gives back those that could not be, with the reason.
    """
    left = staging.reapply(steps)
    return [Dropped(decision.fix_id, decision.rule, reason(staging.now, row, decision)) for row, decision in left]


def _container(growth: Growth) -> Container | None:
    """What the file holds now; None when nothing is new, or it is still being rewritten."""
    if growth.snapshot is None or growth.change is None:
        return None
    fresh = growth.looked is not None and growth.change != "grown" and is_being_written(growth.looked)
    try:
        container = container_in(growth.snapshot)
    except UnreadableFile:
        if fresh:
            return None
        raise
    torn = container.damaged_outside or any(
        isinstance(value := found.document.records[-1].value, Damaged) and value.rule == "record.torn"
        for found in container.conversations
        if found.document.records
    )
    return None if fresh and torn else container


def reason(now: Sequence[Conversation], row: Applied, decision: Decision) -> str:
    """Why a decision could not be applied again. `now` is the file with the staged fixes."""
    if row.conversation >= len(now):
        return "its conversation is no longer in the file"
    conversation = now[row.conversation]
    if any(problem.rule == decision.rule and decision.has_ids_of(problem) for problem in conversation.problems):
        return "the problem is still there, but this fix no longer applies"
    if decision.call_id and not decision.result_id:
        for pair in conversation.pairs:
            if pair.call is not None and id_of(pair.call) == decision.call_id:
                return "its result has arrived" if pair.results else "it is another problem now"
    return "the problem is gone"


def _text(
    change: Change | Literal["changed"], records: int, calls: int, results: int, dropped: Sequence[Dropped]
) -> str:
    came = ", ".join(plural(count, noun) for count, noun in ((calls, "call"), (results, "result")) if count > 0)
    added = f"{plural(records, 'record')} added" + (f": {came}." if came else ".")
    said = {
        "grown": added,
        "changed": added if records > 0 else "The session was changed, so it was read again.",
        "truncated": "The file got shorter, so it was read again from the start.",
        "replaced": "The file was replaced by another one, which was read from the start.",
        "rewritten": "The file was rewritten, so it was read again from the start.",
        "gone": "The file is gone: it was removed or renamed. The screen shows what it held.",
    }[change]
    if not dropped:
        return said
    fixes = "1 fix no longer applies" if len(dropped) == 1 else f"{len(dropped):,} fixes no longer apply"
    reasons = "; ".join(dict.fromkeys(one.reason for one in dropped))
    return f"{said} {fixes}: {reasons}."
