"""Claude Code's entry: `claude`, and `projects/<folder as a name>/<session id>.jsonl` in its configuration folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.claude_code.record_kinds import SUB_AGENT
from toolpair.formats.lazy import lazy

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.formats.agent import Outcome
    from toolpair.formats.engine.agents.way_back import WayBack
    from toolpair.formats.format import SentRequest
    from toolpair.rules.problem import OnResume, Problem
    from toolpair.shell.machine import Machine
    from toolpair.transcript.model import Transcript

_OUTCOMES: Final[dict[str, Outcome]] = {
    "chain.duplicate_uuid": (
        "dropped",
        "Claude Code reads the later record in its place without telling you.",
        "the record",
    ),
    "chain.kept_missing": (
        "dropped",
        "Claude Code sends nothing of what the compaction kept, without telling you.",
        "what was kept",
    ),
    "chain.no_timestamp": (
        "rejected",
        "Claude Code says that there is no such session, and resumes nothing.",
        "history",
    ),
    "error.non_text": (
        "dropped",
        "Claude Code sends only the text of this error, without telling you.",
        "what is not text",
    ),
}
_PROJECTS: Final = "projects"


class ClaudeCodeAgent(Agent):
    """Modules that only some commands need are imported on first use."""

    id = "claude-code"
    title = "Claude Code"
    variable = "CLAUDE_CONFIG_DIR"
    usual_home = ".claude"
    suffix = ".jsonl"
    sub_agent = SUB_AGENT
    outcomes = _OUTCOMES
    ask = lazy("toolpair.formats.claude_code.asking:ASK")
    program = Program(
        "claude",
        "Claude Code",
        r"[/\\]@anthropic-ai[/\\]claude-code[/\\]|[/\\]claude-code[/\\]cli\.m?js\Z",
        session_options=("--resume", "-r", "--session-id"),
        other_work=frozenset({"mcp", "doctor", "update", "install", "config", "plugin", "setup-token", "auth"}),
        package="@anthropic-ai/claude-code",
        places=(".local/bin", ".claude/local"),
        extension="anthropic.claude-code-",
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / _PROJECTS,)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        from toolpair.formats.claude_code.session_files import files_below

        for path, session_id, stat in files_below(self.roots(machine)):
            yield self.found(path, session_id, stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        from toolpair.formats.claude_code.session_files import is_in_folder_of

        return is_in_folder_of(found.path, folder)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        from toolpair.formats.claude_code.session_files import described

        return described(found.path, found.size)

    def way_back(self, file: SessionFile) -> WayBack | None:
        from toolpair.formats.engine.agents.way_back import WayBack

        if not file.session_id:
            return None
        if file.session_id.startswith("-"):
            where = f"in {file.folder}" if file.folder else "in its folder"
            return WayBack((), sentence=f"Start `claude --resume` {where} and choose this session there.")
        return WayBack(("claude", "--resume", file.session_id), file.folder)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        in_place = path.name == session_id + self.suffix and path.parent.parent.name == _PROJECTS
        return path.parent.parent.parent if in_place else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        from toolpair.formats.claude_code.session_files import LONGEST_NAME, folder_name

        name = folder_name(file.folder) if file.folder is not None else None
        if name is None or len(name) == LONGEST_NAME:  # Beyond its limit the name ends in a hash.
            return None
        return self.roots(machine)[0] / name / (file.session_id + self.suffix)

    def resumes_from(self, path: Path, folder: str | None, records: Iterable[Any]) -> str | None:
        """The folder that its file's directory is named after, since the agent may have changed folders since."""
        from toolpair.formats.claude_code.session_files import is_name_of, working_folder_called

        if not folder or is_name_of(path.parent.name, folder):
            return folder
        return working_folder_called(path.parent.name, records) or folder

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        from toolpair.formats.claude_code.versions import behaviour, resumed_by
        from toolpair.rules.problem import OnResume

        if transcript.agent != SUB_AGENT:
            return None
        text = "Claude Code neither resumes nor heals a sub-agent's history: it stays as it is."
        return OnResume(self.title, behaviour(resumed_by(transcript)).version, "kept", None, text)


AGENT: Final = ClaudeCodeAgent()
