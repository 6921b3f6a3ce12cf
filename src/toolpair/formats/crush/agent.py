"""Crush itself: the databases of its projects, and how a session is resumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from toolpair.formats.agent import FoundSession, Program, SessionFile
from toolpair.formats.crush.format import TITLE
from toolpair.formats.engine.agents.database_agent import DatabaseAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.shell.machine import Machine
from toolpair.source import peek

_DATABASE: Final = "crush.db"
_LARGEST: Final = 1 << 20
"""Bytes of the list of projects that are read."""


class Crush(DatabaseAgent):
    """Each project has a database of its own; a list in the user's data names the projects."""

    id = "crush"
    title = TITLE
    variable = "CRUSH_GLOBAL_DATA"
    program = Program("crush", TITLE, r"\A\b\Z", ("--session", "-s"), frozenset({"logs", "models", "projects"}))

    def home(self, machine: Machine) -> Path:
        if machine.platform == "win32":
            data = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local")
        else:
            data = machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share")
        return machine.folder("CRUSH_GLOBAL_DATA", data / "crush")

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        return tuple(Path(place) / _DATABASE for place, _ in self._projects(machine))

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine), *(path.parent for path in self.databases(machine)))

    def _projects(self, machine: Machine) -> list[tuple[str, str]]:
        """The folder of each project's data, and the project."""
        known = peek.parse(peek.head(str(self.home(machine) / "projects.json"), _LARGEST))
        named = known.get("projects") if isinstance(known, dict) else None
        found = [one for one in named if isinstance(one, dict)] if isinstance(named, list) else []
        places = ((one.get("data_dir"), one.get("path")) for one in found)
        return [(data, path) for data, path in places if isinstance(data, str) and isinstance(path, str)]

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        folders = {str(Path(data) / _DATABASE): path for data, path in self._projects(machine)}
        for found in super().sessions(machine):
            yield replace(found, folder=folders.get(found.path.partition("::")[0]))

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        return WayBack(("crush", "--session", file.session_id), file.folder)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        project = str(path.parent.parent) if path.parent.name == ".crush" else file.folder
        return WayBack(("crush", "--session", file.session_id), project)


AGENT: Final = Crush()
