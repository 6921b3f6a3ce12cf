"""JSONL as a document."""

from __future__ import annotations

from toolpair.source.document import Document
from toolpair.source.file_bytes import Content
from toolpair.source.index import LineIndex
from toolpair.source.indexed_records import IndexedRecords


def lines_document(
    content: Content, index: LineIndex | None = None, first: int = 0, end: int | None = None, *, line: int = 1
) -> Document:
    """JSONL as a document: split at newlines only; blank lines, line ends, BOM and trailing NULs are glue.

    A record's uid is its line less one, so that the line can be named from the uid. With an `index` of the content,
    `first` and `end`, the document has only those records; the documents of consecutive ranges together hold the whole
    content. Raises Unreadable.
    """
    index = LineIndex(content, line) if index is None else index
    records = IndexedRecords(index, first, end)
    if not index.grow(1):
        return Document("lines", (), content[: index.stop], content[index.stop :])
    head = content[: index.head_end] if first == 0 else b""
    tail = content[index.stop :] if end is None or end >= len(index) else b""
    return Document("lines", records, head, tail)
