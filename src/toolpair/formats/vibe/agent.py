"""Mistral Vibe itself: where its sessions are, how it resumes one, and its newer store of them, since 2.26."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.agents.database_agent import FolderAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.lazy import lazy
from toolpair.formats.vibe.format import TITLE, folder_in, meta_in
from toolpair.formats.vibe.store_folder import VIBE_FOLDER
from toolpair.formats.vibe.store_format import TITLE as STORE_TITLE
from toolpair.shell.machine import Machine
from toolpair.source import peek

_MESSAGES: Final = "messages.jsonl"
_PLACE: Final = ("logs", "session", "unified")


class Vibe(Agent):
    id = "vibe"
    title = TITLE
    variable = "VIBE_HOME"
    usual_home = ".vibe"
    resumes = ("vibe", "--resume")
    ask = lazy("toolpair.formats.vibe.asking:ASK")
    program = Program("vibe", TITLE, r"\A\b\Z", session_options=("--resume",), distribution="mistral_vibe")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "logs" / "session",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry in peek.entries(self.roots(machine)[0]):
            path = f"{entry.path}/{_MESSAGES}"
            stat = peek.regular_file(path)
            if entry.name.startswith("session_") and stat is not None and stat.st_size:
                about = meta_in(Path(entry.path))
                yield self.found(path, as_text(about.get("session_id")) or entry.name, stat, folder_in(about))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, peek.one_line(peek.last_said(found.path, found.size, _words))


class VibeStore(FolderAgent):
    id = "vibe-unified"
    title = STORE_TITLE
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
            return WayBack((), sentence=f"{STORE_TITLE} reads it as {place}, in the folder that VIBE_HOME names.")
        return WayBack(("vibe", "--resume", file.session_id), file.folder, (("VIBE_HOME", str(path.parents[3])),))


def _words(value: Any) -> str | None:
    """What the user says in a line."""
    said = value.get("role") == "user" and value.get("injected") is not True
    text = text_of(value.get("content")) if said else ""
    return text if text.strip() else None


AGENT: Final = Vibe()
STORE_AGENT: Final = VibeStore()
