"""Private copies of databases: readable by this user alone, and gone with the process, however that ends."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from toolpair.source.addresses import LOG_ENDINGS
from toolpair.source.system import O_DIRECTORY, O_NOFOLLOW, SYSTEM

_PREFIX: Final = "toolpair-copy-"
_NAMELESS: Final = getattr(os, "O_TMPFILE", 0)
_PIECE: Final = 1 << 20
_YOUNG: Final = 60.0
"""Seconds. A new, empty folder may not be locked yet."""
_NOT_THERE: Final = (errno.ENOENT, errno.ENAMETOOLONG)
Progress = Callable[[int], None]


@contextmanager
def private_copy(path: str, progress: Progress | None = None) -> Iterator[str | None]:
    """The name of a copy of the database and its log, for as long as the body runs.

    None if a part of it went away meanwhile. What is open by then stays readable. The parts have no names before all of
    them are there; the folder is locked, so that what a killed process leaves is known by the next one. `progress` gets
    the bytes copied so far.
    """
    _sweep()
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    lock = os.open(folder, os.O_RDONLY | O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            SYSTEM.flock(lock)
        yield _made(path, os.path.join(folder, "copy.db"), progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _made(path: str, copy: str, progress: Progress | None) -> str | None:
    made: list[tuple[int, str]] = []
    done = 0
    try:
        for ending in ("", *LOG_ENDINGS):
            try:
                with open(path + ending, "rb") as file:
                    made.append((_new(copy + ending), copy + ending))
                    done = _copy_to(made[-1][0], file.fileno(), done, progress)
            except OSError as error:
                if ending and error.errno in _NOT_THERE:
                    continue
                if error.errno == errno.ENOENT and os.path.lexists(path):
                    return None
                raise
        for descriptor, name in made:
            if not os.path.lexists(name):
                # With a descriptor, even one that does not matter, Python calls linkat, which follows the link.
                os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=descriptor)
        return copy
    finally:
        for descriptor, _ in made:
            os.close(descriptor)


def _new(name: str) -> int:
    """A new file, without a name where the system can give it one later."""
    if _NAMELESS and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            return os.open(os.path.dirname(name), os.O_WRONLY | _NAMELESS, 0o600)
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)


def _copy_to(descriptor: int, source: int, done: int, progress: Progress | None) -> int:
    # A log may grow faster than it is copied.
    left = os.fstat(source).st_size
    while piece := os.read(source, min(left, _PIECE)):
        left -= len(piece)
        done += len(piece)
        if progress is not None:
            progress(done)
        view = memoryview(piece)
        while view:
            view = view[os.write(descriptor, view) :]
    return done


def _sweep() -> None:
    """Remove the copies of this user's processes that were killed."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(_PREFIX):
                with contextlib.suppress(OSError):
                    _swept(entry.path)


def _swept(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    try:
        if hasattr(os, "geteuid") and os.fstat(descriptor).st_uid == os.geteuid():
            if not os.listdir(descriptor) and time.time() - os.fstat(descriptor).st_mtime < _YOUNG:
                return
            SYSTEM.flock(descriptor)  # fails while the process that made it lives
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)
