"""A fictitious agent with an entry of its own: one file per session, and the project's folder in another beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toolpair.formats.agent import Agent, FoundSession, Program, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.format import Beside, SentRequest
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.source import peek
from toolpair.transcript.model import Transcript

SUFFIX = ".made-up.json"


class MadeUp(Agent):
    id = "made-up"
    title = "Made Up"
    variable = "MADE_UP_HOME"
    usual_home = ".made-up"
    suffix = SUFFIX
    program = Program("made-up", "Made Up", r"[/\\]made-up[/\\]", session_options=("--go-on",))

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine),)

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for entry in peek.entries(self.home(machine)):
            stat = peek.regular(entry)
            if stat is not None and self.is_named(entry.name):
                yield self.found(entry.path, entry.name.removesuffix(SUFFIX), stat, self.project_of(entry.path))

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        return found.folder, "what was said"

    def is_named(self, name: str) -> bool:
        return name.endswith(SUFFIX)

    def project_of(self, path: str) -> str | None:
        return peek.head(path.removesuffix(SUFFIX) + ".folder").decode() or None if path.endswith(SUFFIX) else None

    def home_of(self, path: Path, session_id: str) -> Path | None:
        return path.parent if self.is_named(path.name) and path.parent.name == ".made-up" else None

    def way_back(self, file: SessionFile) -> WayBack | None:
        name = (file.path if file.path is not None and self.is_named(file.path.name) else file.opened or Path()).name
        return WayBack(("made-up", "--go-on", name.removesuffix(SUFFIX)))

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule != "result.missing":
            return None
        return OnResume(self.title, None, "dropped", "the call", "Made Up drops this call without telling you.")

    def notes_on_saving(self, transcript: Transcript, beside: Beside, before: int, after: int) -> Sequence[str]:
        index = beside.read("index")
        if index is None or str(before) not in index.decode():
            return ()
        return (f"Made Up's index has the old size of this session, {before} bytes: remove it.",)


AGENT = MadeUp()


def made_up_session(home: Path, folder: str, id_: str = "s1", more: Sequence[Any] = ()) -> Path:
    """A file below the user's `home`, as the agent writes it: a call without a result, and `more` behind it."""
    path = home / ".made-up" / f"{id_}{SUFFIX}"
    path.parent.mkdir(parents=True, exist_ok=True)
    call = {"type": "tool_use", "id": "t1", "name": "run", "input": {}}
    messages: list[Any] = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [call]},
        *(more or [{"role": "user", "content": "and?"}]),
    ]
    path.write_text(json.dumps(messages))
    path.with_name(f"{id_}.folder").write_text(folder)
    return path
