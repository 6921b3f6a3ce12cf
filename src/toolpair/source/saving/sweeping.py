"""Leftovers of saves that were killed. Only what is surely of no use to anybody is taken away."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Final

from toolpair.source.saving.names import is_temporary, kept
from toolpair.source.system import O_NOFOLLOW, O_WAITLESS, Io

_YOUNG: Final = 60.0
"""Seconds. A running save locks its temporary file before it writes to it; an empty young one may not be locked yet."""


def sweep(path: str, target: tuple[int, int], io: Io) -> None:
    """Remove temporary files that no save has locked, and temporary and backup names of the file itself.

    `target` is the file's device and number. The caller has the lock of the file: no other save is about to use them.
    """
    folder, own = os.path.split(path)
    try:
        names = list(io.names(folder))
    except OSError:
        return
    for name in names:
        with contextlib.suppress(OSError):
            whole = os.path.join(folder, name)
            entry = kept(name, own)
            if not is_temporary(name) and (entry is None or entry.kind != "bak"):
                continue
            found = os.lstat(whole)
            if (found.st_dev, found.st_ino) == target:
                io.unlink(whole)
            elif is_temporary(name):
                _sweep_temporary(whole, io)


def _sweep_temporary(name: str, io: Io) -> None:
    descriptor = io.open(name, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS)
    try:
        found = io.fstat(descriptor)
        if found.st_size or time.time() - found.st_mtime > _YOUNG:
            io.flock(descriptor)
            io.unlink(name)
    finally:
        os.close(descriptor)
