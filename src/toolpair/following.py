"""Following a file that an agent is writing: what has come is read, what is staged is put on again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolpair.source.container import Container, read_container
from toolpair.source.errors import Unreadable
from toolpair.source.growth import Change, Growth, carry_over, is_being_written, look
from toolpair.transcript.model import Damaged
from toolpair.transcript.words import plural

if TYPE_CHECKING:
    from toolpair.session import Session, Staged


@dataclass(frozen=True, slots=True)
class Dropped:
    """A staged fix that could not be put on again. `title` is its row's in the review."""

    title: str
    rule: str
    reason: str


@dataclass(frozen=True, slots=True)
class Followed:
    """What has happened to the file since the last look.

    "grown": records were appended; "truncated", "replaced", "rewritten": the whole file was read anew; "gone":
    there is no file any more, and the session stays as it was.
    """

    change: Change
    records: int
    calls: int
    results: int
    """How many came; negative when there are fewer now."""
    dropped: tuple[Dropped, ...]
    text: str
    """It all in one sentence or two."""


def follow(session: Session) -> Followed | None:
    """See `Session.follow`."""
    snapshot = session._snapshot
    growth = look(snapshot, session._looked)
    if growth is None or (growth.change == "gone" and session._gone):
        return None
    container = _container(growth)
    if container is None and growth.change not in (None, "gone"):
        return None
    session._looked = growth.looked
    session._gone = growth.change == "gone"
    if growth.change is None:
        assert growth.snapshot is not None
        session._snapshot = growth.snapshot
        return None
    before = _counts(session)
    dropped: tuple[Dropped, ...] = ()
    if container is not None:
        dropped = _go_on(session, growth, container)
    after = _counts(session)
    records, calls, results = (now - then for now, then in zip(after, before, strict=True))
    text = _text(growth.change, records, calls, results, dropped)
    return Followed(growth.change, records, calls, results, dropped, text)


def _container(growth: Growth) -> Container | None:
    """What the file holds now; None when that is nothing new, or half of something that is being written anew."""
    if growth.snapshot is None or growth.change is None:
        return None
    fresh = growth.looked is not None and growth.change != "grown" and is_being_written(growth.looked)
    try:
        container = read_container(growth.snapshot.data, growth.snapshot.shown)
    except Unreadable:
        if fresh:
            return None
        raise
    torn = container.damaged_outside or any(
        isinstance(value := found.document.records[-1].value, Damaged) and value.rule == "record.torn"
        for found in container.conversations
        if found.document.records
    )
    return None if fresh and torn else container


def _go_on(session: Session, growth: Growth, container: Container) -> tuple[Dropped, ...]:
    """Read the file as it is now and put on again what was staged."""
    from toolpair.formats import get_format

    assert growth.snapshot is not None
    if growth.change == "grown":
        for old, new in zip(session._container.conversations, container.conversations, strict=False):
            carry_over(old.document, new.document)
    formats = [found.judged.format for found in session._original]
    # A file goes on in the format that it has; what is new in it is of the kind that came last.
    kinds = formats[: len(container.conversations)]
    kinds += [get_format(session.format.id)] * (len(container.conversations) - len(kinds))
    session._snapshot = growth.snapshot
    session._formats = tuple(kinds)
    steps = [rows for rows, _ in session._steps]
    current = session.current
    session._begin_anew(container)
    left = session._put_on_again(steps)
    session.current = min(current, len(container.conversations) - 1)
    return tuple(
        Dropped(row.title, rule, _reason(session, row, rule, call_id, result_id))
        for row, rule, call_id, result_id in left
    )


def _reason(session: Session, row: Staged, rule: str, call_id: str, result_id: str) -> str:
    if row.conversation >= len(session.conversations):
        return "its conversation is not in the file any more"
    conversation = session.conversations[row.conversation]
    same = [problem for problem in conversation.problems if problem.rule == rule]
    for problem in same:
        ids = tuple("" if block is None else repr(block.id) for block in (problem.call, problem.result))
        if ids == (call_id, result_id):
            return "the problem is still there, but this way to fix it is not"
    if call_id and not result_id:
        for pair in conversation.pairs:
            if pair.call is not None and repr(pair.call.id) == call_id:
                return "its result has come" if pair.results else "it is another problem now"
    return "the problem is not there any more"


def _counts(session: Session) -> tuple[int, int, int]:
    """Records, calls and results of the file as it is on the disk."""
    original = session._original
    return (
        sum(len(found.document.records) for found in original),
        sum(pair.call is not None for found in original for pair in found.pairs),
        sum(len(pair.results) for found in original for pair in found.pairs),
    )


def _text(change: Change, records: int, calls: int, results: int, dropped: Sequence[Dropped]) -> str:
    came = ", ".join(plural(count, noun) for count, noun in ((calls, "call"), (results, "result")) if count > 0)
    said = {
        "grown": f"{plural(records, 'record')} came" + (f": {came}." if came else "."),
        "truncated": "The file was cut: it is shorter than it was, and was read again from its start.",
        "replaced": "Another file was put in its place, which was read from its start.",
        "rewritten": "The file was written anew, and was read again from its start.",
        "gone": "The file is gone: it was removed or renamed. What is shown is what it held.",
    }[change]
    if not dropped:
        return said
    fixes = "1 staged fix was taken off" if len(dropped) == 1 else f"{len(dropped):,} staged fixes were taken off"
    reasons = "; ".join(dict.fromkeys(one.reason for one in dropped))
    return f"{said} {fixes}: {reasons}."
