"""The records behind a row of a comparison."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from toolpair.history.comparison_rows import ComparisonRow
from toolpair.history.steps import History, Step
from toolpair.history.two_histories import Comparison
from toolpair.source.changes import Change, Kind

if TYPE_CHECKING:
    from toolpair.source.record import Record


def changes_of(found: Comparison, row: ComparisonRow) -> list[Change]:
    """The records of a row's steps, as changes from A to B."""
    sides = [_records(found.a, row.a), _records(found.b, row.b)]
    out: list[Change] = []
    for before, after in zip_longest(*sides):
        kind: Kind = "changed" if before is not None and after is not None else "removed" if before else "added"
        old, new = (None if each is None else each.body for each in (before, after))
        if old != new:
            place = before if before is not None else after
            out.append(Change(kind, None, place.line if place is not None else None, old, new))
    return out


def _records(history: History, step: Step | None) -> list[Record]:
    """The records that a step is written in; none of what stands in another session's file."""
    if step is None or step.inherited:
        return []
    pair = history.pair_of(step)
    blocks = [history.block_of(step)] if pair is None else [each for each in (pair.call, *pair.results) if each]
    uids = dict.fromkeys(block.record for block in blocks)
    return [history.conversation.document.record(uid) for uid in uids]
