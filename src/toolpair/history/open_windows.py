"""Opening a long conversation: each record of the file is parsed once, and none is kept."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson
from msgspec.structs import replace

from toolpair.dialects.anthropic import STAND_INS
from toolpair.formats.damage_found import flaws_of_file
from toolpair.formats.format import FileFacts, Format, View
from toolpair.formats.list_evidence import ListEvidence
from toolpair.history.checked_records import CheckedRecords, items_of
from toolpair.history.outline import Doubtful, HistoryScan, Outline, OutlineWindow, Range
from toolpair.history.scans.list_scan import ListScan
from toolpair.history.scans.scan_registry import scan_for
from toolpair.history.window import Reading
from toolpair.history.windowed import WindowedConversation, windowed_conversation
from toolpair.rules.profiles import Profile
from toolpair.source.container import ConversationSource
from toolpair.source.document import Document
from toolpair.source.floods import Flood
from toolpair.source.gc_pause import gc_paused
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.record import Record
from toolpair.source.record_values import quiet_flaws, read
from toolpair.transcript.model import Damaged, Transcript, WindowEdges

_BLOCK: Final = 1 << 17
"""Bytes read at a time: data in the processor's cache is split and parsed faster."""
_Body = bytes | memoryview | Flood
Decide = Callable[[ListEvidence], Format | None]
"""Returns the format of a list, judging by all of its messages."""
Progress = Callable[[int], None]
"""Called with the number of bytes of the content read so far."""


class OtherFormat(Exception):
    """The records as a whole have another format than the first ones suggested, or no known one."""

    def __init__(self, format: Format | None) -> None:
        super().__init__()
        self.format = format


def opened_long(
    number: int,
    source: ConversationSource,
    format: Format,
    profile: Profile,
    request: Callable[[Transcript], Transcript] | None,
    view: View,
    progress: Progress | None = None,
    decide: Decide | None = None,
    checking: Callable[[int, int], None] | None = None,
) -> WindowedConversation | None:
    """The conversation in windows; None when it must be checked whole.

    `decide`: only the first records were used to find the format. Raises OtherFormat if that was wrong.
    """
    document = source.document
    if view.leaf is not None or _is_damaged_as_file(document, format):
        return None
    head = CheckedRecords((), format, profile, request, view).transcript
    scan = scan_for(format.id, profile, head.declared_tools, view=view)
    if scan is None:
        return None
    outline = outline_of(document, scan, progress)
    if decide is not None and isinstance(scan, ListScan) and not scan.whole:
        evidence = decide(scan.evidence)
        if evidence is not format:
            raise OtherFormat(evidence)
    if outline is None:
        return None
    head = outline.head or head
    answered = sum(found.calls for found in outline.windows)
    firsts = [found.first for found in outline.windows]

    def judged_by(other: Profile) -> WindowedConversation | None:
        return opened_long(number, source, format, other, request, view)

    @lru_cache(1)  # called several times while a fix is applied
    def inside(first: int, end: int) -> FileFacts | None:
        wanted = Range(bisect_left(firsts, first), bisect_left(firsts, end))
        return outline.inside(wanted, lambda start, stop: items_of(document.part(start, stop, document.next_uid)))

    reading = Reading(
        document, format, profile, request, view, outline.ids, firsts, answered, head, judged_by, inside=inside
    )
    reading = replace(reading, past=outline.past, inactive=outline.inactive, named=outline.named)
    declared = head.declared_tools

    def proof(changed: Document, edges: WindowEdges) -> tuple[OutlineWindow, frozenset[str]] | None:
        again = scan_for(format.id, profile, declared, len(changed) + 10)
        return proven(again, changed, edges) if isinstance(again, ListScan) else None

    reading = replace(reading, proof=proof)
    with gc_paused():
        return windowed_conversation(number, source, outline, reading, checking)


def _is_damaged_as_file(document: Document, format: Format) -> bool:
    """Whether something is wrong with the file itself that no record shows."""
    if not document.mark and not document.commas:
        return False

    return any(harm is not None for harm in format.damage((), Transcript(()), flaws_of_file(document)))


def proven(scan: ListScan, document: Document, edges: WindowEdges) -> tuple[OutlineWindow, frozenset[str]] | None:
    """The counts and ids of a document's records, if the scan proves them clean in their surroundings."""
    before, after = STAND_INS.before if edges.before else (), STAND_INS.after if edges.after else ()
    scan.feed(message.value for message in before)
    scan.feed(_values([_body(record) for record in document.records], scan.sends))
    scan.feed(message.value for message in after)
    outline = scan.outline()
    if outline is None or not outline.clean or len(outline.windows) != 1:
        return None
    found, stand_ins = outline.windows[0], len(before) + len(after)
    return (
        replace(found, messages=found.messages - stand_ins, rows=found.rows - stand_ins),
        frozenset(outline.ids),
    )


def outline_of(document: Document, scan: HistoryScan, progress: Progress | None = None) -> Outline | None:
    """The outline from scanning all records of a document. Raises Unreadable, and whatever `progress` raises."""
    with gc_paused():
        for end, bodies in _bodies(document):
            scan.feed(_values(bodies, scan.sends))
            if scan.whole:
                return None
            if progress is not None:
                progress(end)
        return scan.outline()


def _values(bodies: Sequence[Any], sends: Container[Any] | None) -> list[Any]:
    """The values of the records; `Doubtful` for any that a strict parser rejects, or accepts despite a flaw.

    The latter is checked only for records of the types that are sent; None: all are.
    """
    loads = orjson.loads
    try:
        values = [loads(body) for body in bodies]
    except (TypeError, ValueError):
        return [_value(body) for body in bodies]
    # Written again they have the same length, unless something was left out or spelt differently.
    try:
        if sends is None:
            same = len(orjson.dumps(values)) == sum(map(len, bodies)) + len(bodies) + 1
        else:
            sent = [n for n, value in enumerate(values) if type(value) is dict and value.get("type") in sends]
            length = sum([len(bodies[n]) for n in sent]) + max(len(sent), 1) + 1
            same = len(orjson.dumps([values[n] for n in sent])) == length
    except (TypeError, ValueError, RecursionError):
        same = False
    return values if same else [_value(body) for body in bodies]


def _body(record: Record) -> _Body:
    return record.body if record.lines == 1 else Flood(0, 0, record.lines, record.count, record.value, record.says)


def _value(body: _Body) -> Any:
    if isinstance(body, Flood):
        return Doubtful(body.value) if isinstance(body.value, Damaged) else body.value
    body = bytes(body)
    value, strict = read(body)
    return value if strict and not quiet_flaws(body, value) else Doubtful(value, strict)


def _bodies(document: Document) -> Iterator[tuple[int, Sequence[_Body]]]:
    """The bytes of all records in batches, each with the content offset of its end."""
    records = document.records
    if isinstance(records, IndexedRecords):
        end = 0
        for _, bodies in records.positions.bodies(_BLOCK):
            last = bodies[-1]
            raw: Sequence[Any] = bodies
            end = last.end if isinstance(last, Flood) else end + sum(map(len, raw)) + len(raw)
            yield end, bodies
        return
    batch: list[_Body] = []
    size = end = 0
    for number in range(len(records)):
        batch.append(_body(records[number]))
        size += records[number].size
        if size >= _BLOCK:
            end += size
            yield end, batch
            batch, size = [], 0
    if batch:
        yield end + size, batch
