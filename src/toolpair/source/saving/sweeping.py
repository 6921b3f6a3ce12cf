"""Removing leftovers of killed saves, but only those that certainly nobody uses."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from toolpair.source.saving.file_names import is_temporary, kept
from toolpair.source.saving.leases import Leased
from toolpair.source.system import O_NOFOLLOW, O_WAITLESS, SYSTEM, Io

_YOUNG: Final = 60.0
"""Seconds. A running save locks its temporary file before writing to it; a new, empty one may not be locked yet."""


class Leftover(Struct, frozen=True):
    """A temporary file of a save that was killed. `size` is in bytes."""

    name: str
    size: int


def sweep(path: str, target: tuple[int, int], io: Io) -> None:
    """Remove temporary files that no save has locked, and temporary and backup names of the file itself.

    `target` is the file's device and inode. The caller holds the file's lock, so no other save is about to use them.
    """
    folder, own = os.path.split(path)
    for name in _names(folder, io):
        with contextlib.suppress(OSError):
            whole = os.path.join(folder, name)
            entry = kept(name, own)
            if not is_temporary(name) and (entry is None or entry.kind != "bak"):
                continue
            found = os.lstat(whole)
            if (found.st_dev, found.st_ino) == target:
                io.unlink(whole)
            elif is_temporary(name):
                _size_of(whole, io, remove=True)


def sweep_folder(folder: str, io: Io) -> None:
    """Remove the temporary files that no save has locked."""
    for name in filter(is_temporary, _names(folder, io)):
        with contextlib.suppress(OSError):
            _size_of(os.path.join(folder, name), io, remove=True)


def leftovers(folder: str) -> Iterator[Leftover]:
    """The temporary files that killed saves left in a folder. Nothing is removed: that is for the next save there.

    Files of a running save are locked, in whichever process it runs; another user's are left alone.
    """
    for name in filter(is_temporary, _names(folder, SYSTEM)):
        with contextlib.suppress(OSError):
            size = _size_of(os.path.join(folder, name), SYSTEM)
            if size is not None:
                yield Leftover(name, size)


def _names(folder: str, io: Io) -> list[str]:
    try:
        return sorted(io.names(folder))
    except OSError:
        return []


def _size_of(name: str, io: Io, *, remove: bool = False) -> int | None:
    """The size of a temporary file that nobody uses. None when somebody may be using it.

    Raises OSError when that cannot be determined, or when it cannot be removed.
    """
    descriptor = io.open(name, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS)
    try:
        found = io.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
            return None
        if not found.st_size and time.time() - found.st_mtime <= _YOUNG:
            return None
        if Leased(descriptor, io).take("read") == "held":
            return None  # a program writes to it: after an exchange of names it may be the original session
        io.flock(descriptor)
        if not os.path.samestat(os.lstat(name), found):
            return None
        if remove:
            io.unlink(name)
        return found.st_size
    finally:
        os.close(descriptor)
