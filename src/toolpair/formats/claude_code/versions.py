"""The versions of Claude Code whose ways are known by measurement."""

from __future__ import annotations

import re
from typing import Final

MEASURED: Final = "2.1.329"
OLD: Final = "2.1.1"


def is_old(version: str | None) -> bool:
    """Whether the file was written by 2.1.1 or earlier, which repairs much less."""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version or "")
    return found is not None and tuple(int(part) for part in found.groups()) <= (2, 1, 1)
