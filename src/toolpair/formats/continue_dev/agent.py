"""Continue itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.continue_dev.history import ANEW, NEWEST, NO_LIST, STOPS, TITLE, folder_in
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.format import SentRequest
from toolpair.formats.lazy import lazy
from toolpair.rules.problem import OnResume, Problem
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine


class ContinueAgent(Agent):
    """Continue itself: `cn --resume` continues the session that was written last."""

    id = "continue"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        **dict.fromkeys(("record.no_message", "content.null"), ("rejected", STOPS, None)),
        "rollout.envelope": ("rejected", NO_LIST, None),
    }
    variable = "CONTINUE_GLOBAL_DIR"
    usual_home = ".continue"
    suffix = ".json"
    ask = lazy("toolpair.formats.continue_dev.asking:ASK")
    program = Program(
        "cn",
        "Continue",
        r"[/\\]@continuedev[/\\]cli[/\\]",
        session_options=("--fork",),
        other_work=frozenset({"ls", "login", "logout", "remote", "serve", "review", "checks"}),
        package="@continuedev/cli",
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "sessions",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        root = self.roots(machine)[0]
        for entry in peek.entries(root):
            stat = peek.regular(entry) if entry.name.endswith(".json") and entry.name != "sessions.json" else None
            if stat is not None:
                yield self.found(entry.path, entry.name[:-5], stat, _recorded_folder(entry.path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = peek.near_end(found.path, found.size, lambda data: peek.string_after(data, "editorState", last=True))
        return found.folder, peek.one_line(words)

    def project_of(self, path: str) -> str | None:
        return _recorded_folder(path) if self.in_place(_path(path), "") else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return path.parent.name == "sessions" and path.suffix == ".json" and path.name != "sessions.json"

    def home_of(self, path: Path, session_id: str) -> Path | None:
        return path.parent.parent if self.in_place(path, session_id) else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        return self.roots(machine)[0] / f"{file.session_id}.json" if file.session_id else None

    def way_back(self, file: SessionFile) -> WayBack | None:
        return WayBack(("cn", "--resume"), file.folder)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule == "record.bom":
            return OnResume(TITLE, NEWEST, "dropped", "the whole history", f"{ANEW}.")
        return None


def _path(path: str) -> Path:
    from pathlib import Path

    return Path(path)


def _recorded_folder(path: str) -> str | None:
    """The folder in the first lines of a session."""
    return folder_in({"workspaceDirectory": peek.string_after(peek.head(path, 4096), "workspaceDirectory")})


AGENT: Final = ContinueAgent()
