"""The machine being looked at: platform, environment and home folder, passed in so that tests can fake any of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from toolpair.shell.program import settings_file


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
    agents: Mapping[str, str] = {}
    """The home folders of agents by their ids, as the user has set them."""

    @classmethod
    def here(cls) -> Machine:
        """This machine and the current user."""
        return cls(sys.platform, os.environ, Path(os.path.expanduser("~")), _agents())

    def folder(self, variable: str, default: Path) -> Path:
        """The folder named by an environment variable, else `default`."""
        value = self.environ.get(variable, "").strip()
        return self.path(value) if value else default

    def path(self, text: str) -> Path:
        """What a person wrote as a path: `~` is the home folder."""
        return self.home / text[2:] if text == "~" or text.startswith(("~/", "~\\")) else Path(text)


def _agents() -> Mapping[str, str]:
    if not os.path.lexists(settings_file()):
        return {}
    from toolpair.shell.settings import BadSettings, of_user

    try:
        found = of_user().table("agents")
    except BadSettings:  # of which every command tells
        return {}
    return {key: setting.given for key, setting in found.items()}
