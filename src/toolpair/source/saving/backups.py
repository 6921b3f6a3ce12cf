"""The backups and side files of a file, and the user's limit on the number of backups."""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from toolpair.source.errors import Refused
from toolpair.source.saving.file_names import kept
from toolpair.source.saving.holders import writers
from toolpair.source.saving.leases import Leased
from toolpair.source.system import O_NOFOLLOW, O_WAITLESS, Io

LIMIT_VARIABLE: Final = "TOOLPAIR_BACKUPS"


class Backup(Struct, frozen=True):
    """A backup or side file left by a save. `size` is in bytes."""

    path: Path
    time: datetime
    size: int


def backups(path: str | os.PathLike[str]) -> list[Backup]:
    """The backups of a file, newest first. The file itself need not exist."""
    return _listed(path, "bak")


def asides(path: str | os.PathLike[str]) -> list[Backup]:
    """The side files of a file, which hold what fixes set aside; newest first."""
    return _listed(path, "aside")


def _listed(path: str | os.PathLike[str], kind: str) -> list[Backup]:
    target = Path(os.path.realpath(path))
    try:
        parts = ((kept(name, target.name), name) for name in os.listdir(target.parent))
    except OSError:
        return []
    listed: list[Backup] = []
    for entry, name in sorted(((entry, name) for entry, name in parts if entry is not None), reverse=True):
        with contextlib.suppress(OSError):
            there = os.lstat(target.parent / name)
            if entry.kind == kind and stat.S_ISREG(there.st_mode):
                listed.append(Backup(target.parent / name, entry.time, there.st_size))
    return listed


def limit_of_backups(given: int | None = None) -> int | None:
    """How many backups of a file to keep: `given`, else the value of TOOLPAIR_BACKUPS, else None for all.

    Raises Refused when it is not a number of at least 1.
    """
    text = os.environ.get(LIMIT_VARIABLE, "").strip()
    if given is None and not text:
        return None
    number = given if given is not None else int(text) if text.isascii() and text.isdecimal() else 0
    if number < 1:
        what = "The number of backups to keep" if given is not None else f"{LIMIT_VARIABLE} in the environment"
        raise Refused(f"{what} must be a whole number, 1 or more; nothing was written.", "backups")
    return number


def prune(path: str, newest: str, limit: int, io: Io) -> tuple[Path, ...]:
    """Delete backups of `path` beyond `limit`, oldest first. Never `newest`, and none that is being written to."""
    others = [backup for backup in backups(path) if str(backup.path) != newest]
    removed: list[Path] = []
    for backup in others[limit - 1 :]:
        with contextlib.suppress(OSError):
            if not is_written_to(str(backup.path), io):
                io.unlink(str(backup.path))
                removed.append(backup.path)
    return tuple(removed)


def is_written_to(name: str, io: Io) -> bool:
    """Whether a process has the file open for writing, as far as this user can see. Raises OSError."""
    try:
        descriptor = io.open(name, os.O_RDONLY | O_NOFOLLOW | O_WAITLESS)
    except PermissionError:
        return False
    try:
        state = Leased(descriptor, io).take("read")
        return state == "held" or (state == "unsupported" and bool(writers(name, io.fstat(descriptor))))
    finally:
        os.close(descriptor)
