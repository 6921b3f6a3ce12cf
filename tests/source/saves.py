"""Helpers for the tests of saving."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from toolpair.source.system import Io

NOW = datetime(2026, 1, 2, 3, 4, 5)
OLD, NEW = b'{"a":1}\n' * 3, [b'{"a":2}\n', b"", b'{"a":3}\n']
CALLS = frozenset(name for name in vars(Io) if not name.startswith("_"))


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


class Watched(Io):
    """Calls `before` with the number, from 1, and the name of each system call."""

    def __init__(self, before: Callable[[int, str], None]) -> None:
        self.made: list[str] = []
        self._before = before

    def __getattribute__(self, name: str) -> Any:
        if name in CALLS:
            self.made.append(name)
            self._before(len(self.made), name)
        return object.__getattribute__(self, name)
