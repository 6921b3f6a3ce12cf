"""The whole of what to type, or do, so that an agent goes on with a file: its own folder, or a copy put into it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Final, Protocol

from toolpair.dataclass import dataclass
from toolpair.discovery import claude_code, cline_cli, codex, peek
from toolpair.discovery.extensions import HISTORY
from toolpair.discovery.machine import Machine

_DATE: Final = re.compile(r"rollout-(\d{4})-(\d\d)-(\d\d)T.+\.jsonl(?:\.zst)?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Copy:
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


def whole_command(format_id: str, command: str | None, copy: Copy, machine: Machine) -> str | None:
    """`command` (what the agent's format says) as it has to be for a file at this place.

    A sentence that ends with a full stop is something to do; all else can be typed into a POSIX shell.
    """
    if command is None:
        return None
    if format_id == "roo-code":
        return _editor_task(command, copy)
    place = _PLACES.get(format_id)
    if place is None or not copy.session_id:
        return command
    home = place.home_of(copy.path, copy.session_id)
    if home is not None:
        return _with_home(command, place, home, machine)
    was = place.home_of(copy.opened, copy.session_id) if copy.opened is not None else None
    target = copy.opened if was is not None else place.target(copy, place.usual(machine))
    command = _with_home(command, place, was, machine) if was is not None else command
    if target is None:
        below = place.below(place.usual(machine))
        return f"put this file where {place.title} had it, below {below}, then run `{command}`."
    return f"put this file at {target}, then run `{command}`."


def _with_home(command: str, place: _Place, home: Path, machine: Machine) -> str:
    """The command with the variable that leads the agent to `home`, when it is not the usual one."""
    if _same(home, place.usual(machine)):
        return command
    before, and_then, agent = command.rpartition(" && ")
    return f"{before}{and_then}{place.variable}={shlex.quote(str(home))} {agent}"


def _editor_task(command: str, copy: Copy) -> str:
    path = copy.path
    if path.name.endswith(cline_cli.SUFFIX) and path.name == path.parent.name + cline_cli.SUFFIX:
        resume = f"cline --id {shlex.quote(path.parent.name)}"
        folder = peek.small_json(cline_cli.beside(str(path))).get("cwd")
        return f"cd {shlex.quote(folder)} && {resume}" if isinstance(folder, str) else resume
    if path.name in HISTORY and path.parent.parent.name == "tasks":
        return command
    then = command[:1].lower() + command[1:]
    opened = copy.opened
    if opened is not None and opened.name in HISTORY and opened.parent.parent.name == "tasks":
        return f"put this file at {opened}, then, {then}"
    if path.name.endswith(cline_cli.SUFFIX) or (opened is not None and opened.name.endswith(cline_cli.SUFFIX)):
        return "put this file in the place of the one in the session's own folder, then run `cline --id` with its id."
    return f"put this file in the place of {HISTORY[0]} in the folder of its task, then, {then}"


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.realpath(one) == os.path.realpath(other)
    except (OSError, ValueError):
        return one == other
