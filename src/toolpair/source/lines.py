"""JSONL as a document."""

from __future__ import annotations

import re
from typing import Final

from toolpair.source.document import Document
from toolpair.source.record import Record

_BLANK_END: Final = re.compile(rb"[\0 \t\r]*+\Z")


def lines_document(data: bytes, *, line: int = 1) -> Document:
    """JSONL as a document: split at newlines only; blank lines, line ends, BOM and a NUL tail are glue.

    A record's uid is its line less one, so that whoever knows the uid can name the line.
    """
    total = len(data)
    pos = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    stop = total
    last_newline = max(data.rfind(b"\n") + 1, pos)
    if _BLANK_END.match(data, last_newline):
        stop = last_newline
    records: list[Record] = []
    glues: dict[bytes, bytes] = {}
    head_end: int | None = None
    body_end = pos
    find = data.find
    while pos < stop:
        newline = find(b"\n", pos, stop)
        next_pos = stop if newline < 0 else newline + 1
        end = stop if newline < 0 else newline
        # The body is the line without the white space around it: bytes that no parser reads.
        start = pos
        while start < end and data[start] in b" \t\r":
            start += 1
        while end > start and data[end - 1] in b" \t\r":
            end -= 1
        if start < end:
            if head_end is None:
                head_end = start
            else:
                glue = data[body_end:start]
                records[-1].glue = glues.setdefault(glue, glue)
            records.append(Record(line - 1, data, start, end, b"", line))
            body_end = end
        line += 1
        pos = next_pos
    if not records:
        return Document("lines", (), data[:stop], data[stop:])
    records[-1].glue = data[body_end:stop]
    return Document("lines", records, data[:head_end], data[stop:])
