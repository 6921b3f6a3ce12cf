"""What is known of an opened file's content, to compare with the file when it is saved."""

from __future__ import annotations

import os
from functools import partial

from msgspec.structs import replace

from toolpair.source.errors import Refused, UnreadableFile
from toolpair.source.file_bytes import FileBytes
from toolpair.source.fingerprint import Fingerprint, Identity
from toolpair.source.saving.streaming import Source, read_at
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import Io


def known(snapshot: Snapshot) -> bytes | Fingerprint | None:
    """What to compare the file with when one of its times has changed; None when nothing is known."""
    return snapshot.fingerprint if isinstance(snapshot.raw, FileBytes) else snapshot.raw


def remembered(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a fingerprint of content that is not in memory, if the file certainly still holds that content.

    Reads only the part that an existing fingerprint does not cover.
    """
    data, identity = snapshot.raw, snapshot.identity
    if not isinstance(data, FileBytes) or identity is None:
        return snapshot
    if snapshot.fingerprint is not None and snapshot.fingerprint.size == len(data):
        return snapshot
    try:
        before = Identity.of(os.fstat(data.fileno()))
        if identity.mtime_ns and (before.mtime_ns, before.ctime_ns) != (identity.mtime_ns, identity.ctime_ns):
            return snapshot
        taken = Fingerprint.of(data, snapshot.fingerprint)
        if Identity.of(os.fstat(data.fileno())) != before:
            return snapshot
    except (OSError, UnreadableFile):
        return snapshot
    return replace(snapshot, fingerprint=taken)


def source_of(snapshot: Snapshot) -> Source | None:
    """The open file to copy from, through its content's own descriptor; None when the content is in memory."""
    data = snapshot.data
    if not isinstance(data, FileBytes):
        return None
    # Lines that were made of rows, were unpacked or came from a pipe are in a file that nobody else knows.
    is_own = snapshot.rows is not None or snapshot.packing is not None or snapshot.path is None
    return Source(data.fileno(), refuse_changed=None if is_own else partial(_refuse_changed, snapshot, data.fileno()))


def _refuse_changed(snapshot: Snapshot, descriptor: int, io: Io) -> None:
    """Refuse an open file, whatever its name is now, that no longer begins with the content."""
    if Identity.of(io.fstat(descriptor)) == snapshot.identity:
        return
    taken = snapshot.fingerprint
    if (
        taken is None
        or taken.size != len(snapshot.data)
        or not taken.begins(lambda size, position: read_at(descriptor, size, position, io))
    ):
        raise Refused(f"{snapshot.shown} has changed since it was opened; open it again.", "changed")
