"""A time-limited search of this machine's processes for those that work with a session, and whether one is an agent."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from toolpair.formats import all_agents, get_agent, written_by
from toolpair.formats.agent import Agent, Program
from toolpair.source.saving import holders

if TYPE_CHECKING:
    import psutil

LONGEST: Final = 0.3
"""Maximum seconds for a search."""


class Neighbour(Struct, frozen=True):
    """A process that works with the session. `name` is untrusted."""

    pid: int
    name: str
    agent: str | None
    """As `agent_of` returns it."""
    does: Literal["writes", "runs"]
    """It has the file open for writing, or it is an agent whose working folder is the session's."""


def neighbours(path: str | None, folder: str | None, agents: tuple[str, ...], session_id: str = "") -> list[Neighbour]:
    """The processes that have `path` open for writing, and those of `agents` whose working folder is `folder`.

    Both are resolved paths. Processes that may not be inspected are skipped, and so are those left when the time
    (`LONGEST`) is up; empty if psutil is not installed.
    """
    try:
        import psutil
    except ImportError:
        return []
    until = time.monotonic() + LONGEST
    found: list[Neighbour] = []
    runs: dict[int, int] = {}
    try:
        for process in psutil.process_iter():
            if time.monotonic() > until:
                break
            if process.pid == os.getpid():
                continue
            one = _look(process, path, folder, agents, session_id)
            if one is not None:
                found.append(one)
                runs[one.pid] = _parent(process)
    except (psutil.Error, OSError):
        pass
    # A launcher and the program it started are one agent.
    return [one for one in found if one.does == "writes" or runs[one.pid] not in runs]


def _look(
    process: psutil.Process, path: str | None, folder: str | None, agents: tuple[str, ...], session_id: str
) -> Neighbour | None:
    import psutil

    try:
        writes = path is not None and _writes(process, path)
        name = process.name()
        try:
            command = process.cmdline()
        except (psutil.Error, OSError):
            command = []
        agent = agent_of(name, command)
        if writes:
            return Neighbour(process.pid, name, agent, "writes")
        if agent is None or agent not in agents or folder is None or other_session(command, session_id):
            return None
        if os.path.realpath(process.cwd()) == folder and process.status() != psutil.STATUS_ZOMBIE:
            return Neighbour(process.pid, name, agent, "runs")
    except (psutil.Error, OSError, ValueError):
        pass
    return None


def _parent(process: psutil.Process) -> int:
    import psutil

    try:
        return int(process.ppid())
    except (psutil.Error, OSError):
        return 0


def _writes(process: psutil.Process, path: str) -> bool:
    if holders.can_be_seen():
        found = os.stat(path)
        return holders.writes(process.pid, (found.st_dev, found.st_ino))
    # Only Linux shows how a file is opened; elsewhere a process that has a session open is assumed to write to it.
    return any(opened.path == path for opened in process.open_files())


_RUNTIME: Final = re.compile(r"node(?:js)?|bun|deno|python[\d.]*")
_EDITORS: Final = frozenset(
    {"code", "code-insiders", "code-oss", "codium", "vscodium", "cursor", "windsurf", "trae", "code-server"}
)
EDITOR: Final = "editor"


def agent_of(name: str, command: Sequence[str]) -> str | None:
    """The id of the agent that the process is, "editor" (VS Code and similar), or None.

    `name` is the process's own, `command` its command line, which may be empty if it cannot be read.
    """
    program = _base(command[0]) if command and command[0] else _base(name)
    rest = list(command[1:])
    agent = _started_by(program)
    runs_script = _RUNTIME.fullmatch(program) is not None
    if agent is None and runs_script:
        script = next((n for n, word in enumerate(rest) if not word.startswith("-")), None)
        if script is not None:
            agent = _of_script(rest[script])
            rest = rest[script + 1 :]
    if agent is None and not runs_script and not rest:
        agent = _started_by(_base(name))
    if agent is None:
        return EDITOR if program in _EDITORS else None
    if command and ".app/Contents/" in command[0].replace("\\", "/"):
        return None  # the desktop app of the same name
    first = next((word for word in rest if not word.startswith("-")), None)
    return None if agent.program is not None and first in agent.program.other_work else agent.id


def other_session(command: Sequence[str], session_id: str) -> bool:
    """Whether the command line shows that the agent resumes a different session."""
    words = list(command)
    options = {option for _, program in _programs() for option in program.session_options}
    for n, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in options:
            value = value or (words[n + 1] if n + 1 < len(words) else "")
            if re.fullmatch(r"[0-9a-fA-F-]{36}", value):
                return value.lower() != session_id.lower()
    return False


def kinds_of(agents: Iterable[Agent]) -> tuple[str, ...]:
    """What `agent_of` returns for processes that may be one of these agents."""
    agents = tuple(agents)
    programs = (agent.id for agent in agents if agent.program is not None)
    return (*programs, *((EDITOR,) if any(agent.in_editor for agent in agents) else ()))


def title_of(kind: str | None) -> str | None:
    """The usual name of the program that `agent_of` calls this; None for an editor, and for no agent."""
    program = get_agent(kind).program if kind in written_by() else None
    return program.title if program is not None else None


def _programs() -> Iterator[tuple[Agent, Program]]:
    return ((agent, agent.program) for agent in all_agents() if agent.program is not None)


def _started_by(command: str) -> Agent | None:
    return next((agent for agent, program in _programs() if program.command == command), None)


def _of_script(script: str) -> Agent | None:
    known = _started_by(_base(script))
    return known or next((agent for agent, program in _programs() if re.search(program.scripts, script)), None)


def _base(path: str) -> str:
    name = re.split(r"[/\\]", path)[-1].lower()
    for ending in (".exe", ".cmd", ".js", ".mjs"):
        name = name.removesuffix(ending)
    return name
