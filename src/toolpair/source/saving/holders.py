"""The processes that have a file open, as far as this user can see: on Linux from /proc, on macOS from lsof."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Container, Iterator
from typing import Final

from msgspec import Struct

_SECONDS: Final = 2.0
_PROC: Final = "/proc"


class Holder(Struct, frozen=True):
    pid: int
    name: str

    def __str__(self) -> str:
        return f"{self.name}, process {self.pid}" if self.name else f"process {self.pid}"


def can_be_seen() -> bool:
    """Whether this system shows how a process has a file open."""
    return os.path.isdir(f"{_PROC}/self/fdinfo")


def holders(holds: Callable[[int], bool]) -> list[Holder]:
    """The processes, except this one, of which that is true; none where the system does not show what they hold."""
    return [Holder(pid, _name_of(pid)) for pid in _processes() if pid != os.getpid() and holds(pid)]


def _processes() -> list[int]:
    return [int(name) for name in os.listdir(_PROC) if name.isdecimal()] if can_be_seen() else []


def writers(path: str, found: os.stat_result) -> list[Holder]:
    """The processes, except this one, that have the file `found` open for writing. `path` is its current name."""
    if sys.platform == "darwin":
        return _from_lsof(path)
    return holders(lambda pid: writes(pid, (found.st_dev, found.st_ino)))


def writes(pid: int, file: tuple[int, int]) -> bool:
    """Whether the process has the file (device and inode) open for writing. False where this user may not look."""
    for number, there in _open_files(pid):
        if (there.st_dev, there.st_ino) == file:
            with contextlib.suppress(OSError, ValueError, IndexError):
                if _mode(f"{_PROC}/{pid}/fdinfo/{number}") != os.O_RDONLY:
                    return True
    return False


def has(pid: int, files: Container[tuple[int, int]]) -> bool:
    """Whether the process has one of the files (device and inode) open. False where this user may not look."""
    return any((there.st_dev, there.st_ino) in files for _, there in _open_files(pid))


def paths(pid: int) -> Iterator[str]:
    """The names of the files that the process has open; fewer where this user may not look."""
    for number in _numbers(pid):
        with contextlib.suppress(OSError):
            yield os.readlink(f"{_PROC}/{pid}/fd/{number}")


def has_ended(pid: int) -> bool:
    """Whether no process has this number; False where the system does not say."""
    return can_be_seen() and not os.path.isdir(f"{_PROC}/{pid}")


def _open_files(pid: int) -> Iterator[tuple[str, os.stat_result]]:
    """The descriptors of a process, and the files they are of."""
    for number in _numbers(pid):
        with contextlib.suppress(OSError):
            yield number, os.stat(f"{_PROC}/{pid}/fd/{number}")


def _numbers(pid: int) -> list[str]:
    try:
        return os.listdir(f"{_PROC}/{pid}/fd")
    except OSError:
        return []


def _mode(path: str) -> int:
    with open(path, encoding="ascii", errors="replace") as lines:
        flags = next((int(line.split()[1], 8) for line in lines if line.startswith("flags:")), 0)
    return flags & os.O_ACCMODE


def _name_of(pid: int) -> str:
    """The process's name; "" when it is not available. Untrusted."""
    try:
        with open(f"{_PROC}/{pid}/comm", "rb") as stream:
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _from_lsof(path: str) -> list[Holder]:
    import subprocess

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
