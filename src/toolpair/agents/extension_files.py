"""Agents that are extensions of VS Code and its kin: a folder for each task in the editor's global storage."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from toolpair.agents import peek
from toolpair.agents.found import Found
from toolpair.agents.machine import Machine

_EDITORS: Final = ("Code", "Code - Insiders", "Code - OSS", "VSCodium", "Cursor", "Windsurf", "Trae")
_SERVERS: Final = (
    ".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server", ".windsurf-server",
    ".trae-server", ".vscode-remote", ".openvscode-server",
)  # fmt: skip
_FLATPAKS: Final = (("com.visualstudio.code", "Code"), ("com.vscodium.codium", "VSCodium"))
HISTORY: Final = ("api_conversation_history.json", "claude_messages.json")
"""The file of a task; the second is its name in old versions."""
_FOLDER: Final = re.compile(rb"Current (?:Workspace|Working) Directory \(((?:[^()\\\"]|\\.)+)\)")


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


class Extension(Struct, frozen=True):
    """`names` are the extension's ids, `setting` the one that can move its storage to another folder."""

    id: str
    title: str
    names: tuple[str, ...]
    setting: str | None = None

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        found = [storage / name / "tasks" for storage in storages(machine) for name in self.names]
        if self.id == "cline":
            found.append(machine.folder("CLINE_DIR", machine.home / ".cline") / "data" / "tasks")
        found += self._moved(machine)
        return tuple(dict.fromkeys(found))

    def _moved(self, machine: Machine) -> Iterator[Path]:
        """Where the editors' settings have put the storage."""
        if self.setting is None:
            return
        wanted = re.compile(rb'"' + re.escape(self.setting.encode()) + rb'"\s*:\s*("(?:[^"\\]|\\.)*+")')
        for storage in storages(machine):
            match = wanted.search(peek.head(str(storage.parent / "settings.json"), 1 << 20))
            value = peek.parse(match.group(1)) if match is not None else None
            if isinstance(value, str) and value.strip():
                yield Path(value) / "tasks"

    def sessions(self, machine: Machine) -> Iterator[Found]:
        for root in self.roots(machine):
            for task in peek.entries(root):
                for name in HISTORY:
                    path = os.path.join(task.path, name)
                    stat = peek.regular_file(path)
                    if stat is not None:
                        folder = _workspace(task.path)
                        yield Found(self.id, self.title, path, task.name, stat.st_mtime, stat.st_size, folder)
                        break

    def belongs(self, found: Found, folder: str) -> bool:
        return (found.folder or _folder_told(found)) == folder

    def describe(self, found: Found) -> tuple[str | None, str | None]:
        folder = found.folder or _folder_told(found)
        for size in peek.TAILS:
            words = peek.marked_words(peek.tail(found.path, size))
            if words is not None or size >= found.size:
                break
        words = words or peek.one_line(_item(os.path.dirname(found.path)).get("task"))
        return folder, words or peek.marked_words(peek.head(found.path))


def _item(task: str) -> dict[str, object]:
    return peek.small_json(os.path.join(task, "history_item.json"))


def _workspace(task: str) -> str | None:
    item = _item(task)
    for key in ("workspace", "cwdOnTaskInitialization"):
        value = item.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def _folder_told(found: Found) -> str | None:
    """The folder that the agent told the model in the first message."""
    match = _FOLDER.search(peek.head(found.path, 64 << 10))
    value = peek.parse(b'"' + match.group(1) + b'"') if match is not None else None
    return value if isinstance(value, str) else None


ROO_CODE: Final = Extension(
    "roo-code",
    "Roo Code",
    ("rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly"),
    "roo-cline.customStoragePath",
)
CLINE: Final = Extension("cline", "Cline", ("saoudrizwan.claude-dev",))
KILO_CODE: Final = Extension("kilo-code", "Kilo Code", ("kilocode.kilo-code",), "kilo-code.customStoragePath")
