"""What the interface remembers from one run to the next: the theme, the sizes of panes. Kept next to the journal."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Final

from toolpair.shell.whole_files import write_whole

_LONGEST: Final = 100
"""Bytes read: no theme has a longer name."""
_MOST_LEAN: Final = 100
"""Lines: no screen has more to give."""


class Preferences:
    """`folder` is toolpair's own in the user's state directory; it may not exist. Whatever fails is as if unset."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_user(cls) -> Preferences:
        from platformdirs import user_state_path

        return cls(user_state_path("toolpair", appauthor=False))

    @property
    def theme(self) -> str:
        """The name of the theme that the user chose; empty when the terminal is to be asked."""
        return self._kept("theme")

    @property
    def lean(self) -> int:
        """Lines that the list of pairs was given."""
        with contextlib.suppress(ValueError):
            return max(-_MOST_LEAN, min(int(self._kept("lean") or 0), _MOST_LEAN))
        return 0

    def _kept(self, name: str) -> str:
        with contextlib.suppress(OSError, ValueError), open(self._folder / name, "rb") as file:
            return file.read(_LONGEST).decode("ascii").strip()
        return ""

    def remember(self, name: str, value: str) -> bool:
        """Returns whether it will be known the next time."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(str(self._folder / name), f"{value}\n".encode("ascii"))
        except (OSError, ValueError):
            return False
        return True
