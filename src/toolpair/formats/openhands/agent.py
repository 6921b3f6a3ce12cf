"""OpenHands itself, on whose SDK its command line and its server stand: its folders, and how it resumes one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from toolpair.formats.agent import Program, SessionFile
from toolpair.formats.engine.agents.database_agent import FolderAgent
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.lazy import lazy
from toolpair.formats.openhands.folder import OPENHANDS_FOLDER
from toolpair.formats.openhands.format import AGAIN, AGAIN_BEFORE, NOT_LOADED, TITLE, log_of
from toolpair.formats.openhands.sending import BEFORE, KEEPS_ITS_VIEW, VERSION, is_before, runs_again
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.transcript.model import Transcript

_OF_LINKS: Final = ("chain.missing_parent", "chain.cycle", "chain.wrong_leaf")
_PLACE: Final = "OPENHANDS_CONVERSATIONS_DIR"


class OpenHands(FolderAgent):
    """Each conversation is a folder."""

    id = "openhands"
    title = TITLE
    layout = OPENHANDS_FOLDER
    variable = "OPENHANDS_PERSISTENCE_DIR"
    usual_home = ".openhands"
    ask = lazy("toolpair.formats.openhands.asking:ASK")
    program = Program(
        "openhands",
        TITLE,
        r"\A\b\Z",
        session_options=("--resume",),
        other_work=frozenset({"serve", "mcp", "cloud", "login", "logout", "view"}),
        distribution="openhands_sdk",
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder(_PLACE, self.home(machine) / "conversations"),)

    def way_in_its_own(self, file: SessionFile) -> WayBack:
        return self._way(file)

    def way_in_another(self, path: Path, file: SessionFile) -> WayBack:
        return self._way(file, (_PLACE, str(path.parent)))

    def _way(self, file: SessionFile, *variables: tuple[str, str]) -> WayBack:
        """It is found by the name of its folder, which is its id without hyphens."""
        name = file.session_id.replace("-", "")
        if file.path is not None and name != file.path.name:
            return WayBack((), sentence=f"{TITLE} finds it under the name {name}: give the folder that name.")
        return WayBack(("openhands", "--resume", name), file.folder, variables=variables)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: object = None) -> OnResume | None:
        if problem.rule in _OF_LINKS and problem.severity == "error":
            if log_of(transcript).is_loaded:
                text = f"{TITLE} forgets what follows without telling you."
                return OnResume(TITLE, VERSION, "dropped", "history", text)
            return OnResume(TITLE, VERSION, "rejected", "the whole conversation", f"{NOT_LOADED}.", sends=False)
        call, stops = problem.call, problem.severity == "error" or problem.rule == "turn.trailing_call"
        if call is None or not stops or call.record not in runs_again(transcript):
            return None
        if is_before(transcript.agent_version, KEEPS_ITS_VIEW):
            return OnResume(TITLE, BEFORE, "rejected", None, f"{AGAIN_BEFORE}.")
        return OnResume(TITLE, VERSION, "rejected", None, f"{AGAIN}.")


AGENT: Final = OpenHands()
