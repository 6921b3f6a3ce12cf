"""Cline's command line itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.cline_cli.history import SUB_AGENT, SUFFIX, TITLE, is_root
from toolpair.formats.engine.agents.marked_words import last_words
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.source import peek

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine


class ClineCli(Agent):
    id = "cline-cli"
    title = TITLE
    sub_agent = SUB_AGENT
    variable = "CLINE_DIR"
    outcomes: Mapping[str, Outcome] = {
        "record.no_message": ("rejected", "Cline CLI stops before it sends anything.", "history")
    }
    filled = "tells the model that this tool was interrupted"
    usual_home = ".cline"
    suffix = SUFFIX
    program = Program("cline", "Cline", r"[/\\]node_modules[/\\]cline[/\\]", session_options=("--id",), package="cline")

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        data = machine.folder("CLINE_DATA_DIR", self.home(machine) / "data")
        return (machine.folder("CLINE_SESSION_DATA_DIR", data / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for root in self.roots(machine):
            for entry in peek.entries(root):
                path = os.path.join(entry.path, entry.name + SUFFIX)
                stat = peek.regular_file(path)
                if stat is not None:
                    yield self.found(path, entry.name, stat, peek.folder_in(peek.head(_beside(path), 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = last_words(found.path, found.size) or peek.one_line(peek.small_json(_beside(found.path)).get("prompt"))
        return self.project_of(found.path) or found.folder, words

    def is_named(self, name: str) -> bool:
        return name.endswith(SUFFIX)

    def project_of(self, path: str) -> str | None:
        folder = peek.small_json(_beside(path)).get("cwd") if path.endswith(SUFFIX) else None
        return folder if isinstance(folder, str) else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return is_root(path)

    def way_back(self, file: SessionFile) -> WayBack:
        if file.path is None or not self.in_place(file.path, file.session_id):
            return WayBack((), sentence="Run `cline --id` with its id.")
        id_ = file.path.parent.name
        words = (f"--id={id_}",) if id_.startswith("-") else ("--id", id_)
        return WayBack(("cline", *words), self.project_of(str(file.path)))

    def where_to_put(self, file: SessionFile, machine: Machine) -> str:
        return "in place of the one in the session's own folder"


def _beside(path: str) -> str:
    """The file that describes the session."""
    return path[: -len(SUFFIX)] + ".json"


AGENT: Final = ClineCli()
