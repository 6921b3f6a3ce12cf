"""Both ends of the links that a fix would create: where they are in the file, and what they say."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from toolpair.dialects.block_texts import glance
from toolpair.rules.problem import Fix
from toolpair.source.document import Document
from toolpair.transcript.edits import Relink


class End(Struct, frozen=True):
    """`words` is the record's text, untrusted; None for a record without text."""

    line: int | None
    role: str
    words: str


class Link(Struct, frozen=True):
    """`later` would follow `earlier`; with `earlier` None it would begin the history."""

    earlier: End | None
    later: End


def links_of(document: Document, fix: Fix) -> Iterator[Link]:
    for edit in fix.edits:
        if isinstance(edit, Relink) and edit.record in document:
            yield Link(_parent(document, edit), _end(document, edit.record))


def _parent(document: Document, edit: Relink) -> End | None:
    """The record that another links to usually precedes it closely, but may also follow it."""
    if edit.parent is None:
        return None
    here = document.index(edit.record)
    records = document.records
    for places in (range(here - 1, -1, -1), range(here + 1, len(records))):
        for place in places:
            record = records[place]
            value = record.value
            if isinstance(value, dict) and value.get("uuid") == edit.parent:
                return _end(document, record.uid)
    return None


def _end(document: Document, uid: int) -> End:
    value = document.record(uid).value
    message = value.get("message", value) if isinstance(value, dict) else value
    if not isinstance(message, dict):
        return End(document.line_of(uid), "", "")
    role = message.get("role") or value.get("type")
    return End(document.line_of(uid), role if isinstance(role, str) else "", glance(message.get("content")))
