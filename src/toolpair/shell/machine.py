"""The machine that is looked at: its system, its environment and the home folder, given so that any can be played."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


def current_folder() -> str:
    """The folder that the user is in; empty when it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def resolved(folder: str) -> str:
    """The path without links in it; as it is where no file system can have such a name."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder


def home_short(path: str, home: str) -> str:
    """The path with `~` for the home folder."""
    root = home.rstrip("/\\")
    if not root:
        return path
    if path == root:
        return "~"
    return "~" + path[len(root) :] if path.startswith((root + os.sep, root + "/")) else path


class Machine(Struct, frozen=True):
    """`platform` is as in `sys.platform`: "linux", "darwin" or "win32"; everything else counts as Linux."""

    platform: str
    environ: Mapping[str, str]
    home: Path

    @classmethod
    def here(cls) -> Machine:
        """This machine and this user."""
        return cls(sys.platform, os.environ, Path(os.path.expanduser("~")))

    def folder(self, variable: str, default: Path) -> Path:
        """The folder that an environment variable names, else `default`."""
        value = self.environ.get(variable, "").strip()
        if not value:
            return default
        if value == "~" or value.startswith(("~/", "~\\")):
            return self.home / value[2:]
        return Path(value)
