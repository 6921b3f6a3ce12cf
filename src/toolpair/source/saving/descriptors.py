"""How processes have a file open, from /proc on Linux, as far as this user may see."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Container
from typing import Final

_PROC: Final = "/proc"


def can_be_seen() -> bool:
    """Whether this system shows how a process has a file open."""
    return os.path.isdir(f"{_PROC}/self/fdinfo")


def processes() -> list[int]:
    """The ids of all processes except this one."""
    return [int(name) for name in os.listdir(_PROC) if name.isdecimal() and int(name) != os.getpid()]


def writes(pid: int, file: tuple[int, int]) -> bool:
    """Whether the process has the file (device and inode) open for writing. False where this user may not look."""
    base = f"{_PROC}/{pid}"
    try:
        numbers = os.listdir(f"{base}/fd")
    except OSError:
        return False
    for number in numbers:
        try:
            there = os.stat(f"{base}/fd/{number}")
            if (there.st_dev, there.st_ino) == file and _mode(f"{base}/fdinfo/{number}") != os.O_RDONLY:
                return True
        except (OSError, ValueError, IndexError):
            continue
    return False


def has(pid: int, files: Container[tuple[int, int]]) -> bool:
    """Whether the process has one of the files (device and inode) open. False where this user may not look."""
    folder = f"{_PROC}/{pid}/fd"
    try:
        numbers = os.listdir(folder)
    except OSError:
        return False
    for number in numbers:
        try:
            there = os.stat(f"{folder}/{number}")
        except OSError:
            continue
        if (there.st_dev, there.st_ino) in files:
            return True
    return False


def paths(pid: int) -> list[str]:
    """The names of the files that the process has open; fewer where this user may not look."""
    folder = f"{_PROC}/{pid}/fd"
    found: list[str] = []
    try:
        numbers = os.listdir(folder)
    except OSError:
        return found
    for number in numbers:
        with contextlib.suppress(OSError):
            found.append(os.readlink(f"{folder}/{number}"))
    return found


def _mode(path: str) -> int:
    with open(path, encoding="ascii", errors="replace") as lines:
        flags = next((int(line.split()[1], 8) for line in lines if line.startswith("flags:")), 0)
    return flags & os.O_ACCMODE


def name_of(pid: int) -> str:
    """The process's name; "" when it is not available. Untrusted."""
    try:
        with open(f"{_PROC}/{pid}/comm", "rb") as stream:
            return stream.read().decode("utf-8", "replace").strip()
    except OSError:
        return ""
