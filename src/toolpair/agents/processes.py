"""A time-limited search of this machine's processes for those that work with a session."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

from toolpair.agents.running import agent_of, other_session
from toolpair.source.saving import descriptors

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
    if descriptors.can_be_seen():
        found = os.stat(path)
        return descriptors.writes(process.pid, (found.st_dev, found.st_ino))
    # Only Linux shows how a file is opened; elsewhere a process that has a session open is assumed to write to it.
    return any(opened.path == path for opened in process.open_files())
