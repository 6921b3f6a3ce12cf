"""Mistral Vibe itself: where its sessions are, and how it resumes one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.lazy import lazy
from toolpair.formats.vibe.format import TITLE, folder_in, meta_in
from toolpair.shell.machine import Machine
from toolpair.source import peek

_MESSAGES: Final = "messages.jsonl"


class Vibe(Agent):
    id = "vibe"
    title = TITLE
    variable = "VIBE_HOME"
    usual_home = ".vibe"
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

    def way_back(self, file: SessionFile) -> WayBack | None:
        if not file.session_id or file.session_id.startswith("-"):
            return None
        return WayBack(("vibe", "--resume", file.session_id), file.folder)


def _words(value: Any) -> str | None:
    """What the user says in a line."""
    said = value.get("role") == "user" and value.get("injected") is not True
    text = text_of(value.get("content")) if said else ""
    return text if text.strip() else None


AGENT: Final = Vibe()
