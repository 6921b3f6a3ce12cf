"""What an agent would no longer send: real outputs and user texts, compared by what reaches the model."""

from __future__ import annotations

from collections import Counter

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.comparison import Comparison
from toolpair.history.losses.loss import NOTHING, Loss, Losses


def less_sent(before: CheckedRecords, after: CheckedRecords) -> Losses:
    """What its agent would send of `before` and no longer of `after`. Empty for a list without an agent."""
    if before is after or before.transcript is after.transcript or before.seen is None or after.seen is None:
        return NOTHING
    return Comparison(before, after, _both(before, after), summaries_count=False).sent()


def unsent(done: Comparison, gone: Losses) -> tuple[Loss, ...]:
    """What would no longer be sent although it is not part of `gone`, according to a finished comparison."""
    before, after = done.before, done.after
    if before.seen is None or after.seen is None:
        return ()
    less = Comparison(before, after, _both(before, after), like=done).sent()
    known = Counter((lost.kind, lost.record, lost.id) for lost in (*gone.outputs, *gone.words))
    found = []
    for lost in (*less.outputs, *less.words):
        key = lost.kind, lost.record, lost.id
        if known[key] > 0:
            known[key] -= 1
        else:
            found.append(lost)
    return tuple(found)


def _both(before: CheckedRecords, after: CheckedRecords) -> tuple[set[int], set[int]]:
    return _reached(before), _reached(after)


def _reached(state: CheckedRecords) -> set[int]:
    """id() of the blocks of which anything would be sent."""
    seen = state.seen
    if seen is None:
        return {id(block) for message in state.transcript.messages for block in message.blocks}
    if seen.refuses is not None:
        return set()
    return {id(part.block) for message in seen.messages for part in message.parts if part.block is not None}
