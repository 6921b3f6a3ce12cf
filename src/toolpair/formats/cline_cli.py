"""Cline's command line: sessions are `<id>/<id>.messages.json`, with a description in `<id>.json` beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.editor_extensions import last_words
from toolpair.formats.way_back import WayBack
from toolpair.shell.machine import Machine
from toolpair.source import peek

_SUFFIX: Final = ".messages.json"


class ClineCli(Agent):
    id = "cline-cli"
    title = "Cline CLI"
    variable = "CLINE_DIR"
    usual_home = ".cline"
    suffix = _SUFFIX
    program = Program("cline", "Cline", r"[/\\]node_modules[/\\]cline[/\\]", session_options=("--id",))

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("CLINE_SESSION_DATA_DIR", self.home(machine) / "data" / "sessions"),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for root in self.roots(machine):
            for entry in peek.entries(root):
                path = os.path.join(entry.path, entry.name + _SUFFIX)
                stat = peek.regular_file(path)
                if stat is not None:
                    yield self.found(path, entry.name, stat, peek.folder_in(peek.head(_beside(path), 4096)))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = last_words(found.path, found.size) or peek.one_line(peek.small_json(_beside(found.path)).get("prompt"))
        return self.project_of(found.path) or found.folder, words

    def is_named(self, name: str) -> bool:
        return name.endswith(_SUFFIX)

    def project_of(self, path: str) -> str | None:
        folder = peek.small_json(_beside(path)).get("cwd") if path.endswith(_SUFFIX) else None
        return folder if isinstance(folder, str) else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return path.name == path.parent.name + _SUFFIX

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
    return path[: -len(_SUFFIX)] + ".json"


AGENT: Final = ClineCli()
