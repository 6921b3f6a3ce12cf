"""Where VS Code and its relatives keep what their extensions and themselves store."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolpair.shell.machine import Machine

_EDITORS: Final = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "Trae")
_SERVERS: Final = (
    ".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server", ".windsurf-server",
    ".trae-server", ".vscode-remote", ".openvscode-server",
)  # fmt: skip
_FLATPAKS: Final = (("com.visualstudio.code", "Code"), ("com.vscodium.codium", "VSCodium"))


def storages(machine: Machine) -> tuple[Path, ...]:
    """The global storage folders of all editors, the usual one first."""
    home = machine.home
    if machine.platform == "darwin":
        bases = [home / "Library" / "Application Support" / name for name in _EDITORS]
    elif machine.platform == "win32":
        roaming = machine.folder("APPDATA", home / "AppData" / "Roaming")
        bases = [roaming / name for name in _EDITORS]
    else:
        config = machine.folder("XDG_CONFIG_HOME", home / ".config")
        bases = [config / name for name in _EDITORS]
        bases += [home / ".var" / "app" / app / "config" / name for app, name in _FLATPAKS]
    bases += [home / name / "data" for name in _SERVERS]
    bases.append(machine.folder("XDG_DATA_HOME", home / ".local" / "share") / "code-server")
    if machine.environ.get("VSCODE_PORTABLE"):
        bases.append(machine.folder("VSCODE_PORTABLE", home) / "user-data")
    return tuple(base / "User" / "globalStorage" for base in bases)
