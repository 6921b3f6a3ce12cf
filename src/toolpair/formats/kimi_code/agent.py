"""Kimi Code itself: where its sessions are, and how it resumes one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.kimi_code.history import TITLE
from toolpair.formats.lazy import lazy
from toolpair.shell.machine import Machine
from toolpair.source import peek

_SESSIONS: Final = "sessions"
_AGENT: Final = "agents/main/wire.jsonl"
_STATE: Final = "state.json"


class KimiCode(Agent):
    id = "kimi-code"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        "rollout.not_loaded": ("dropped", "Kimi Code skips this line without telling you.", "the line")
    }
    variable = "KIMI_CODE_HOME"
    usual_home = ".kimi-code"
    resumes = ("kimi", "--session")
    ask = lazy("toolpair.formats.kimi_code.asking:ASK")
    program = Program(
        "kimi",
        TITLE,
        r"[/\\]@moonshot-ai[/\\]kimi-code[/\\]",
        session_options=("--session", "-S", "-r"),
        other_work=frozenset({"export", "fork", "provider", "login", "doctor", "vis", "migrate", "upgrade"}),
        package="@moonshot-ai/kimi-code",
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / _SESSIONS,)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for project in peek.entries(self.roots(machine)[0]):
            for entry in peek.entries(project.path) if peek.is_folder(project) else ():
                path = f"{entry.path}/{_AGENT}"
                stat = peek.regular_file(path)
                if stat is not None and stat.st_size:
                    yield self.found(path, entry.name, stat, self.project_of(path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, peek.one_line(peek.last_said(found.path, found.size, _words))

    def project_of(self, path: str) -> str | None:
        """The folder that the session's own file names, beside its agents."""
        above = Path(path).parents
        state = peek.parse(peek.head(str(above[2] / _STATE), 1 << 16)) if len(above) > 2 else None
        folder = state.get("cwd") if isinstance(state, dict) else None
        return folder if isinstance(folder, str) else None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        """That of a file of the agent `main`, five folders above it: those of others are not resumed by themselves."""
        above = path.parents
        is_main = len(above) > 5 and str(path).endswith(f"/{_AGENT}") and above[4].name == _SESSIONS
        return above[5] if is_main else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        return file.opened if file.opened is not None and self.in_place(file.opened, file.session_id) else None


def _words(value: Any) -> str | None:
    """What the user says in a line."""
    parts = value.get("input") if value.get("type") == "turn.prompt" else None
    return peek.words_of(parts) if isinstance(parts, list) else None


AGENT: Final = KimiCode()
