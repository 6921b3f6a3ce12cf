"""Codex's entry: `codex`, and the rollouts in its home folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.lazy import lazy

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.formats.format import Beside
    from toolpair.shell.machine import Machine
    from toolpair.transcript.model import Transcript

_OUTCOMES: Final[dict[str, Outcome]] = {
    "rollout.compaction_ignored": (
        "dropped",
        "Codex skips the compaction, and the old history comes back.",
        None,
    ),
    "rollout.not_loaded": ("dropped", "Codex skips it without telling you.", "what it says"),
}
_SESSIONS: Final = "sessions"


class CodexAgent(Agent):
    """Modules that only some commands need are imported on first use."""

    id = "codex"
    title = "Codex"
    variable = "CODEX_HOME"
    usual_home = ".codex"
    suffix = ".jsonl"
    outcomes = _OUTCOMES
    silently = ". Only its log says so"
    ask = lazy("toolpair.formats.codex.asking:ASK")
    program = Program(
        "codex",
        "Codex",
        r"[/\\]@openai[/\\]codex[/\\]",
        session_options=("resume",),
        other_work=frozenset({"login", "logout", "completion", "mcp", "update", "features"}),
        package="@openai/codex",
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        home = self.home(machine)
        return (home / _SESSIONS, home / "archived_sessions")

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.formats.codex.session_files import rollouts_below

        for root in self.roots(machine):
            for rollout in rollouts_below(str(root)):
                yield self.found(*rollout)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.formats.codex.session_files import described

        return described(found.path, found.size, found.folder)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        if not file.session_id:
            return None
        options_end = ("--",) if file.session_id.startswith("-") else ()
        return WayBack(("codex", "resume", *options_end, file.session_id), file.folder)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        in_place = path.name.startswith("rollout-") and len(parents) > 4 and parents[3].name == _SESSIONS
        return parents[4] if in_place else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        from toolpair.formats.codex.session_files import dated

        dates = dated(*(path.name for path in (file.path, file.opened) if path is not None))
        return self.roots(machine)[0].joinpath(*dates) if dates is not None else None

    def notes_on_saving(self, transcript: Transcript, beside: Beside, before: int, after: int) -> Sequence[str]:
        from toolpair.formats.codex.forks import fork_notes
        from toolpair.formats.codex.session_files import index_notes

        return (*index_notes(beside, before, after), *fork_notes(transcript.session_id, beside, before, after))


AGENT: Final = CodexAgent()
