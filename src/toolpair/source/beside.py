"""The files beside a session file: read when something is looked for in them, and never written."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_LIMIT: Final = 64 << 20
"""Bytes: a larger file is left alone, since it would have to be read whole."""
_LINES: Final = 8
"""How many lines with one byte string are taken out of a file."""


@dataclass(frozen=True, slots=True)
class FilesBeside:
    """What lies in the session file's own folder and below. Names are relative to that folder."""

    path: Path
    _read: dict[str, bytes | None] = field(default_factory=dict, compare=False)
    _found: dict[str, dict[bytes, list[bytes]]] = field(default_factory=dict, compare=False)

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

    def start(self, name: str, count: int) -> bytes:
        """The first bytes of a regular file below the folder; none of all else."""
        try:
            target = self._target(name)
            if target is None:
                return b""
            with target.open("rb") as file:
                return file.read(count)
        except (OSError, ValueError):
            return b""

    def lines_with(self, name: str, wanted: Iterable[bytes]) -> Mapping[bytes, Sequence[bytes]]:
        """The lines of a file that hold one of these byte strings. Each is looked for once, and no file is kept."""
        known = self._found.setdefault(name, {})
        new = [word for word in dict.fromkeys(wanted) if word not in known]
        if new:
            known.update(self._search(name, new))
        return known

    def _search(self, name: str, wanted: Sequence[bytes]) -> dict[bytes, list[bytes]]:
        found: dict[bytes, list[bytes]] = {word: [] for word in wanted}
        pattern = re.compile(b"|".join(re.escape(word) for word in wanted))
        try:
            target = self._target(name)
            if target is None:
                return found
            with target.open("rb") as file:
                for line in file:
                    for word in dict.fromkeys(pattern.findall(line)):
                        if len(found[word]) < _LINES:
                            found[word].append(line)
        except (OSError, ValueError):
            pass
        return found

    def _target(self, name: str) -> Path | None:
        root = self.path.parent
        target = (root / name).resolve()
        regular = target.is_relative_to(root.resolve()) and stat.S_ISREG(target.stat().st_mode)
        return target if regular else None

    def _bytes(self, name: str) -> bytes | None:
        try:
            target = self._target(name)
            if target is None or target.stat().st_size > _LIMIT:
                return None
            return target.read_bytes()
        except (OSError, ValueError):
            return None
