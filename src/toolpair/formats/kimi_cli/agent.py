"""Kimi CLI itself: where its sessions are, what becomes of their problems, and how it resumes one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.kimi_cli.files import CONTEXT, SESSIONS, hash_of, place_of, projects_in
from toolpair.formats.kimi_cli.format import NEWEST, OF_ITS_OWN, STOPS, SUB_AGENT, TITLE, LineFaults
from toolpair.formats.lazy import lazy
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.formats.format import SentRequest


class KimiCli(Agent):
    id = "kimi-cli"
    title = TITLE
    sub_agent = SUB_AGENT
    outcomes: Mapping[str, Outcome] = {
        "record.lone_surrogate": ("rejected", "Kimi CLI fails to write its request with half a character in it.", None),
        "rollout.not_loaded": ("dropped", "Kimi CLI skips this line without telling you.", "the line"),
    }
    variable = "KIMI_SHARE_DIR"
    usual_home = ".kimi"
    resumes = ("kimi", "--session")
    ask = lazy("toolpair.formats.kimi_cli.asking:ASK")
    program = Program("kimi code", TITLE, r"\A\b\Z", session_options=("--session", "--resume", "-S", "-r"))
    """Its process calls itself so, without arguments."""

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / SESSIONS,)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        projects = projects_in(self.home(machine))
        for project in peek.entries(self.roots(machine)[0]):
            for entry in peek.entries(project.path) if peek.is_folder(project) else ():
                path = f"{entry.path}/{CONTEXT}"
                stat = peek.regular_file(path)
                if stat is not None and stat.st_size:
                    yield self.found(path, entry.name, stat, projects.get(project.name))

    def belongs(self, found: FoundSession, folder: str) -> bool:
        return Path(found.path).parents[1].name == hash_of(folder)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, peek.one_line(peek.last_said(found.path, found.size, _words))

    def project_of(self, path: str) -> str | None:
        place = place_of(Path(path))
        return projects_in(place.home).get(place.project) if place is not None else None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        place = place_of(path)
        return place.home if place is not None and not place.sub_agent else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        if file.folder is None or not file.session_id:
            return None
        return self.roots(machine)[0] / hash_of(file.folder) / file.session_id / CONTEXT

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        faults = facts_of(transcript, LineFaults).faults
        if problem.record in faults and "stops" in faults.values():
            return OnResume(TITLE, NEWEST, "rejected", None, f"{STOPS}.", sends=False)
        if problem.record in faults:
            alone = next(
                (m for m in transcript.messages if problem.record in m.records and (m.calls or m.results)), None
            )
            if alone is None:
                return OnResume(TITLE, NEWEST, "dropped", "the line", f"{TITLE} skips this line without telling you.")
            text = (
                f"{TITLE} skips this line, and the API refuses the {'results' if alone.calls else 'call'} without it."
            )
            return OnResume(TITLE, NEWEST, "rejected", None, text)
        return None


def _words(value: Any) -> str | None:
    """What the user says in a line."""
    text = text_of(value.get("content")) if value.get("role") == "user" else ""
    return text if text.strip() and not text.lstrip().startswith(OF_ITS_OWN) else None


AGENT: Final = KimiCli()
