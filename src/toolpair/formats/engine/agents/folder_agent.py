"""An agent each of whose sessions is a folder of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toolpair.formats.engine.agents.database_agent import DatabaseAgent
from toolpair.shell.machine import Machine
from toolpair.shell.program import resolved
from toolpair.source import peek

if TYPE_CHECKING:
    from toolpair.source.folders.layout import FolderLayout


class FolderAgent(DatabaseAgent):
    """They are in the first of its `roots`, named by their ids."""

    holder = "folder"
    layout: FolderLayout

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        return ()

    def folders(self, machine: Machine) -> tuple[Path, ...]:
        entries = peek.entries(self.roots(machine)[0])
        return tuple(Path(one.path) for one in entries if peek.is_folder(one) and self.layout.claims(one.path))

    def in_place(self, path: Path, session_id: str) -> bool:
        return resolved(str(path.parent)) == resolved(str(self.roots(Machine.here())[0]))
