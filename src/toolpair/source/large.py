"""Reading the container of a large file without holding the file in memory; see `container` for small ones."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from toolpair.source.container import (
    Container,
    ConversationSource,
    is_after_comma,
    is_conversation_line,
    lines_document,
    read_conversation_lines,
    read_in_memory,
    share_readable,
    syntax_error,
)
from toolpair.source.document import Document
from toolpair.source.edges import skipped, trimmed
from toolpair.source.elements import Elements, largest_array
from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import Content
from toolpair.source.floods import Flood
from toolpair.source.index import ArrayIndex, Body, LineIndex
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.json_spans import BadSpan, SpanScan, children, key_text, node_at, scan
from toolpair.source.limits import USUAL, Limits, Places, fits, no_memory, refuse_crumbs, refuse_long_line
from toolpair.source.literal import may_be_literal
from toolpair.source.locate import LOOKED_AT
from toolpair.source.record import UNREAD, Record, sample_of, values_of
from toolpair.source.record_values import BOM, parse, without_comma
from toolpair.transcript.model import Damaged

_BLANKS: Final = b" \t\r\n\0"
_SAMPLE: Final = 200
_SAMPLED_EVERY: Final = 1 << 21
_SAMPLED_AT_LEAST: Final = 16
_LONG_LINE: Final = 1 << 20
"""A file with no line end within this many bytes is probably one document."""
_SAMPLE_BYTES: Final = 1 << 24
_QUICK_TOKENS: Final = 2000
_DEEP: Final = 600
"""More open brackets than any real file has. Objects take three tokens each, so `_QUICK_TOKENS` cover this many."""
_ASKED: Final = 3
_KEPT: Final = 1 << 19
"""Bytes from the start of an array that are enough to detect its style and position as the whole would."""


def read_large(content: Content, shown: str, limits: Limits = USUAL) -> Container:
    """As `read_container`. What is neither lines nor a document with one long array is read into memory."""
    start = skipped(content, len(BOM) if content.startswith(BOM) else 0, _BLANKS)
    end = trimmed(content, _BLANKS)
    if start < end:
        row, walked, found = None, _are_conversations(content, start, limits), None
        if not walked and content.find(b"\n", start, min(start + _LONG_LINE, end)) < 0:
            row, walked = _largest(content, start, limits), True
            whole = row is not None and row.value_end == end
            if row is not None and (whole or content.find(b"\n", start, end) < 0):  # else cut off at its end
                found, row = _as_document(content, start, shown, limits, row), None
        if found is None:
            # Without line ends, all but the elements of a document is read at once.
            refuse_long_line(content, shown, limits)
            refuse_crumbs(content, shown, limits)
            found = _as_lines(content, start, end, shown, limits.places)
        if found is None:
            row = row if walked else _largest(content, start, limits)
            found = None if row is None else _as_document(content, start, shown, limits, row)
        if found is not None:
            return found
    if not fits(len(content)):
        raise no_memory(shown)
    return read_in_memory(content[:], shown, limits.places)


def _as_lines(content: Content, start: int, end: int, shown: str, places: Places) -> Container | None:
    """The file as lines; None when it is not clearly that."""
    first_end = content.find(b"\n", start, end)
    if first_end < 0:
        return None
    if not isinstance(parse(without_comma(content[start:first_end].strip())), Damaged):
        return _lines(content, shown, places)
    if content[start : start + 1] not in (b"{", b"["):
        return None
    sample = content[start : start + _SAMPLE_BYTES]
    quick = scan(sample, 0, _QUICK_TOKENS)
    if quick.state == "limit" and len(quick.stack) >= _DEEP:
        return _lines(content, shown, places)  # no file nests values this deeply
    if quick.state in ("limit", "torn") or (quick.state == "complete" and start + quick.pos >= end):
        return None
    if quick.state == "error" and (may_be_literal(sample, quick.pos) or is_after_comma(sample, quick.pos)):
        return None
    try:
        found = _lines(content, shown, places)
    except UnreadableFile:
        return None
    # The first line is damaged; if few others are better, it is one document with a syntax error.
    if found is not None and quick.state == "error" and start + quick.pos > first_end and found.parts == (0,):
        return found if share_readable(found.conversations[0].document) >= 0.5 else None
    return found


def _lines(content: Content, shown: str, places: Places) -> Container | None:
    index = LineIndex(content)
    if not fits(len(content) - index.stop):
        raise no_memory(shown)
    document = lines_document(content, index)
    if not document.records:
        return None
    spread = _spread(content, index.head_end)
    values = _Sampled((parse(without_comma(line) if index.commas else line) for line in spread), places)
    if not values.count and not any(map(_holds_record, index.bodies())):
        raise UnreadableFile(f"{shown} has no line that is a JSON record; give the session file itself.")
    if values.count * 2 < _sample_size(content) or values.count < values.held * 10 < values.count * 9:
        # The lines are few, or mixed, so that the outcome would depend on the sample.
        values = _Sampled(values_of(sample_of(document.records)), places)
    if values.held * 2 > values.count:
        if not fits(len(content)):
            raise no_memory(shown)
        return read_conversation_lines(content, document, places)
    return Container("lines", (0,), (ConversationSource("", document, offset=0),))


class _Sampled:
    """Counts how many of some values are records, and how many of those hold a whole conversation. Keeps no value."""

    def __init__(self, values: Iterable[Any], places: Places) -> None:
        self.count = self.held = 0
        for value in values:
            if _is_record(value):
                self.count += 1
                self.held += is_conversation_line(value, places)


def _is_record(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _holds_record(block: tuple[int, Sequence[Body]]) -> bool:
    return any(not isinstance(body, Flood) and _is_record(parse(bytes(body))) for body in block[1])


def _sample_size(content: Content) -> int:
    return min(_SAMPLED_AT_LEAST + len(content) // _SAMPLED_EVERY, _SAMPLE)


def _spread(content: Content, start: int) -> Iterator[bytes]:
    """Lines at equal byte distances, starting with the first one."""
    last, count, left = -1, _sample_size(content), _SAMPLE_BYTES
    for number in range(count):
        if left <= 0:
            return
        at = start + (len(content) - start) * number // count
        begin = content.find(b"\n", at) + 1 if number else start
        if begin <= last or begin >= len(content):
            continue
        last = begin
        end = content.find(b"\n", begin)
        body = content[begin : end if end >= 0 else len(content)].strip(_BLANKS)
        left -= len(body)
        if body:
            yield body


def _largest(content: Content, start: int, limits: Limits) -> Elements | None:
    """The elements of the longest array of a JSON value; None where it has none."""
    opens = content[start : start + 1] in (b"{", b"[")
    return largest_array(content, start, longest=limits.line) if opens else None


def _as_document(content: Content, start: int, shown: str, limits: Limits, row: Elements) -> Container | None:
    """The file as one JSON value that is mostly the elements of one array; None when it is not.

    An array is recognised by its first elements: the value without most of the others is read as a small file would be,
    and is given all of them afterwards.
    """
    if _holds_conversations(content, row, limits):
        return None
    kept = next((n for n in range(LOOKED_AT, len(row.ends)) if row.ends[n - 1] - row.start > _KEPT), len(row.ends))
    cut, resumed = row.ends[kept - 1], row.ends[-1]
    if kept == len(row.ends) or not fits(len(content) - (resumed - cut)):
        return None
    text = content[:cut] + content[resumed:]
    refuse_long_line(text, shown, limits)
    try:
        found = read_in_memory(text, shown, limits.places)
    except UnreadableFile:
        wrong = scan(text, start)
        if wrong.state != "error" or wrong.pos <= cut or may_be_literal(text, wrong.pos):
            return None  # only the whole text can tell what it is
        raise syntax_error(content, SpanScan("error", wrong.pos + resumed - cut), shown) from None
    if found.kind == "lines" and not limits.places:  # no list where they usually are: it is the one that is large
        found = read_in_memory(text, shown, _place_of(text, row.start))
    if found.kind != "document" or len(found.conversations) != 1:
        return None
    (source,) = found.conversations
    if source.offset != row.start or len(source.document) < kept:
        return None
    document = _with_all(source.document, content, row, kept, source.offset + resumed - cut)
    return replace(found, conversations=(replace(source, document=document),))


def _are_conversations(content: Content, start: int, limits: Limits) -> bool:
    """Whether the value is clearly an array of conversations, by its first bytes."""
    text = content[start : start + _LONG_LINE]
    row = _largest(text, 0, limits) if text.startswith(b"[") else None
    return row is not None and len(row.ends) >= _ASKED and _holds_conversations(text, row, limits)


def _holds_conversations(content: Content, row: Elements, limits: Limits) -> bool:
    """Whether each of the first elements is a conversation of its own."""
    first = [parse(content[row.starts[n] : row.ends[n]]) for n in range(min(len(row.ends), _ASKED))]
    return all(isinstance(value, (dict, list)) and is_conversation_line(value, limits.places) for value in first)


def _place_of(text: bytes, start: int) -> Places:
    """Where in a document the value that begins at this place is: below keys alone."""
    keys: list[str] = []
    try:
        node = node_at(text)
        while node.start != start:
            node = next(child for child in children(text, node) if child.start <= start < child.end)
            keys.append(key_text(text, node))
    except (BadSpan, StopIteration):
        return ()
    return (tuple(keys),)


def _with_all(few: Document, content: Content, row: Elements, kept: int, moved: int) -> Document:
    """The document with all elements of the run, not just the first. `moved` is the old start of what follows them."""
    starts, ends = row.starts, row.ends
    rest: Sequence[Record] = few.records[kept:]
    first_line = few.records[0].line or 1
    lines = array("I", (first_line + count - row.lines[0] for count in row.lines))
    if rest:
        more = content.count(b"\n", ends[kept - 1], ends[-1])
        for record in rest:
            at = (record.start or 0) + moved
            starts.append(at)
            ends.append(at + record.size)
            lines.append((record.line or 1) + more)
    first = len(starts) - len(rest)
    given = {first + n: record.known for n, record in enumerate(rest) if record.known is not UNREAD}
    return few.with_(IndexedRecords(ArrayIndex(content, starts, ends, lines), given=given), next_uid=None)
