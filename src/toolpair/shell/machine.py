"""The machine being looked at: platform, environment and home folder, passed in so that tests can fake any of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct


def current_folder() -> str:
    """The current working directory; empty when it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def resolved(folder: str) -> str:
    """The path with symbolic links resolved; unchanged where no file system can have such a name."""
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder


def home_short(path: str, home: str) -> str:
    """The path with the home folder written as `~`."""
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
        """This machine and the current user."""
        return cls(sys.platform, os.environ, Path(os.path.expanduser("~")))

    def folder(self, variable: str, default: Path) -> Path:
        """The folder named by an environment variable, else `default`."""
        value = self.environ.get(variable, "").strip()
        if not value:
            return default
        if value == "~" or value.startswith(("~/", "~\\")):
            return self.home / value[2:]
        return Path(value)
