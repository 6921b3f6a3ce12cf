"""Qwen Code itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.format import SentRequest
from toolpair.formats.lazy import lazy
from toolpair.formats.qwen_code.history import NEWEST, TITLE, QwenHistory, words_of
from toolpair.rules.problem import OnResume, Problem
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine

_CHATS: Final = "chats"
_PROJECTS: Final = "projects"
_ID: Final = re.compile(r"[0-9a-fA-F-]{32,36}")


class QwenCodeAgent(Agent):
    """Qwen Code itself: `qwen`."""

    id = "qwen-code"
    title = TITLE
    outcomes: Mapping[str, Outcome] = {
        "rollout.envelope": ("rejected", "Qwen Code does not resume this session.", "history"),
        "rollout.not_loaded": ("dropped", "Qwen Code leaves these words out without telling you.", "the words"),
        "chain.cycle": ("dropped", "Qwen Code forgets what is above the loop without telling you.", "history"),
        "chain.duplicate_uuid": ("dropped", "Qwen Code reads them as one message, with the role of the first.", None),
    }
    filled = "tells the model that the result was not recorded, and to treat the call as failed"
    variable = "QWEN_HOME"
    usual_home = ".qwen"
    resumes = ("qwen", "--resume")
    suffix = ".jsonl"
    ask = lazy("toolpair.formats.qwen_code.asking:ASK")
    program = Program(
        "qwen",
        TITLE,
        r"[/\\]@qwen-code[/\\]qwen-code[/\\]|[/\\]qwen-code[/\\]",
        session_options=("--resume", "-r", "--session-id"),
        other_work=frozenset({"mcp", "extensions", "auth", "hooks", "channel", "serve"}),
        package="@qwen-code/qwen-code",
        places=(".local/bin",),
    )

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (machine.folder("QWEN_RUNTIME_DIR", self.home(machine)) / _PROJECTS,)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for project in peek.entries(self.roots(machine)[0]):
            if not peek.is_folder(project):
                continue
            for entry in peek.entries(f"{project.path}/{_CHATS}"):
                stat = peek.regular(entry) if _ID.fullmatch(entry.name.removesuffix(".jsonl")) else None
                if stat is not None and entry.name.endswith(".jsonl"):
                    yield self.found(entry.path, entry.name[:-6], stat)

    def belongs(self, found: FoundSession, folder: str) -> bool:
        from pathlib import Path

        return Path(found.path).parent.parent.name == _folder_name(folder)

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = peek.last_said(found.path, found.size, words_of)
        return peek.folder_in(peek.head(found.path)), peek.one_line(words)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        named = path.name == session_id + ".jsonl" and len(parents) > 3 and parents[0].name == _CHATS
        return parents[3] if named and parents[2].name == _PROJECTS else None

    def target(self, file: SessionFile, machine: Machine) -> Path | None:
        if file.folder is None:
            return None
        return self.roots(machine)[0] / _folder_name(file.folder) / _CHATS / f"{file.session_id}.jsonl"

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        blocks = (problem.call, problem.result, *problem.others)
        glued = facts_of(transcript, QwenHistory).glued
        if any(block is not None and isinstance(block.id, str) and block.id in glued for block in blocks):
            return OnResume(TITLE, NEWEST, "healed", None, "Qwen Code takes the glued line apart and reads both.")
        return None


def _folder_name(folder: str) -> str:
    return re.sub(r"[^a-zA-Z0-9]", "-", folder)


AGENT: Final = QwenCodeAgent()
