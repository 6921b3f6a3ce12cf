"""Which processes have a file open for writing, as far as this user may see it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

from msgspec import Struct

from toolpair.source.saving import descriptors

_SECONDS: Final = 2.0


class Holder(Struct, frozen=True):
    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name}, process {self.pid}" if self.name else f"process {self.pid}"


def writers(path: str, found: os.stat_result) -> list[Holder]:
    """The processes, this one left out, that have the file `found` open for writing. `path` is its name now."""
    if descriptors.can_be_seen():
        file = (found.st_dev, found.st_ino)
        return [
            Holder(pid, descriptors.name_of(pid)) for pid in descriptors.processes() if descriptors.writes(pid, file)
        ]
    if sys.platform == "darwin":
        return _from_lsof(path)
    return []


def _from_lsof(path: str) -> list[Holder]:
    try:
        ran = subprocess.run(["lsof", "-nP", "-Fpcfa", "--", path], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return []
    return [holder for holder in read_lsof(ran.stdout.decode("utf-8", "replace")) if holder.pid != os.getpid()]


def read_lsof(text: str) -> list[Holder]:
    """The writers in what `lsof -Fpcfa` prints: one field a line, a letter before each."""
    found: dict[int, Holder] = {}
    pid, name = 0, ""
    for line in text.splitlines():
        kind, value = line[:1], line[1:]
        if kind == "p" and value.isdecimal():
            pid, name = int(value), ""
        elif kind == "c":
            name = value
        elif kind == "a" and value in ("w", "u"):
            found.setdefault(pid, Holder(pid, name))
    return list(found.values())
