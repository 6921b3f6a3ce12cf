"""OpenClaw itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.engine.agents.database_agent import DatabaseAgent, has_rows
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.format import SentRequest
from toolpair.formats.lazy import lazy
from toolpair.formats.openclaw.database import DATABASE, LAYOUT
from toolpair.formats.openclaw.format import BEHIND, IMPORT, NOT_LIVE, TITLE
from toolpair.formats.pi_family.agent import described
from toolpair.formats.pi_family.history import history_of
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.shell.quoting import word
from toolpair.source import peek
from toolpair.transcript.model import Transcript


class OpenClawAgent(DatabaseAgent):
    """OpenClaw; the versions that read its older files are gone from most machines."""

    id = "openclaw"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        "chain.list_differs": ("kept", "OpenClaw sends the rows of its list, in its order.", None)
    }
    filled = "tells the model that the result is missing"
    variable = "OPENCLAW_STATE_DIR"
    usual_home = ".openclaw"
    suffix = ".jsonl"
    ask = lazy("toolpair.formats.openclaw.asking:ASK")
    program = Program("openclaw", TITLE, r"[/\\]openclaw[/\\]", session_options=("--session-id",))

    def databases(self, machine: Machine) -> tuple[Path, ...]:
        folders = peek.entries(self.home(machine) / "agents")
        return tuple(Path(entry.path, "agent", DATABASE) for entry in sorted(folders, key=lambda one: one.name))

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "agents",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        """Those of its databases; for an agent that has none yet, its older files."""
        yield from super().sessions(machine)
        for path, name, stat in self._files(machine):
            yield self.found(path, name[:-6], stat)

    def _files(self, machine: Machine) -> Iterator[tuple[str, str, os.stat_result]]:
        for agent in peek.entries(self.roots(machine)[0]):
            if peek.regular_file(f"{agent.path}/agent/{DATABASE}") is not None:
                continue
            for entry, stat in peek.files_below(f"{agent.path}/sessions", ".jsonl"):
                if NOT_LIVE.search(entry.name) is None:
                    yield entry.path, entry.name, stat

    def belongs(self, found: FoundSession, folder: str) -> bool:
        if not found.path.endswith(".jsonl"):
            return super().belongs(found, folder)
        return (found.folder or peek.folder_in(peek.head(found.path))) == folder

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return described(found) if found.path.endswith(".jsonl") else super().describe(found)

    def way_back(self, file: SessionFile) -> WayBack | None:
        if file.path is not None and file.path.suffix == ".jsonl" and not has_rows(file.path, LAYOUT):
            return WayBack((), sentence=IMPORT)
        return super().way_back(file)

    def in_place(self, path: Path, session_id: str) -> bool:
        if path.suffix == ".jsonl":
            return path.parent.name == "sessions" and path.parent.parent.parent.name == "agents"
        return super().in_place(path, session_id)

    def where_to_put(self, file: SessionFile, machine: Machine) -> str | None:
        path = file.opened or file.path
        if path is not None and path.suffix == ".jsonl" and not has_rows(path, LAYOUT):
            return Agent.where_to_put(self, file, machine)
        return super().where_to_put(file, machine)

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        command = f"openclaw agent --local --session-id {word(file.session_id)} --message TEXT"
        return WayBack((), file.folder, sentence=f"Run `{command}`, with your next words as TEXT.")

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        return WayBack((), sentence="OpenClaw resumes only sessions of its own databases: save into one of these.")

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        version = history_of(transcript).ways.version
        if problem.rule == "chain.list_differs" and problem.impact == "stops":
            says = seen.refuses if seen is not None else None
            return OnResume(TITLE, version, "rejected", "history", says or BEHIND, sends=False)
        if problem.rule == "chain.list_differs" and problem.impact == "loses":
            return OnResume(TITLE, version, "dropped", "history", "OpenClaw sends only what its list has.")
        return None


AGENT: Final = OpenClawAgent()
