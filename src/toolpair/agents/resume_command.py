"""What to type, or do, so that an agent resumes a file: in its own folder, or from a copy in another."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from toolpair.formats.agent import Agent, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.shell.machine import Machine, resolved


def how_to_resume(agent: Agent, file: SessionFile, machine: Machine) -> str | None:
    """The resume command from the agent's entry, completed for a file at this place.

    A sentence that ends with a full stop is an instruction; anything else can be typed into a POSIX shell.
    """
    way = agent.way_back(file)
    if way is None or file.path is None:
        return None if way is None else way.text
    if agent.in_place(file.path, file.session_id):
        return _with_home(way, agent, file.path, file.session_id, machine).text
    if file.opened is not None:
        way = _with_home(way, agent, file.opened, file.session_id, machine)
    where = agent.where_to_put(file, machine)
    return way.text if where is None else f"put this file {where}, {way.as_second_step}"


def _with_home(way: WayBack, agent: Agent, path: Path, session_id: str, machine: Machine) -> WayBack:
    """The way with the variable that points the agent to the file's home folder, if that is not the usual one."""
    home = agent.home_of(path, session_id)
    if home is None or agent.variable is None or resolved(str(home)) == resolved(str(agent.home(machine))):
        return way
    return replace(way, variables=(*way.variables, (agent.variable, str(home))))
