"""The whole of what to type, or do, so that an agent goes on with a file: its own folder, or a copy put into it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from toolpair.agents import claude_code_files as claude_code
from toolpair.agents import cline_files as cline_cli
from toolpair.agents import codex_files as codex
from toolpair.agents import peek
from toolpair.agents.extension_files import HISTORY
from toolpair.agents.machine import Machine, resolved
from toolpair.formats.way_back import WayBack, of_cline

_DATE: Final = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T.+\.jsonl(?:\.zst)?\Z", re.DOTALL)


class Copy(Struct, frozen=True):
    """A session file, and what is known of it. `opened` is where it was read from, when it was saved elsewhere."""

    path: Path
    opened: Path | None
    session_id: str
    folder: str | None


class _Place(Protocol):
    title: str
    variable: str
    """Names the agent's home folder in the environment."""

    def usual(self, machine: Machine) -> Path:
        """The agent's home folder on the machine."""

    def home_of(self, path: Path, session_id: str) -> Path | None:
        """The home folder of an agent that would find the file where it lies."""

    def target(self, copy: Copy, home: Path) -> Path | None:
        """Where the agent would find it."""

    def below(self, home: Path) -> Path:
        """The folder of all its sessions."""


class _ClaudeCode:
    title = "Claude Code"
    variable = "CLAUDE_CONFIG_DIR"

    def usual(self, machine: Machine) -> Path:
        return claude_code.AGENT.home(machine)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        in_place = path.name == f"{session_id}.jsonl" and path.parent.parent.name == "projects"
        return path.parent.parent.parent if in_place else None

    def target(self, copy: Copy, home: Path) -> Path | None:
        if copy.folder is None:
            return None
        name = claude_code.folder_name(copy.folder)
        if len(name) == claude_code.LONGEST_NAME:  # Behind its limit the name has a hash.
            return None
        return home / "projects" / name / f"{copy.session_id}.jsonl"

    def below(self, home: Path) -> Path:
        return home / "projects"


class _Codex:
    title = "Codex"
    variable = "CODEX_HOME"

    def usual(self, machine: Machine) -> Path:
        return codex.AGENT.home(machine)

    def home_of(self, path: Path, session_id: str) -> Path | None:
        parents = path.parents
        in_place = path.name.startswith("rollout-") and len(parents) > 4 and parents[3].name == "sessions"
        return parents[4] if in_place else None

    def target(self, copy: Copy, home: Path) -> Path | None:
        match = _DATE.match(copy.path.name) or (_DATE.match(copy.opened.name) if copy.opened is not None else None)
        return home.joinpath("sessions", *match.groups(), match.group()) if match is not None else None

    def below(self, home: Path) -> Path:
        return home / "sessions"


_PLACES: Final[dict[str, _Place]] = {"claude-code": _ClaudeCode(), "codex": _Codex()}


def whole_way(format_id: str, way: WayBack | None, copy: Copy, machine: Machine) -> str | None:
    """`way` (what the agent's format says) as it has to be for a file at this place.

    A sentence that ends with a full stop is something to do; all else can be typed into a POSIX shell.
    """
    if way is None:
        return None
    if format_id == "roo-code":
        return _editor_task(way.text, copy)
    place = _PLACES.get(format_id)
    if place is None or not copy.session_id:
        return way.text
    home = place.home_of(copy.path, copy.session_id)
    if home is not None:
        return _with_home(way, place, home, machine).text
    was = place.home_of(copy.opened, copy.session_id) if copy.opened is not None else None
    target = copy.opened if was is not None else place.target(copy, place.usual(machine))
    way = _with_home(way, place, was, machine) if was is not None else way
    then = f"run `{way.text}`." if way.sentence is None else way.text[:1].lower() + way.text[1:]
    if target is None:
        below = place.below(place.usual(machine))
        return f"put this file where {place.title} had it, under {below}, then {then}"
    return f"put this file at {target}, then {then}"


def _with_home(way: WayBack, place: _Place, home: Path, machine: Machine) -> WayBack:
    """The way with the variable that leads the agent to `home`, when it is not the usual one."""
    if _same(home, place.usual(machine)):
        return way
    return replace(way, variables=(*way.variables, (place.variable, str(home))))


def _editor_task(sentence: str, copy: Copy) -> str:
    path = copy.path
    if path.name.endswith(cline_cli.SUFFIX) and path.name == path.parent.name + cline_cli.SUFFIX:
        folder = peek.small_json(cline_cli.beside(str(path))).get("cwd")
        return of_cline(path.parent.name, folder if isinstance(folder, str) else None).text
    if path.name in HISTORY and path.parent.parent.name == "tasks":
        return sentence
    then = sentence[:1].lower() + sentence[1:]
    opened = copy.opened
    if opened is not None and opened.name in HISTORY and opened.parent.parent.name == "tasks":
        return f"put this file at {opened}, then, {then}"
    if path.name.endswith(cline_cli.SUFFIX) or (opened is not None and opened.name.endswith(cline_cli.SUFFIX)):
        return "put this file in place of the one in the session's own folder, then run `cline --id` with its id."
    return f"put this file in place of {HISTORY[0]} in the task's folder, then, {then}"


def _same(one: Path, other: Path) -> bool:
    return resolved(str(one)) == resolved(str(other))
