"""What happened to a file since it was read: grown, truncated, replaced or gone. Costs one `stat` when nothing did."""

from __future__ import annotations

import os
import time
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from toolpair.source.document import Document
from toolpair.source.edges import same_bytes
from toolpair.source.errors import UnreadableFile
from toolpair.source.file_bytes import Content, FileBytes
from toolpair.source.fingerprint import Identity
from toolpair.source.indexed_records import IndexedRecords
from toolpair.source.limits import fits
from toolpair.source.record_values import parse, without_comma
from toolpair.source.snapshot import Snapshot, StoredRecords, open_source
from toolpair.transcript.model import Damaged

Change = Literal["grown", "rewritten", "truncated", "replaced", "gone"]
_COMPARED: Final = 1 << 16
"""Bytes at the start and before the old end that show whether a file has only grown; a save compares all of them."""


_JUST_NOW: Final = 2.0
"""Seconds since the last write during which an incomplete file counts as being written."""


class Growth(Struct, frozen=True, eq=False):
    """`snapshot` is what the file holds now, None when it is gone. `looked` is the state in which it was seen."""

    change: Change | None
    """None while no whole record has arrived: a partial one is left for the next look."""
    snapshot: Snapshot | None
    looked: Identity | None


def is_being_written(state: Identity) -> bool:
    """Whether the last write is so recent that another may follow."""
    return time.time() - state.mtime_ns / 1e9 < _JUST_NOW


def look(snapshot: Snapshot, looked: Identity | None) -> Growth | None:
    """What happened to the snapshot's file; None when nothing did, or nothing since `looked`.

    Raises Unreadable when it has changed and cannot be read.
    """
    if snapshot.path is None or snapshot.identity is None:
        return None
    if snapshot.rows is not None:
        return _look_at_records(snapshot, snapshot.rows, looked)
    try:
        now = Identity.of(os.stat(snapshot.path))
    except OSError:
        return Growth("gone", None, None)
    if now in (looked, snapshot.identity):
        return None
    before = snapshot.identity
    same_file = (now.dev, now.ino) == (before.dev, before.ino)
    if same_file and snapshot.packing is None and now.size > len(snapshot.data) == before.size:
        grown = _grown(snapshot, now)
        if grown is not None:
            return grown
    try:
        read = replace(open_source(snapshot.path, snapshot.limits), shown=snapshot.shown)
    except UnreadableFile:
        if is_being_written(now):
            return None  # emptied first, as some agents do: the next look sees the result
        raise
    if same_bytes(read.data, snapshot.data):
        return Growth(None, replace(snapshot, identity=read.identity), now)
    if not same_file:
        return Growth("replaced", read, now)
    return Growth("truncated" if len(read.data) < len(snapshot.data) else "rewritten", read, now)


def _look_at_records(snapshot: Snapshot, records: StoredRecords, looked: Identity | None) -> Growth | None:
    """The same for records that are no lines of a file."""
    try:
        now = records.state()
    except OSError:
        return Growth("gone", None, None)
    if now in (looked, snapshot.identity):
        return None
    read = records.read(snapshot.shown)
    if same_bytes(read.data, snapshot.data):
        return Growth(None, replace(snapshot, identity=read.identity), now)
    is_more = bytes(read.data[: len(snapshot.data)]) == bytes(snapshot.data[:])
    return Growth("grown" if is_more else "rewritten", read, now)


def _grown(snapshot: Snapshot, now: Identity) -> Growth | None:
    """The snapshot with the whole records that were appended; None when earlier bytes have changed as well."""
    data = snapshot.data
    start = max(0, len(data) - _COMPARED)
    assert snapshot.path is not None
    if not fits(now.size - start):
        raise UnreadableFile(f"{snapshot.shown} has become too large to fit into memory.")
    try:
        first, last = data[:_COMPARED], data[start:]
    except UnreadableFile:
        return None  # it has not only grown
    try:
        with open(snapshot.path, "rb") as file:
            if file.read(min(_COMPARED, len(data))) != first:
                return None
            file.seek(start)
            end = file.read(now.size - start)
            if not end.startswith(last):
                return None
            added = _whole_records(data, end[len(data) - start :])
            size = len(data) + len(added)
            grown = FileBytes(file.fileno(), size, snapshot.shown) if isinstance(data, FileBytes) else data + added
    except OSError as error:
        raise UnreadableFile(f"{snapshot.shown} cannot be read ({error.strerror or error}); try again.") from None
    if not added:
        return Growth(None, snapshot, now)
    identity = Identity(now.dev, now.ino, size, now.mtime_ns, now.ctime_ns)
    return Growth("grown", replace(snapshot, data=grown, identity=identity), now)


def _whole_records(data: Content, added: bytes) -> bytes:
    """`added` without a last line that is still being written."""
    cut = added.rfind(b"\n") + 1
    rest = added[cut:]
    if not rest:
        return added
    line = rest if cut else data[data.rfind(b"\n") + 1 :] + rest
    return added[:cut] if isinstance(parse(without_comma(line.strip())), Damaged) else added


def carry_over(old: Document, new: Document) -> None:
    """Hand the parsed records of the old document to the new one where their bytes are the same."""
    if old.kind != "lines" or new.kind != "lines":
        return
    if isinstance(old.records, IndexedRecords) and isinstance(new.records, IndexedRecords):
        for place, before in old.records.made():
            if place >= len(new.records) or old.records.span(place) != new.records.span(place):
                break
            before.share_knowledge(new.records[place])
        return
    for before, after in zip(old.records, new.records, strict=False):
        if (before.start, before.size) != (after.start, after.size):
            return
        before.share_knowledge(after)
