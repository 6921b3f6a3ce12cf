"""The records of a log file, one after the other: its lines, or the elements of the array that a document mostly is."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from toolpair.reports.first_break.logs.kinds import KINDS, kind_of
from toolpair.reports.first_break.request import Span
from toolpair.source.edges import skipped, trimmed
from toolpair.source.elements import Elements, largest_array
from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.floods import Flood
from toolpair.source.index import ArrayIndex, LineIndex, RecordIndex
from toolpair.source.limits import fits, no_memory, refuse_long_line
from toolpair.source.record_values import BOM, parse, without_comma
from toolpair.source.snapshot import Snapshot
from toolpair.transcript.model import Damaged

_BLANKS: Final = b" \t\r\n\0"
_SAMPLE: Final = 200
_WHOLE: Final = 1 << 28
"""A longer document is taken for what its longest array holds."""
_SAMPLE_BYTES: Final = 1 << 25


class LogRecord(Struct, frozen=True):
    """One record. `value` is `Damaged` where it cannot be read; `lines` counts those of a run of such lines."""

    value: Any
    span: Span
    line: int
    lines: int = 1


class Records:
    """The records of a log. Each is parsed when its turn comes, and again when it is asked for."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Raises UnreadableFile."""
        self._content: Final[Content] = snapshot.data
        self._index: Final = _index(snapshot)
        self.size: Final = len(snapshot.data)

    def __iter__(self) -> Iterator[LogRecord]:
        index = self._index
        for first, bodies in index.bodies():
            for number, body in enumerate(bodies, first):
                span = index.start(number), index.end(number)
                if isinstance(body, Flood):
                    yield LogRecord(body.value, span, index.line(number), body.count)
                else:
                    yield LogRecord(parse(bytes(body)), span, index.line(number))

    def load(self, span: Span) -> Any:
        """The value of the record at a span."""
        return parse(self._content[span[0] : span[1]])

    def beginning(self) -> Iterator[Any]:
        """The values of the first records: enough to recognise the log by."""
        for record in islice(self, _SAMPLE):
            yield record.value
            if record.span[1] > _SAMPLE_BYTES:
                return


def _index(snapshot: Snapshot) -> RecordIndex:
    content, shown = snapshot.data, snapshot.shown
    start = skipped(content, len(BOM) if content.startswith(BOM) else 0, _BLANKS)
    end = trimmed(content, _BLANKS)
    if _is_lines(content, start, end):
        refuse_long_line(content, shown, snapshot.limits)
        return LineIndex(content)
    if content[start : start + 1] == b"{" and end - start <= _WHOLE:
        root = parse(content[start:end])
        if any(kind.has_wholes and kind.fits(root) for kind in KINDS):
            return _whole(content, start, end)
        del root
    row = largest_array(content, start, longest=snapshot.limits.line)
    if row is not None and len(row.ends) > 0:
        index = _elements(content, row)
        first = (parse(bytes(body)) for _, bodies in index.bodies() for body in bodies if not isinstance(body, Flood))
        if content[start : start + 1] == b"[" or kind_of(islice(first, _SAMPLE)) is not None:
            return index
    if not fits(end - start):
        raise no_memory(shown)
    if isinstance(parse(content[start:end]), Damaged):
        if content.find(b"\n", start, end) >= 0:
            return LineIndex(content)
        raise UnreadableFile(f"{shown} is not JSON; give a log as JSON Lines or as a JSON document.")
    return _whole(content, start, end)


def _elements(content: Content, row: Elements) -> RecordIndex:
    count = len(row.ends)
    first_line = content.count(b"\n", 0, row.starts[0]) + 1
    lines = array("I", (first_line + line - row.lines[0] for line in row.lines[:count]))
    return ArrayIndex(content, row.starts[:count], row.ends, lines)


def _whole(content: Content, start: int, end: int) -> RecordIndex:
    code = "I" if len(content) < 1 << 32 else "Q"
    line = content.count(b"\n", 0, start) + 1
    return ArrayIndex(content, array(code, [start]), array(code, [end]), array("I", [line]))


def _is_lines(content: Content, start: int, end: int) -> bool:
    """Whether each line is a value: the first one is, and is not all there is, or there is only one line."""
    line_end = content.find(b"\n", start, end)
    if line_end < 0:
        return False
    first = without_comma(content[start:line_end].strip(_BLANKS))
    return not isinstance(parse(first), Damaged)
