"""oh-my-pi itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import FoundSession, Outcome, Program
from toolpair.formats.format import SentRequest
from toolpair.formats.lazy import lazy
from toolpair.formats.oh_my_pi.format import HEADLESS, MEASURED, NO_ID_AT_ALL, TITLE
from toolpair.formats.pi_family.agent import PiAgent, has_title, id_in
from toolpair.rules.problem import OnResume, Problem
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine


class OhMyPi(PiAgent):
    """oh-my-pi: `omp`."""

    id = "oh-my-pi"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {"record.no_message": ("rejected", f"{HEADLESS}.", None)}
    usual_home = ".omp/agent"
    resumes = ("omp", "--resume")
    ask = lazy("toolpair.formats.oh_my_pi.asking:ASK")
    program = Program(
        "omp",
        TITLE,
        r"@oh-my-pi[/\\]pi-coding-agent[/\\]",
        session_options=("--resume", "-r", "--session"),
        package="@oh-my-pi/pi-coding-agent",
        places=(".local/bin", ".bun/bin"),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        """Its usual folders, and those that pi's variables name."""
        base = machine.home / ".omp"
        profiles = sorted(entry.path for entry in peek.entries(base / "profiles"))
        data = machine.folder("XDG_DATA_HOME", machine.home / ".local/share") / "omp/sessions"
        own = [base / "agent/sessions", *(base / path / "agent/sessions" for path in profiles), data]
        return (*own, *(path for path in self._shared(machine) if path not in own))

    def _shared(self, machine: Machine) -> tuple[Path, ...]:
        """The folders that its variables name, which are pi's, too."""
        home = self.home(machine) / "sessions"
        return tuple(dict.fromkeys((home, machine.folder("PI_CODING_AGENT_SESSION_DIR", home))))

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        shared = {*self._shared(machine)} - {machine.home / self.usual_home / "sessions"}
        for root in self.roots(machine):
            for entry, stat in peek.files_below(root, ".jsonl"):
                if root not in shared or has_title(entry.path):
                    yield self.found(entry.path, id_in(entry.name), stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        return (found.folder or peek.folder_in(peek.head(found.path))) == folder

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.result is not None and not isinstance(problem.result.id, str):
            return OnResume(TITLE, MEASURED, "rejected", None, NO_ID_AT_ALL)
        return None


AGENT: Final = OhMyPi()
