"""Gemini CLI itself: its folders and processes, and how a session is resumed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects import gemini as dialect
from toolpair.formats.agent import Agent, FoundSession, Outcome, Program, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.engine.reading.reading import as_text
from toolpair.formats.format import SentRequest
from toolpair.formats.gemini_cli.history import NEWEST, PROJECT, TITLE
from toolpair.formats.gemini_cli.left_out import RULE as LEFT_OUT
from toolpair.formats.gemini_cli.left_out import is_left_out
from toolpair.formats.lazy import lazy
from toolpair.rules.problem import OnResume, Problem
from toolpair.source import peek
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from pathlib import Path

    from toolpair.shell.machine import Machine


class GeminiAgent(Agent):
    """Gemini CLI itself: `gemini`, which continues a session of the project that it is started in."""

    id = "gemini-cli"
    title = TITLE
    variable = "GEMINI_CLI_HOME"
    outcomes: Mapping[str, Outcome] = {
        LEFT_OUT: ("dropped", "Gemini CLI leaves your words out without telling you.", "your words")
    }
    suffix = ".jsonl"
    ask = lazy("toolpair.formats.gemini_cli.asking:ASK")
    program = Program(
        "gemini",
        TITLE,
        r"[/\\]@google[/\\]gemini-cli[/\\]",
        session_options=("--resume", "-r", "--session-file"),
        other_work=frozenset({"mcp", "extensions", "skills", "hooks"}),
        package="@google/gemini-cli",
        places=(".local/bin",),
    )

    def home(self, machine: Machine) -> Path:
        return super().home(machine) / ".gemini"

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "tmp",)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for project in peek.entries(self.roots(machine)[0]):
            for entry in peek.entries(os.path.join(project.path, "chats")):
                stat = peek.regular(entry) if self.is_named(entry.name) else None
                if stat is not None:
                    id_ = _session_id(peek.head(entry.path)) or os.path.splitext(entry.name)[0]
                    yield self.found(entry.path, id_, stat, _folder_of(entry.path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = peek.last_said(found.path, found.size, _user_words)
        return found.folder or _folder_of(found.path), peek.one_line(words)

    def is_named(self, name: str) -> bool:
        return name.startswith("session-") and name.endswith((".json", ".jsonl"))

    def project_of(self, path: str) -> str | None:
        return _folder_of(path)

    def way_back(self, file: SessionFile) -> WayBack | None:
        if file.path is None:
            return WayBack((), sentence="Start `gemini --session-file` with the file.")
        return WayBack(("gemini", "--session-file", os.path.abspath(file.path)), file.folder)

    def in_place(self, path: Path, session_id: str) -> bool:
        return True

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule == "content.empty_text" and problem.message is None:
            text = "Gemini CLI leaves a response with an empty text out, with its calls, and sends their results."
            return OnResume(TITLE, NEWEST, "dropped", "the response", text)
        return None


def _folder_of(path: str) -> str | None:
    """The project of a session file, which the agent notes beside its folder."""
    root = os.path.join(os.path.dirname(os.path.dirname(path)), PROJECT)
    return peek.head(root, 4096).decode("utf-8", "replace").strip() or None


def _session_id(head: bytes) -> str | None:
    value = peek.parse(head.partition(b"\n")[0])
    return as_text(value.get("sessionId")) if isinstance(value, dict) else None


def _user_words(record: Any) -> str:
    if not isinstance(record, dict) or record.get("type") != "user" or is_left_out(record.get("content")):
        return ""
    blocks = dialect.blocks_of(record.get("content"), 0, ())
    return " ".join(block.text for block in blocks if block.kind == "text")


AGENT: Final = GeminiAgent()
