"""From the records of a file to a long conversation: each record is read once, and none is kept."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson
from msgspec.structs import replace

from toolpair.formats.format import FileFacts, Format, View
from toolpair.formats.light import Doubtful, ReadAtAGlance
from toolpair.formats.telling import Told
from toolpair.history.checked_records import CheckedRecords, items_of
from toolpair.history.outline import LEAST, Outline, OutlineWindow
from toolpair.history.scan import Scan
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
from toolpair.transcript.model import LEAD_IN, LEAD_OUT, Damaged, Transcript, WindowEdges

_BLOCK: Final = 1 << 17
"""Bytes that are read at once: what stays in the cache of a processor is split and parsed faster."""
_Body = bytes | memoryview | Flood
Decide = Callable[[Told], Format | None]
"""Says of what format a list is, by what all of its messages tell."""
Progress = Callable[[int], None]
"""Is told how many bytes of the content have been read."""


class OtherFormat(Exception):
    """All of the records tell that they are of another format than their beginning does, or of none that is known."""

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
    """The conversation in stretches; None where it has to be judged as a whole.

    `decide`: the format was told by the beginning alone. Raises OtherFormat where that was wrong.
    """
    document = source.document
    if view.leaf is not None or _harmed(document, format):
        return None
    head = CheckedRecords((), format, profile, request, view).transcript
    if not isinstance(format, ReadAtAGlance) or profile.base not in format.clean_by:
        return None
    scan = Scan(format.light(view), profile, head.declared_tools, LEAST)
    outline = outline_of(document, scan, progress)
    if decide is not None and scan.light.told is not None and not scan.whole:
        told = decide(scan.light.told)
        if told is not format:
            raise OtherFormat(told)
    if outline is None:
        return None
    head = outline.head or head
    answered = sum(found.calls for found in outline.windows)

    def judged_by(other: Profile) -> WindowedConversation | None:
        return opened_long(number, source, format, other, request, view)

    @lru_cache(1)  # asked for several times while a fix is put on
    def inside(first: int, end: int) -> FileFacts | None:
        return outline.inside(first, end, lambda start, stop: items_of(document.part(start, stop, document.next_uid)))

    reading = Reading(document, format, profile, request, view, outline.ids, answered, head, judged_by, inside=inside)
    reading = replace(reading, past=outline.past, inactive=outline.inactive, named=outline.named)
    declared = head.declared_tools

    def proof(changed: Document, beyond: WindowEdges) -> tuple[OutlineWindow, frozenset[str]] | None:
        light = format.light(view)
        # Other files have more around a window than stand-ins.
        return None if light.native else proven(Scan(light, profile, declared, len(changed) + 10), changed, beyond)

    reading = replace(reading, proof=proof)
    with gc_paused():
        return windowed_conversation(number, source, outline, reading, checking)


def _harmed(document: Document, format: Format) -> bool:
    """Whether something is wrong with the file as such, which no record tells."""
    if not document.mark and not document.commas:
        return False
    from toolpair.formats.damage_found import flaws_of_file

    return any(harm is not None for harm in format.damage((), Transcript(()), flaws_of_file(document)))


def proven(scan: Scan, document: Document, beyond: WindowEdges) -> tuple[OutlineWindow, frozenset[str]] | None:
    """The counts and ids of a document's records, where the scan proves them plain among what is around them."""
    before, after = LEAD_IN if beyond.before else (), LEAD_OUT if beyond.after else ()
    scan.feed(message.value for message in before)
    scan.feed(_values([_body(record) for record in document.records], scan.light.sends))
    scan.feed(message.value for message in after)
    outline = scan.outline()
    if outline is None or not outline.clean or len(outline.windows) != 1:
        return None
    found, stand_ins = outline.windows[0], len(before) + len(after)
    return (
        replace(found, messages=found.messages - stand_ins, rows=found.rows - stand_ins),
        frozenset(outline.ids),
    )


def outline_of(document: Document, scan: Scan, progress: Progress | None = None) -> Outline | None:
    """All records of a document read by a scan. Raises Unreadable, and whatever `progress` raises."""
    with gc_paused():
        for end, bodies in _bodies(document):
            scan.feed(_values(bodies, scan.light.sends))
            if scan.whole:
                return None
            if progress is not None:
                progress(end)
        return scan.outline()


def _values(bodies: Sequence[Any], sends: Container[Any] | None) -> list[Any]:
    """What the records say; `Doubtful` where a strict parser reads over something, or reads nothing.

    What it reads over is asked only of records of the types that are sent; None: all are.
    """
    loads = orjson.loads
    try:
        values = [loads(body) for body in bodies]
    except (TypeError, ValueError):
        return [_value(body) for body in bodies]
    # Written again they are as long as what they were read from, unless something was left out or is spelt otherwise.
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
    """The bytes of all records in batches, each with the place in the content where it ends."""
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
