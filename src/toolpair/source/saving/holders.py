"""The processes that have a file open for writing, as far as this user can see."""

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
    """The processes, except this one, that have the file `found` open for writing. `path` is its current name."""
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
    """The writers in the output of `lsof -Fpcfa`: one field per line, each after a letter."""
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
