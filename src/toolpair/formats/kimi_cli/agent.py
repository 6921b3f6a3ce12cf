"""Kimi CLI itself: where its sessions are, what becomes of their problems, and how it resumes one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.block_texts import text_of
from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.turns import Outcome
from toolpair.formats.kimi_cli.files import CONTEXT, SESSIONS, hash_of, place_of, projects_in
from toolpair.formats.kimi_cli.format import NEWEST, OF_ITS_OWN, STOPS, SUB_AGENT, TITLE, Facts
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.formats.format import SentRequest


_SENT: Final[Outcome] = ("rejected", "Kimi CLI sends it as it is, and the API refuses the session.", None)
_KEPT: Final[Outcome] = ("kept", "Kimi CLI sends it as it is.", None)
_OUTCOMES: Final[dict[str, Outcome]] = {
    **dict.fromkeys(
        (
            "result.missing",
            "turn.trailing_call",
            "result.orphan",
            "result.duplicate",
            "result.id_mismatch",
            "result.not_adjacent",
            "result.not_first",
            "result.crossed",
            "call.duplicate_id",
            "call.reused_id",
            "id.empty",
            "id.length",
            "name.missing",
            "name.pattern",
            "content.empty_message",
            "content.empty_text",
            "content.empty_tool_calls",
            "content.empty_result",
        ),
        _SENT,
    ),
    **dict.fromkeys(
        (
            "result.order",
            "id.pattern",
            "args.unparseable",
            "turn.alternation",
            "turn.trailing_assistant",
        ),
        _KEPT,
    ),
    "reasoning.missing_before_call": (
        "kept",
        "Kimi CLI sends it as it is, and the API refuses it while thinking is on.",
        None,
    ),
    "record.lone_surrogate": ("rejected", "Kimi CLI fails to write its request with half a character in it.", None),
    "result.placeholder": ("placeholder", "Kimi CLI sends the placeholder as it is.", "the real output"),
    "field.missing": ("healed", "Kimi CLI writes it when it sends the call.", None),
    "rollout.not_loaded": ("dropped", "Kimi CLI skips this line without telling you.", "the line"),
}
"""What Kimi CLI makes of a problem, by its rule."""


class KimiCli(Agent):
    id = "kimi-cli"
    title = TITLE
    sub_agent = SUB_AGENT
    outcomes = _OUTCOMES
    measured = NEWEST
    variable = "KIMI_SHARE_DIR"
    usual_home = ".kimi"
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

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        if not file.session_id or file.session_id.startswith("-"):
            return None
        return WayBack(("kimi", "--session", file.session_id), file.folder)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        faults = facts_of(transcript, Facts).faults
        if "stops" in faults.values() and (
            problem.record in faults or _OUTCOMES.get(problem.rule, " ")[0] == "rejected"
        ):
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
        return super().on_resume(transcript, problem, seen)


def _words(value: Any) -> str | None:
    """What the user says in a line."""
    text = text_of(value.get("content")) if value.get("role") == "user" else ""
    return text if text.strip() and not text.lstrip().startswith(OF_ITS_OWN) else None


AGENT: Final = KimiCli()
