"""Hermes Agent itself: its home and its processes, and how a session is resumed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Outcome, Program, SessionFile
from toolpair.formats.engine.agents.database_agent import DatabaseAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.hermes.history import TITLE
from toolpair.formats.lazy import lazy
from toolpair.shell.machine import Machine
from toolpair.source import peek

_DATABASE: Final = "state.db"


class Hermes(DatabaseAgent):
    id = "hermes"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        "result.type_not_allowed": (
            "healed",
            f"{TITLE} takes images out of a result once the API has refused them, and asks again.",
            None,
        )
    }
    variable = "HERMES_HOME"
    usual_home = ".hermes"
    ask = lazy("toolpair.formats.hermes.asking:ASK")
    program = Program(
        "hermes", TITLE, r"[/\\]hermes(?:-agent)?\Z", ("--resume", "-r"), frozenset({"config", "sessions", "setup"})
    )

    def home(self, machine: Machine) -> Path:
        if machine.platform != "win32":
            return super().home(machine)
        local = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local")
        return machine.folder("HERMES_HOME", local / "hermes")

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        """That of its home, and those of its profiles."""
        home = self.home(machine)
        profiles = (Path(entry.path) for entry in peek.entries(home / "profiles") if peek.is_folder(entry))
        return tuple(folder / _DATABASE for folder in (home, *sorted(profiles)))

    def way_in_its_own(self, file: SessionFile) -> WayBack | None:
        if file.path is not None and file.path.parent.parent.name == "profiles":
            return self.way_in_another(file.path, file)
        return WayBack(("hermes", "--resume", file.session_id), file.folder)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack | None:
        if path.name != _DATABASE:
            said = f"{TITLE} reads {_DATABASE} alone: save into that one, or give the copy that name."
            return WayBack((), sentence=said)
        variables = (("HERMES_HOME", str(path.parent)),)
        return WayBack(("hermes", "--resume", file.session_id), file.folder, variables=variables)


AGENT: Final = Hermes()
