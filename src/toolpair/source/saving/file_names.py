"""The names of the files that a save leaves next to the target, and of its temporary files."""

from __future__ import annotations

import os
import re
import secrets
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

_KEPT: Final = re.compile(r"\.toolpair-(\d{8}-\d{6})(?:-(\d+))?\.(bak|aside)\Z")
_TEMPORARY: Final = re.compile(r"\.toolpair-[0-9a-f]{16}\.tmp\Z")
_STAMP: Final = "%Y%m%d-%H%M%S"

Kind = Literal["bak", "aside"]


class Kept(Struct, frozen=True, order=True):
    """The parts of a name: when the file was made, and its number within that second."""

    time: datetime
    number: int
    kind: str


def temporary_name(folder: str) -> str:
    """A name for a temporary file, short however long the target's name is."""
    return os.path.join(folder, f".toolpair-{secrets.token_hex(8)}.tmp")


def is_temporary(name: str) -> bool:
    return _TEMPORARY.match(name) is not None


def kept(name: str, of: str) -> Kept | None:
    """The parts of `name` if it is a backup or side file of the file named `of`."""
    match = _KEPT.search(name)
    if match is None or name[: match.start()] != of:
        return None
    try:
        time = datetime.strptime(match.group(1), _STAMP)
    except ValueError:
        return None
    return Kept(time, int(match.group(2) or 1), match.group(3))


class KeptNames:
    """Free names for the files that one save keeps: they share the time and usually the number."""

    def __init__(self, path: str, now: datetime | None) -> None:
        self._stem = f"{path}.toolpair-{(now or datetime.now()).strftime(_STAMP)}"
        self._number = 1

    def free(self, kind: Kind) -> str:
        """A name that is not taken at this instant."""
        while True:
            suffix = "" if self._number == 1 else f"-{self._number}"
            name = f"{self._stem}{suffix}.{kind}"
            if not os.path.lexists(name):
                return name
            self._number += 1
