"""Which processes have a file open for writing, as far as this user may see it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_ACCESS: Final = 0o3
_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Holder:
    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name}, process {self.pid}" if self.name else f"process {self.pid}"


def writers(path: str, found: os.stat_result) -> list[Holder]:
    """The processes, this one left out, that have the file `found` open for writing. `path` is its name now."""
    if os.path.isdir("/proc/self/fd"):
        return list(_from_proc((found.st_dev, found.st_ino)))
    if sys.platform == "darwin":
        return _from_lsof(path)
    return []


def _from_proc(wanted: tuple[int, int]) -> Iterator[Holder]:
    for entry in os.listdir("/proc"):
        if entry.isdecimal() and int(entry) != os.getpid() and _writes(f"/proc/{entry}", wanted):
            yield Holder(int(entry), _name(f"/proc/{entry}/comm"))


def _writes(process: str, wanted: tuple[int, int]) -> bool:
    try:
        numbers = os.listdir(f"{process}/fd")
    except OSError:
        return False
    for number in numbers:
        try:
            there = os.stat(f"{process}/fd/{number}")
            if (there.st_dev, there.st_ino) == wanted and _flags(f"{process}/fdinfo/{number}") & _ACCESS:
                return True
        except (OSError, ValueError):
            continue
    return False


def _flags(path: str) -> int:
    with open(path, encoding="ascii") as lines:
        return next((int(line.split()[1], 8) for line in lines if line.startswith("flags:")), 0)


def _name(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


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
