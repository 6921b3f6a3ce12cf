"""Agents that are extensions of VS Code and its relatives: one folder per task in the editor's global storage."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolpair.formats.agent import Agent, FoundSession, SessionFile
from toolpair.formats.engine.agents.editors import storages
from toolpair.formats.engine.agents.marked_words import last_words, marked_words
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.formats.format import SentRequest
from toolpair.rules.problem import OnResume, Problem
from toolpair.shell.machine import Machine
from toolpair.source import peek
from toolpair.transcript.model import Transcript

_HISTORY: Final = ("api_conversation_history.json", "claude_messages.json")
"""The file of a task; the second is its name in old versions."""
_FOLDER: Final = re.compile(rb"Current (?:Workspace|Working) Directory \(((?:[^()\\\"]|\\.)+)\)")


class Extension(Agent):
    """`names` are the extension's ids, `setting` the editor setting that can move its storage."""

    tells_all = True
    in_editor = True

    def __init__(self, id_: str, title: str, names: tuple[str, ...], setting: str | None = None) -> None:
        self.id = id_
        self.title = title
        self._names = names
        self._setting = setting

    def roots(self, machine: Machine) -> tuple[Path, ...]:
        found = [storage / name / "tasks" for storage in storages(machine) for name in self._names]
        return tuple(dict.fromkeys((*found, *self._elsewhere(machine), *self._moved(machine))))

    def _elsewhere(self, machine: Machine) -> tuple[Path, ...]:
        """Task folders outside the editors' storages."""
        return ()

    def _moved(self, machine: Machine) -> Iterator[Path]:
        """Task folders that the editors' settings point to."""
        if self._setting is None:
            return
        wanted = re.compile(rb'"' + re.escape(self._setting.encode()) + rb'"\s*:\s*("(?:[^"\\]|\\.)*+")')
        for storage in storages(machine):
            match = wanted.search(peek.head(str(storage.parent / "settings.json"), 1 << 20))
            value = peek.parse(match.group(1)) if match is not None else None
            if isinstance(value, str) and value.strip():
                yield Path(value) / "tasks"

    def sessions(self, machine: Machine) -> Iterator[FoundSession]:
        for root in self.roots(machine):
            for task in peek.entries(root):
                for name in _HISTORY:
                    path = os.path.join(task.path, name)
                    stat = peek.regular_file(path)
                    if stat is not None:
                        yield self.found(path, task.name, stat, _workspace(task.path))
                        break

    def belongs(self, found: FoundSession, folder: str) -> bool:
        return (found.folder or _recorded_folder(found.path)) == folder

    def describe(self, found: FoundSession) -> tuple[str | None, str | None]:
        words = last_words(found.path, found.size)
        words = words or peek.one_line(_item(os.path.dirname(found.path)).get("task"))
        return found.folder or _recorded_folder(found.path), words or marked_words(peek.head(found.path))

    def is_named(self, name: str) -> bool:
        return name in _HISTORY

    def project_of(self, path: str) -> str | None:
        return _recorded_folder(path) if self.is_named(os.path.basename(path)) else None

    def in_place(self, path: Path, session_id: str) -> bool:
        return self.is_named(path.name) and path.parent.parent.name == "tasks"

    def way_back(self, file: SessionFile) -> WayBack:
        return WayBack((), sentence='In the editor: "Developer: Reload Window", then open the task.')

    def where_to_put(self, file: SessionFile, machine: Machine) -> str:
        if file.opened is not None and self.in_place(file.opened, file.session_id):
            return f"at {file.opened}"
        return f"in place of {_HISTORY[0]} in the task's folder"


class _RooCode(Extension):
    """Roo Code, which ended in May 2026, and what goes on from it."""

    def __init__(self, id_: str, title: str, names: tuple[str, ...], setting: str, goes_on: bool = False) -> None:
        """`goes_on`: its files are Roo Code's own, and only the folder that they are in tells whose they are."""
        super().__init__(id_, title, names, setting)
        self._goes_on = goes_on

    def wrote(self, transcript: Transcript, path: str | os.PathLike[str] | None) -> bool:
        if not self._goes_on:
            return super().wrote(transcript, path)
        return path is not None and any(part.lower() in self._names for part in Path(path).parts)

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule != "turn.trailing_call":
            return None
        text = f"On resume {self.title} writes that the task was interrupted."
        return OnResume(self.title, None, "placeholder", None, text)


class _Cline(Extension):
    variable = "CLINE_DIR"
    usual_home = ".cline"

    def on_resume(self, transcript: Transcript, problem: Problem, seen: SentRequest | None = None) -> OnResume | None:
        if problem.rule not in ("result.missing", "turn.trailing_call"):
            return None
        text = "Cline answers this call with a note that it was interrupted."
        return OnResume(self.title, None, "placeholder", None, text)

    def _elsewhere(self, machine: Machine) -> tuple[Path, ...]:
        return (self.home(machine) / "data" / "tasks",)


def _item(task: str) -> dict[str, object]:
    return peek.small_json(os.path.join(task, "history_item.json"))


def _workspace(task: str) -> str | None:
    item = _item(task)
    for key in ("workspace", "cwdOnTaskInitialization"):
        value = item.get(key)
        if isinstance(value, str) and value:
            return value
    return None


def _recorded_folder(path: str) -> str | None:
    """The folder that the agent named in the first message to the model."""
    match = _FOLDER.search(peek.head(path, 64 << 10))
    value = peek.parse(b'"' + match.group(1) + b'"') if match is not None else None
    return value if isinstance(value, str) else None


ROO_CODE: Final = _RooCode(
    "roo-code",
    "Roo Code",
    ("rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly"),
    "roo-cline.customStoragePath",
)
ZOO_CODE: Final = _RooCode(
    "zoo-code", "Zoo Code", ("zoocodeorganization.zoo-code",), "zoo-code.customStoragePath", goes_on=True
)
CLINE: Final = _Cline("cline", "Cline", ("saoudrizwan.claude-dev",))
KILO_CODE: Final = Extension("kilo-code", "Kilo Code", ("kilocode.kilo-code",), "kilo-code.customStoragePath")
