"""The files beside a session file: read when something is looked for in them, and never written."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_LIMIT: Final = 64 << 20
"""Bytes: a larger file is left alone, since it would have to be read whole."""


@dataclass(frozen=True, slots=True)
class FilesBeside:
    """What lies in the session file's own folder and below. Names are relative to that folder."""

    path: Path
    _read: dict[str, bytes | None] = field(default_factory=dict, compare=False)

    def names(self, folder: str) -> Sequence[str]:
        """The names in a folder, sorted; none when there is no such folder or it may not be read."""
        try:
            return sorted(os.listdir(self.path.parent / folder))
        except (OSError, ValueError):
            return ()

    def read(self, name: str) -> bytes | None:
        """The bytes of a regular file of at most 64 MB below the folder; None for all else."""
        if name not in self._read:
            self._read[name] = self._bytes(name)
        return self._read[name]

    def _bytes(self, name: str) -> bytes | None:
        root = self.path.parent
        try:
            target = (root / name).resolve()
            if not target.is_relative_to(root.resolve()):
                return None
            found = target.stat()
            if not stat.S_ISREG(found.st_mode) or found.st_size > _LIMIT:
                return None
            return target.read_bytes()
        except (OSError, ValueError):
            return None
