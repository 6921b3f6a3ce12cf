"""Finding the conversations of what was opened: of a file in memory or on disk, or of stored records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.source.container import Container, ConversationSource, lines_document, read_in_memory
from toolpair.source.index import LineIndex
from toolpair.source.limits import USUAL, Limits, refuse_crumbs, refuse_long_line

if TYPE_CHECKING:
    from toolpair.source.file_bytes import Content
    from toolpair.source.snapshot import Snapshot


def container_in(snapshot: Snapshot) -> Container:
    """The conversations of a snapshot; stored records are one. Raises Unreadable."""
    if snapshot.rows is None:
        return read_container(snapshot.data, snapshot.shown, limits=snapshot.limits)
    document = lines_document(snapshot.data, LineIndex(snapshot.data, of_rows=True))
    return Container("lines", (0,), (ConversationSource("", document, offset=0),))


def read_container(content: Content, shown: str, limits: Limits = USUAL) -> Container:
    """Find the conversations of a file. Raises Unreadable with a one-sentence message."""
    if isinstance(content, bytes):
        refuse_long_line(content, shown, limits)
        refuse_crumbs(content, shown, limits)
        return read_in_memory(content, shown)
    from toolpair.source.large import read_large

    return read_large(content, shown, limits)
