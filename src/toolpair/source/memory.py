"""Whether content fits in memory, asked before reading it, since a system out of memory kills processes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_SMALL: Final = 1 << 28
"""Below this many bytes, available memory is not checked."""
_COPIES: Final = 3
"""Maximum copies of a file in memory: what was read, what was found in it, what will be written."""
_AVAILABLE: Final = re.compile(r"^MemAvailable:\s+(\d+) kB$", re.MULTILINE)
_GROUP: Final = re.compile(r"^0::/(.*)$", re.MULTILINE)


def fits(size: int, root: Path | None = None) -> bool:
    """Whether this many bytes fit in memory now, as far as the system says (only Linux does). Tests replace `root`."""
    return size <= _SMALL or all(size * _COPIES < limit for limit in _limits(root))


def _limits(root: Path | None) -> Iterator[int]:
    """Free memory, and the limit of the control group (as in a container)."""
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
