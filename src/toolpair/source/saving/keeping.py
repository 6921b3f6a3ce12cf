"""What a save keeps beside the file: the old content as a backup, and the bytes that a fix set aside."""

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
"""What systems say that cannot give a file a second name."""
_NO_FLUSH: Final = (errno.EINVAL, errno.ENOTSUP)


def keep_old(path: str, descriptor: int, shown: str, names: KeptNames, made: Made, io: Io) -> tuple[str, bool]:
    """Give the old file, open as `descriptor`, a second name; copy it where links are not possible. Never clobbers.

    Returns the name, and whether it is the old file itself.
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
            # Another file is taking the path's place at this moment.
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
                # Some network file systems make the link and report a failure.
                return name, True
            return copy_old(descriptor, target, names, made, io), False


def copy_old(descriptor: int, target: os.stat_result, names: KeptNames, made: Made, io: Io) -> str:
    """A copy of the open file as a backup. Under a temporary name first: half a copy is no backup."""
    temporary = temporary_name(os.path.dirname(names.free("bak")))
    made.names.append(temporary)
    written = io.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    made.descriptors.append(written)
    with contextlib.suppress(OSError):
        io.flock(written)  # else the sweep of another save takes it away
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
    """Give a new file the owner and the group of the one it is kept for. Whether it has them then."""
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
    """Write the bytes to a side file, one after the other, each ended by a line end; None when there are none.

    `like` is the file that they are from: who owns it has to be able to read them.
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
    # These bytes leave the file, so that the name has to last before they do.
    try:
        flush_directory(name, io)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise
    return name


def flush_directory(path: str, io: Io) -> None:
    """Make the names in the folder of `path` durable."""
    if os.name == "nt":
        return
    descriptor = io.open(os.path.dirname(path), os.O_RDONLY | O_DIRECTORY)
    try:
        io.fsync(descriptor)
    finally:
        os.close(descriptor)


def flush_new_name(path: str, io: Io) -> list[str]:
    """The same once the save has happened, so that a failure is a note."""
    try:
        flush_directory(path, io)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            return ["The new content is in place, but the system did not confirm that it would survive a power cut."]
    return []
