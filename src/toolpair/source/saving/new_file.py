"""Writing a new file, or overwriting one because the user said so."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from toolpair.source.addresses import divided, is_database
from toolpair.source.byte_runs import Piece
from toolpair.source.errors import Refused
from toolpair.source.saving.checks import exists, refuse_folder, refuse_name
from toolpair.source.saving.file_names import KeptNames
from toolpair.source.saving.keeping import NO_LINKS, flush_new_name, put_aside
from toolpair.source.saving.made import Made, SaveResult, stat_or_none, undone_on_failure
from toolpair.source.saving.streaming import Progress, Source
from toolpair.source.saving.temporary import Temporary
from toolpair.source.system import O_WAITLESS, SYSTEM, Io


def save_as(
    path: str | os.PathLike[str],
    pieces: Iterable[Piece],
    force: bool = False,
    mode: int | None = None,
    *,
    now: datetime | None = None,
    io: Io = SYSTEM,
    aside: Sequence[bytes] = (),
    like: int | None = None,
    source: Source | None = None,
    progress: Progress | None = None,
    over_database: bool = False,
) -> SaveResult:
    """Write a new file; overwrite an existing one only with `force`. `aside` goes to a side file next to it.

    `pieces` are new bytes and runs of `source`. An exception from `progress` ends the save, and nothing is written. A
    database is overwritten only with `over_database` as well: it may hold what nobody thought of. `mode` None means
    0600. `like` is an open file whose owner, mode and attributes the new one takes on. Raises Refused or SaveFailed.
    """
    shown = os.fspath(path)
    refuse_name(shown)
    target = os.path.realpath(shown)
    refuse_folder(os.path.dirname(target), shown, "give another name")
    existing = stat_or_none(target)
    if existing is not None and not stat.S_ISREG(existing.st_mode):
        raise Refused(f"{shown} is not a regular file; give another name.", "not-regular")
    if existing is not None and not force:
        raise Refused(exists(shown), "exists")
    if existing is not None and not over_database and is_database(target):
        raise Refused(f"{shown} is a database, and all that it holds would be gone; give another name.", "database")
    if existing is None:
        refuse_name_of_session(shown)
    names = KeptNames(target, now)
    notes: list[str] = []
    with undone_on_failure(target) as made:
        new = Temporary(os.path.dirname(target), made, io)
        if source is not None and source.refuse_changed is not None:
            source.refuse_changed(io)
        new.write(pieces, source, progress)
        if source is not None and source.refuse_changed is not None:
            source.refuse_changed(io)
        over = _open_or_none(target, made, io) if existing is not None else None
        if over is not None and existing is not None:
            notes += new.take_on(existing, over)
            made.close(over)
        elif like is not None:
            notes += new.take_on(io.fstat(like), like)
        else:
            new.set_mode(existing.st_mode if existing is not None else 0o600 if mode is None else mode)
        new.flush()
        aside_name = put_aside(aside, names, made, io, existing)
        if progress is not None:
            progress(new.size)
        if existing is not None:
            new.give_name(target)
        else:
            _name_without_clobber(new, target, shown, force, io)
        made.done = True
        notes += flush_new_name(target, io)
        identity = new.identity(target)
        new.release()
    return SaveResult(Path(target), None, tuple(notes), identity, Path(aside_name) if aside_name is not None else None)


def refuse_name_of_session(shown: str) -> None:
    """A file of that name would be opened in place of the session from then on. Raises Refused."""
    path, session = divided(shown)
    if session is not None and (is_database(path) or os.path.isdir(path)):
        raise Refused(f"{shown} is the name of a session in {path}, not of a file; give another name.", "form")


def _open_or_none(path: str, made: Made, io: Io) -> int | None:
    try:
        descriptor = io.open(path, os.O_RDONLY | O_WAITLESS)
    except PermissionError:
        return None
    made.descriptors.append(descriptor)
    return descriptor


def _name_without_clobber(new: Temporary, target: str, shown: str, force: bool, io: Io) -> None:
    try:
        io.link(new.name, target)
        return
    except FileExistsError:
        if not force:
            raise Refused(exists(shown), "exists") from None
        new.give_name(target)
        return
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if new.is_called(target):
            return  # some network file systems create the link and report failure
    # No hard links on this file system: an empty file claims the name first, so that nothing is overwritten.
    try:
        descriptor = io.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Refused(exists(shown), "exists") from None
    try:
        os.close(descriptor)
        new.give_name(target)
    except BaseException:
        with contextlib.suppress(OSError):
            if os.stat(target).st_size == 0:
                os.unlink(target)
        raise
