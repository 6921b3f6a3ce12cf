"""What the interface remembers of its user from one run to the next: the theme. Kept next to the journal."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

_LONGEST: Final = 100
"""Bytes read: no theme has a longer name."""


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
        with contextlib.suppress(OSError, ValueError), open(self._folder / "theme", "rb") as file:
            return file.read(_LONGEST).decode("ascii").strip()
        return ""

    def remember_theme(self, name: str) -> bool:
        """Returns whether it will be known the next time."""
        made = self._folder / f".theme-{secrets.token_hex(4)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(made, "x", encoding="ascii") as file:
                file.write(f"{name}\n")
            os.replace(made, self._folder / "theme")
        except (OSError, ValueError):
            with contextlib.suppress(OSError):
                made.unlink()
            return False
        return True
