"""Whether content can be held in memory: known before it is read, since a system that runs out ends programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_SMALL: Final = 1 << 28
"""Bytes up to which nothing is looked up."""
_COPIES: Final = 3
"""Of a file that are in memory at most: what was read, what is found in it, what is to be written."""
_AVAILABLE: Final = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)
_GROUP: Final = re.compile(r"^0::/(.*)$", re.MULTILINE)


def fits(size: int, root: Path | None = None) -> bool:
    """Whether so many bytes find room now, as far as the system says (Linux alone does). `root` stands for `/`."""
    return size <= _SMALL or all(size * _COPIES < limit for limit in _limits(root))


def _limits(root: Path | None) -> Iterator[int]:
    """What is free, and what the group of processes may have in all (as in a container)."""
    from pathlib import Path

    root = root or Path("/")
    if found := _AVAILABLE.search(_text(root / "proc/meminfo")):
        yield int(found.group(1)) << 10
    group = _GROUP.search(_text(root / "proc/self/cgroup"))
    if group is not None:
        most = _text(root / "sys/fs/cgroup" / group.group(1) / "memory.max").strip()
        if most.isdecimal():
            yield int(most)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
