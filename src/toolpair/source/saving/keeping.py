"""What a save keeps next to the file: the old content as a backup, and the bytes that a fix set aside."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence
from typing import Final

from toolpair.source.byte_runs import OriginalRun
from toolpair.source.errors import Refused
from toolpair.source.saving.checks import changed
from toolpair.source.saving.file_names import KeptNames, temporary_name
from toolpair.source.saving.made import Made, stat_or_none
from toolpair.source.saving.streaming import Source, Stream, write_all
from toolpair.source.system import O_DIRECTORY, Io

NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS, errno.EACCES)
"""Errors of systems and file systems without hard links."""
_NO_FLUSH: Final = (errno.EINVAL, errno.ENOTSUP)


def keep_old(path: str, descriptor: int, shown: str, names: KeptNames, made: Made, io: Io) -> tuple[str, bool]:
    """Hard-link the old file, open as `descriptor`, to a backup name; copy it where links are impossible.

    Never overwrites a file. Returns the name, and whether it is the old file itself rather than a copy.
    """
    target = io.fstat(descriptor)
    while True:
        name = names.free("bak")
        made.kept.append(name)
        try:
            io.link(path, name)
            return name, True
        except FileExistsError:
            made.kept.remove(name)
        except FileNotFoundError:
            # Another file is taking over the path at this moment.
            made.kept.remove(name)
            raise Refused(changed(shown), "changed") from None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                made.kept.remove(name)
                raise Refused(
                    f"The name of {shown} is too long to keep the original beside it; save under a new name.",
                    "name-too-long",
                ) from None
            there = stat_or_none(name)
            linked = there is not None and os.path.samestat(there, target)
            if not linked:
                made.kept.remove(name)
            if error.errno not in NO_LINKS:
                raise
            if linked:
                # Some network file systems create the link and report failure.
                return name, True
            return copy_old(descriptor, target, names, made, io), False


def copy_old(descriptor: int, target: os.stat_result, names: KeptNames, made: Made, io: Io) -> str:
    """Copy the open file to a backup, under a temporary name first: half a copy is not a backup."""
    temporary = temporary_name(os.path.dirname(names.free("bak")))
    made.names.append(temporary)
    written = io.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    made.descriptors.append(written)
    with contextlib.suppress(OSError):
        io.flock(written)  # otherwise another save's sweep could remove it
    Stream(written, io).write([OriginalRun(0, io.fstat(descriptor).st_size)], Source(descriptor))
    kept_owner = _give_to(target, written, io)
    io.fchmod(written, stat.S_IMODE(target.st_mode) & (0o7777 if kept_owner else 0o700))
    io.fsync(written)
    made.close(written)
    name = names.free("bak")
    made.kept.append(name)
    io.rename(temporary, name)
    return name


def _give_to(like: os.stat_result, descriptor: int, io: Io) -> bool:
    """Give a new file the owner and group of the file it is kept for. Returns whether it has both afterwards."""
    now = io.fstat(descriptor)
    if (now.st_uid, now.st_gid) == (like.st_uid, like.st_gid):
        return True
    try:
        io.fchown(descriptor, like.st_uid, like.st_gid)
    except OSError:
        return False
    return True


def put_aside(
    pieces: Sequence[bytes], names: KeptNames, made: Made, io: Io, like: os.stat_result | None = None
) -> str | None:
    """Write the bytes to a side file, each piece ended by a line end; None when there are none.

    `like` is the file they come from: its owner must be able to read them.
    """
    if not pieces:
        return None
    while True:
        name = names.free("aside")
        made.kept.append(name)
        try:
            descriptor = io.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            break
        except FileExistsError:
            made.kept.remove(name)
    made.descriptors.append(descriptor)
    if like is not None:
        _give_to(like, descriptor, io)
    for piece in pieces:
        write_all(descriptor, piece if piece.endswith(b"\n") else piece + b"\n", io)
    io.fsync(descriptor)
    made.close(descriptor)
    # These bytes leave the file, so their new name must be durable before they do.
    _flush_directory(name, io)
    return name


def _flush_directory(path: str, io: Io) -> None:
    """Make the names in `path`'s folder durable."""
    if os.name == "nt":
        return
    descriptor = io.open(os.path.dirname(path), os.O_RDONLY | O_DIRECTORY)
    try:
        flush_names(descriptor, io)
    finally:
        os.close(descriptor)


def flush_names(folder: int, io: Io) -> None:
    """Make the names in an open folder durable, where the system can."""
    try:
        io.fsync(folder)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise


def flush_new_name(path: str, io: Io) -> list[str]:
    """As `_flush_directory`, after the save has happened: a failure is only a note."""
    try:
        _flush_directory(path, io)
    except OSError:
        return ["The new content is in place, but the system did not confirm that it would survive a power cut."]
    return []
