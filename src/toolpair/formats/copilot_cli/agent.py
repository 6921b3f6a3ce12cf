"""GitHub Copilot CLI itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects import copilot as dialect
from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.copilot_cli.detection import data_of, kind_of
from toolpair.formats.copilot_cli.events import is_uuid
from toolpair.formats.copilot_cli.history import NOT_LOADED, TITLE, agent_of
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.lazy import lazy
from toolpair.source import peek

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine

_STOPS: Final[Outcome] = ("rejected", f"{NOT_LOADED}.", "history")


class CopilotAgent(Agent):
    """Copilot CLI itself: `copilot`, which keeps each session in a folder of its own."""

    id = "copilot-cli"
    title = TITLE
    outcomes: Mapping[str, Outcome] = dict.fromkeys(("rollout.no_meta", "rollout.envelope"), _STOPS)
    filled = "tells the model that the tool was interrupted"
    variable = "COPILOT_HOME"
    usual_home = ".copilot"
    suffix = ".jsonl"
    ask = lazy("toolpair.formats.copilot_cli.asking:ASK")
    program = Program(
        "copilot",
        TITLE,
        r"[/\\]@github[/\\]copilot[/\\]",
        session_options=("--resume",),
        other_work=frozenset({"login", "logout", "update", "help", "mcp", "plugin"}),
        package="@github/copilot",
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "session-state",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry, stat in peek.files_below(self.roots(machine)[0], ".jsonl"):
            folder = os.path.basename(os.path.dirname(entry.path))
            if entry.name == "events.jsonl":
                yield self.found(entry.path, folder, stat, peek.folder_in(peek.head(entry.path, 4096)))
            elif folder == "session-state":
                yield self.found(entry.path, entry.name[:-6], stat, peek.folder_in(peek.head(entry.path, 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, peek.one_line(peek.last_said(found.path, found.size, _users_words))

    def way_back(self, file: SessionFile) -> WayBack | None:
        return WayBack(("copilot", f"--resume={file.session_id}"), file.folder) if file.session_id else None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        if path.name == "events.jsonl" and len(parents) > 2 and parents[0].name == session_id:
            return parents[2] if parents[1].name == "session-state" else None
        flat = path.name == f"{session_id}.jsonl" and len(parents) > 1 and parents[0].name == "session-state"
        return parents[1] if flat else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        return self.roots(machine)[0] / file.session_id / "events.jsonl" if is_uuid(file.session_id) else None


def _users_words(value: dict[str, Any]) -> str | None:
    """What the user says in an event."""
    own = kind_of(value) == dialect.USER and agent_of(value) is None
    return as_text(data_of(value).get("content")) if own else None


AGENT: Final = CopilotAgent()
