"""The machine in general words. No name of it, nor of anybody."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path


def machine(directory: Path) -> str:
    """Cores, memory, kind of disk below `directory`, system and Python."""
    parts = [f"{len(_cores())} cores", _memory(), _disk(directory), f"{platform.system()} on {platform.machine()}"]
    parts.append(f"{platform.python_implementation()} {'.'.join(map(str, sys.version_info[:3]))}")
    return ", ".join(part for part in parts if part)


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if sys.platform == "linux" else set(range(os.cpu_count() or 1))


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return ""
    return f"{size / 2**30:.0f} GB of memory"


def _disk(directory: Path) -> str:
    """The file system, and whether the disk turns."""
    try:
        device = os.stat(directory).st_dev
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return ""
    number = f"{os.major(device)}:{os.minor(device)}"
    kind = next((line.split(" - ")[1].split()[0] for line in lines if line.split()[2] == number), "")
    turns = Path(f"/sys/dev/block/{number}/queue/rotational")
    words = ""
    if turns.exists():
        # A virtual disk says that it turns, whatever lies below it.
        virtual = "virt" in str(turns.resolve()) or "xen" in str(turns.resolve())
        turning = turns.read_text().strip() == "1"
        words = " on a virtual disk" if virtual else " on a rotating disk" if turning else " on a solid-state disk"
    return kind + words
