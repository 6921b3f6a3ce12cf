"""A backup put back."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from typing import Final

from toolpair.source.errors import Refused
from toolpair.source.opening import Identity
from toolpair.source.saving.backups import Backup
from toolpair.source.saving.in_place import replace_file
from toolpair.source.saving.keeping import file_chunks
from toolpair.source.saving.made import stat_or_none
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.replaced import Old
from toolpair.source.saving.result import SaveResult
from toolpair.source.system import O_WAITLESS, Io

_SYSTEM: Final = Io()


def restore(
    path: str | os.PathLike[str],
    backup: Backup | str | os.PathLike[str],
    *,
    now: datetime | None = None,
    io: Io = _SYSTEM,
    allow_links: bool = False,
) -> SaveResult:
    """Put a backup back in the file's place, byte for byte; the present file, if any, becomes a backup itself.

    Raises Refused or SaveFailed.
    """
    source = os.fspath(backup.path if isinstance(backup, Backup) else backup)
    shown = os.fspath(path)
    target = os.path.realpath(shown)
    unreadable = f"{source} is no backup that can be read; choose another one."
    try:
        descriptor = io.open(source, os.O_RDONLY | O_WAITLESS)
    except OSError:
        raise Refused(unreadable, "gone") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused(unreadable, "not-regular")
        found = stat_or_none(target)
        if found is None:
            return save_as(target, file_chunks(descriptor, io), like=descriptor, now=now, io=io)
        old = Old(target, shown, Identity.of(found), None)
        return replace_file(old, file_chunks(descriptor, io), now=now, io=io, allow_links=allow_links)
    finally:
        os.close(descriptor)
