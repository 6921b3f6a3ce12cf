"""Where the sessions are that are only shown: as public programs that read them say, not as was measured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from toolpair.formats.agent import Agent, FoundSession
from toolpair.formats.engine.agents.editors import storages
from toolpair.shell.machine import Machine
from toolpair.source import peek


class Amp(Agent):
    """Threads that were kept here; its server has the newer ones."""

    id = "amp"
    title = "Amp"
    only_shown = True

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / "amp" / "threads",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry in peek.entries(self.roots(machine)[0]):
            stat = peek.regular(entry)
            if stat is not None and entry.name.startswith("T-") and entry.name.endswith(".json"):
                yield self.found(entry.path, entry.name.removesuffix(".json"), stat)


class Droid(Agent):
    """A file a session, in a folder a project, with its settings beside it."""

    id = "droid"
    title = "Droid"
    usual_home = ".factory"
    only_shown = True

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "sessions",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry, stat in peek.files_below(self.roots(machine)[0], ".jsonl"):
            yield self.found(entry.path, entry.name.removesuffix(".jsonl"), stat, peek.folder_in(peek.head(entry.path)))


class CopilotInVsCode(Agent):
    """Transcripts that VS Code writes of its own history, in the storage of each workspace."""

    id = "copilot-vscode"
    title = "Copilot in VS Code"
    in_editor = True
    only_shown = True

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return tuple(storage.with_name("workspaceStorage") for storage in storages(machine))

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for workspace in (entry for root in self.roots(machine) for entry in peek.entries(root)):
            folder = os.path.join(workspace.path, "GitHub.copilot-chat", "transcripts")
            for entry in peek.entries(folder):
                stat = peek.regular(entry)
                if stat is not None and entry.name.endswith(".jsonl"):
                    yield self.found(entry.path, entry.name.removesuffix(".jsonl"), stat, _project(workspace.path))


class Cursor(Agent):
    """Transcripts for reading, each in a folder of its own with those of its sub-agents; once without that folder."""

    id = "cursor"
    title = "Cursor"
    usual_home = ".cursor"
    in_editor = True
    only_shown = True

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "projects",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for project in peek.entries(self.roots(machine)[0]):
            for entry, stat in peek.files_below(os.path.join(project.path, "agent-transcripts"), ".jsonl"):
                yield self.found(entry.path, entry.name.removesuffix(".jsonl"), stat)


def _project(workspace: str) -> str | None:
    """The folder that the storage is of, if it is on this machine."""
    named = peek.small_json(os.path.join(workspace, "workspace.json")).get("folder")
    address = urlsplit(named) if isinstance(named, str) else None
    return unquote(address.path) if address is not None and address.scheme == "file" else None


AMP: Final = Amp()
DROID: Final = Droid()
COPILOT: Final = CopilotInVsCode()
CURSOR: Final = Cursor()
