"""All agents' sessions in one list, and what a person may call one of them by."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from toolpair.agents import claude_code_files as claude_code
from toolpair.agents import cline_files as cline_cli
from toolpair.agents import codex_files as codex
from toolpair.agents import extension_files as extensions
from toolpair.agents.found import Agent, Found
from toolpair.agents.machine import Machine, current_folder, resolved
from toolpair.shell.program import command

AGENTS: Final[tuple[Agent, ...]] = (
    claude_code.AGENT,
    codex.AGENT,
    extensions.ROO_CODE,
    extensions.CLINE,
    extensions.KILO_CODE,
    cline_cli.AGENT,
)
HERE: Final = "."
_BY_ID: Final = {agent.id: agent for agent in AGENTS}
_NAMED: Final = 5
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]*(?:\.jsonl|\.messages\.json)?\Z")


class NoSuchSession(Exception):
    """No session, or more than one, is called so. One sentence."""


def index(machine: Machine, folder: str | None = None, agents: Iterable[str] = ()) -> list[Found]:
    """The sessions on the machine, those of `folder` first, then by time; by stat and the first bytes alone.

    `agents` are the ids of those that are asked for; none stands for all.
    """
    wanted = set(agents)
    here = resolved(folder) if folder is not None else None
    found: list[Found] = []
    seen: set[str] = set()
    for agent in AGENTS:
        if wanted and agent.id not in wanted:
            continue
        for one in agent.sessions(machine):
            if one.path not in seen:
                seen.add(one.path)
                belongs = here is not None and agent.belongs(one, here)
                found.append(replace(one, here=True) if belongs else one)
    found.sort(key=lambda one: (not one.here, -one.modified, one.path))
    return found


def describe(found: Found) -> Found:
    """The session with its folder and the user's last words, from a short read of the file."""
    if found.described:
        return found
    folder, words = _BY_ID[found.agent].describe(found)
    return replace(found, folder=folder or found.folder, words=words, described=True)


def project_of(path: str) -> str | None:
    """The project folder of a session in whose file the agent does not write it: a task, or one of Cline's own."""
    name = os.path.basename(path)
    agent: Agent
    if name.endswith(cline_cli.SUFFIX):
        agent = cline_cli.AGENT
    elif name in extensions.HISTORY:
        agent = extensions.ROO_CODE
    else:
        return None
    return agent.describe(Found(agent.id, agent.title, path, "", 0, 0))[0]


def looked_in(machine: Machine) -> list[tuple[str, str]]:
    """The agents, each with the folder where its sessions usually lie."""
    return [(agent.title, str(agent.roots(machine)[0])) for agent in AGENTS]


def newest(machine: Machine, folder: str) -> Found | None:
    """The session of the folder that was written last."""
    found = index(machine, folder)
    return found[0] if found and found[0].here else None


def resolve(name: str, machine: Machine | None = None) -> str:
    """The path that is meant by `name`: a path, a session's id or its beginning, or `.` for this folder's newest.

    A path that exists is taken as it is, and so is what cannot be an id. Raises NoSuchSession.
    """
    if name == HERE:
        machine = machine or Machine.here()
        folder = current_folder()
        found = newest(machine, folder)
        if found is None:
            raise NoSuchSession(
                f"No agent has left a session for this folder ({folder}); `{command('sessions')}` lists those of other "
                "folders."
            )
        return found.path
    if os.path.lexists(name) or not _ID.match(name):
        return name
    return _by_id(name, machine or Machine.here())


def _by_id(name: str, machine: Machine) -> str:
    wanted = name.removesuffix(".jsonl").removesuffix(".messages.json").lower()
    found = [one for one in index(machine) if any(id_.startswith(wanted) for id_ in _names(one))]
    exact = [one for one in found if wanted in _names(one)]
    best = exact or found
    if len(best) == 1:
        return best[0].path
    if not best:
        raise NoSuchSession(f"{name} does not exist, and no session's id starts with it; check the name.")
    raise NoSuchSession(
        f"{name} matches {len(best):,} sessions: {_listed(best)}; give more of the id, or the path of the file."
    )


def _names(found: Found) -> tuple[str, str]:
    stem = os.path.basename(found.path).partition(".")[0]
    return found.session_id.lower(), stem.lower()


def _listed(found: Sequence[Found]) -> str:
    same = len({one.session_id for one in found}) < len(found)
    shown = [f"{one.path if same else one.session_id} ({one.title})" for one in found[:_NAMED]]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
