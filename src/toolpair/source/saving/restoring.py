"""Restoring a backup."""

from __future__ import annotations

import os
import stat
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.source.addresses import is_database
from toolpair.source.byte_runs import OriginalRun, Piece
from toolpair.source.errors import Refused
from toolpair.source.fingerprint import Identity
from toolpair.source.saving.backups import Backup, is_written_to
from toolpair.source.saving.checks import changed
from toolpair.source.saving.in_place import replace_file
from toolpair.source.saving.made import SaveResult, stat_or_none
from toolpair.source.saving.new_file import save_as
from toolpair.source.saving.opened_content import known
from toolpair.source.saving.replaced import Old
from toolpair.source.saving.streaming import Progress, Source
from toolpair.source.snapshot import Snapshot
from toolpair.source.system import O_WAITLESS, SYSTEM, Io, open_leased

if TYPE_CHECKING:
    from toolpair.source.folders.layout import FolderLayout


def restore(
    path: str | os.PathLike[str],
    backup: Backup | str | os.PathLike[str],
    *,
    now: datetime | None = None,
    io: Io = SYSTEM,
    allow_links: bool = False,
    progress: Progress | None = None,
    only_over: Snapshot | None = None,
    layout: FolderLayout | None = None,
) -> SaveResult:
    """Put a backup back in the file's place, byte for byte; the current file, if any, becomes a backup itself.

    `only_over`: only while the file holds exactly this. `layout`: what is known of a folder. A backup of another kind
    of file, or another user's, is refused: a folder that somebody sent may hold one. Raises Refused or SaveFailed.
    """
    source = os.fspath(backup.path if isinstance(backup, Backup) else backup)
    shown = os.fspath(path)
    target = os.path.realpath(shown)
    pieces: list[Piece] = []
    if is_database(source):
        from toolpair.source.rows.backup import database_in, read
        from toolpair.source.rows.copying import names_database
        from toolpair.source.rows.save import refuse_no_database, restore_rows

        held = read(source)
        if held is not None and os.path.isdir(target):
            from toolpair.source.folders.save import restore_files

            return restore_files(target, source, held, only_over, layout)
        if held is not None and is_database(target):
            return restore_rows(target, source, held, only_over)
        if held is None or os.path.lexists(target) or not names_database(target):
            raise Refused(_another_kind(source, shown), "form")
        refuse_no_database(target, source, held)
        pieces = [database_in(source)]
    elif os.path.isdir(target) or is_database(target):
        raise Refused(_another_kind(source, shown), "form")
    unreadable = f"{source} is not a backup that can be read; choose another one."
    try:
        descriptor = open_leased(lambda: io.open(source, os.O_RDONLY | O_WAITLESS))
    except OSError:
        raise Refused(unreadable, "gone") from None
    try:
        try:
            kept = io.fstat(descriptor)
        except OSError:
            raise Refused(unreadable, "gone") from None
        if not stat.S_ISREG(kept.st_mode):
            raise Refused(unreadable, "not-regular")
        pieces = pieces or [OriginalRun(0, kept.st_size)]
        found = stat_or_none(target)
        if hasattr(os, "geteuid") and kept.st_uid not in (os.geteuid(), found.st_uid if found is not None else 0):
            raise Refused(f"{source} belongs to another user than {shown}; copy it yourself if you trust it.", "form")
        if only_over is not None:
            if found is None or only_over.identity is None:
                raise Refused(changed(shown), "changed")
            old = Old(target, shown, only_over.identity, known(only_over))
        elif found is not None:
            old = Old(target, shown, Identity.of(found), None)
        if found is None:
            result = save_as(
                target, pieces, like=descriptor, source=Source(descriptor), progress=progress, now=now, io=io
            )
        else:
            result = replace_file(
                old, pieces, source=descriptor, now=now, io=io, allow_links=allow_links, progress=progress
            )
        return replace(result, notes=(*result.notes, *_note_on_writer(source, io)))
    finally:
        os.close(descriptor)


def _another_kind(backup: str, shown: str) -> str:
    return f"{backup} is not a backup of {shown}: one is a database or a folder, the other is not; choose another one."


def _note_on_writer(backup: str, io: Io) -> list[str]:
    """A note if an agent has the file open since before the save: it writes to the backup, and will continue to."""
    try:
        if not is_written_to(backup, io):
            return []
    except OSError:
        return []
    name = os.path.basename(backup)
    return [f"Another program still has {name} open for writing: what it writes there does not reach the file."]
