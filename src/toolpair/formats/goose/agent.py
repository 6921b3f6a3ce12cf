"""goose itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from toolpair.formats.agent import FoundSession, Outcome, Program, SessionFile
from toolpair.formats.engine.agents.database_agent import DatabaseAgent, has_rows
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.goose.database import LAYOUT, TITLE, words_of
from toolpair.formats.lazy import lazy
from toolpair.shell.machine import Machine
from toolpair.source import peek


def _words_in_line(value: dict[str, Any]) -> str | None:
    return words_of(value.get("content")) if value.get("role") == "user" else None


class Goose(DatabaseAgent):
    id = "goose"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        "field.missing": ("rejected", "goose crashes when it opens the session.", "history")
    }
    variable = "GOOSE_PATH_ROOT"
    suffix = ".jsonl"
    ask = lazy("toolpair.formats.goose.asking:ASK")
    program = Program(
        "goose", "goose", r"[/\\]goose-binary-", ("--session-id", "--name", "-n"), frozenset({"configure", "info"})
    )

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "sessions" / "sessions.db",)

    def home(self, machine: Machine) -> Path:
        """The folder of its data."""
        if machine.environ.get("GOOSE_PATH_ROOT", "").strip():
            return machine.folder("GOOSE_PATH_ROOT", machine.home) / "data"
        if machine.platform == "win32":
            roaming = machine.folder("APPDATA", machine.home / "AppData" / "Roaming")
            return roaming / "Block" / "goose" / "data"
        return machine.folder("XDG_DATA_HOME", machine.home / ".local" / "share") / "goose"

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        """Those of its database; before there is one, the files that it wrote instead."""
        found = self.databases(machine)
        if any(path.is_file() for path in found):
            yield from super().sessions(machine)
            return
        for root in self.roots(machine):
            for entry in peek.entries(root):
                stat = peek.regular_file(entry.path) if entry.name.endswith(".jsonl") else None
                if stat is not None:
                    head = peek.parse(peek.head(entry.path).partition(b"\n")[0])
                    folder = head.get("working_dir") if isinstance(head, dict) else None
                    name = entry.name.removesuffix(".jsonl")
                    yield self.found(entry.path, name, stat, folder if isinstance(folder, str) else None)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        if not found.path.endswith(".jsonl"):
            return super().describe(found)
        return found.folder, peek.last_said(found.path, found.size, _words_in_line)

    def way_back(self, file: SessionFile) -> WayBack | None:
        if file.path is not None and file.path.suffix == ".jsonl" and not has_rows(file.path, LAYOUT):
            return WayBack(("goose", "session", "--resume", "--path", str(file.path)), file.folder)
        return super().way_back(file)

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        return WayBack(("goose", "session", "--resume", "--session-id", file.session_id), file.folder)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        return WayBack((), sentence="goose resumes only sessions of its own database: save into that one.")


AGENT: Final = Goose()
