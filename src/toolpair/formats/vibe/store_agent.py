"""Mistral Vibe as it keeps its sessions since 2.26."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolpair.formats.agent import SessionFile
from toolpair.formats.engine.agents.folder_agent import FolderAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.lazy import lazy
from toolpair.formats.vibe.agent import Vibe
from toolpair.formats.vibe.store_folder import VIBE_FOLDER
from toolpair.formats.vibe.store_format import TITLE
from toolpair.shell.machine import Machine

_PLACE: Final = ("logs", "session", "unified")


class VibeStore(FolderAgent):
    id = "vibe-unified"
    title = TITLE
    layout = VIBE_FOLDER
    variable = Vibe.variable
    usual_home = Vibe.usual_home
    program = Vibe.program
    ask = lazy("toolpair.formats.vibe.asking:ASK_OF_STORE")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine).joinpath(*_PLACE),)

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        return WayBack(("vibe", "--resume", file.session_id), file.folder)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        if path.name != file.session_id or path.parts[-4:-1] != _PLACE:
            place = "/".join((*_PLACE, file.session_id))
            return WayBack((), sentence=f"{TITLE} reads it as {place}, in the folder that VIBE_HOME names.")
        return WayBack(("vibe", "--resume", file.session_id), file.folder, (("VIBE_HOME", str(path.parents[3])),))


AGENT: Final = VibeStore()
