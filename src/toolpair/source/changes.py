"""Two states of a document compared: the records that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from toolpair.dataclass import dataclass, replace
from toolpair.source.document import Document
from toolpair.source.joined import JoinedDocument
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
    if isinstance(before, JoinedDocument) and isinstance(after, JoinedDocument) and before.long is after.long:
        yield from _changes_of_parts(before, after)
        return
    if before.mark != after.mark and before.records:
        first = before.records[0]
        yield Change("changed", 0, first.line, before.mark + first.body, after.mark + first.body)
    if before.commas and not after.commas:
        yield from _without_commas(before, after)
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


def _without_commas(before: Document, after: Document) -> Iterator[Change]:
    """The records that a comma stood behind, and that are the same but for that."""
    there = {record.uid: record.body for record in after.records}
    last = len(before.records) - 1
    for number, record in enumerate(before.records):
        ends = number == last if before.kind == "array" else b"," in record.glue
        if ends and there.get(record.uid) == record.body:
            yield Change("changed", number, record.line, record.body + b",", record.body)


def _changes_of_parts(before: JoinedDocument, after: JoinedDocument) -> Iterator[Change]:
    """The same of documents in parts: only those that were changed are looked at."""
    found: list[Change] = []
    for number, (then, now) in enumerate(zip(before.parts, after.parts, strict=True)):
        if then is now:
            continue
        for change in changes(then.now, now.now):
            side = after if change.kind == "added" else before
            place = None if change.record is None else change.record + side.records_before(number)
            found.append(replace(change, record=place))
    yield from (change for change in found if change.kind == "removed")
    yield from (change for change in found if change.kind != "removed")
