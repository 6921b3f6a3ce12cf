"""Two states of a document compared: the records that differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from toolpair.source.document import Document
from toolpair.transcript.ordering import longest_ascending


@dataclass(frozen=True, slots=True)
class Change:
    """One record before and after. `line` is its line in the file as it was opened."""

    kind: Literal["changed", "added", "removed", "moved"]
    record: int | None
    line: int | None
    before: bytes | None
    after: bytes | None


def changes(before: Document, after: Document) -> Iterator[Change]:
    """The records that differ, in the order of the new document, removed ones at their old place."""
    if before is after:
        return
    if before.mark != after.mark and before.records:
        first = before.records[0]
        yield Change("changed", 0, first.line, before.mark + first.body, after.mark + first.body)
    old = {record.uid: (number, record) for number, record in enumerate(before.records)}
    new = {record.uid for record in after.records}
    for number, record in enumerate(before.records):
        if record.uid not in new:
            yield Change("removed", number, record.line, record.body, None)
    stayed = longest_ascending([old[record.uid][0] for record in after.records if record.uid in old])
    for number, record in enumerate(after.records):
        known = old.get(record.uid)
        if known is None:
            yield Change("added", number, None, None, record.body)
        elif record is not known[1] and record.body != known[1].body:
            yield Change("changed", known[0], known[1].line, known[1].body, record.body)
        elif known[0] not in stayed:
            yield Change("moved", known[0], known[1].line, known[1].body, record.body)
