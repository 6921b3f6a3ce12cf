"""The surroundings of a session: the processes that work with its file, and how to resume it in its agent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolpair.agents.catalog import agents_of_file, project_of
from toolpair.agents.processes import kinds_of, neighbours, title_of
from toolpair.formats.agent import Agent, SessionFile
from toolpair.formats.engine.agents.way_back import WayBack
from toolpair.shell.machine import Machine, home_short
from toolpair.shell.program import resolved
from toolpair.source.addresses import divided, joined
from toolpair.source.errors import UnreadableFile
from toolpair.source.limits import in_words
from toolpair.source.saving.sweeping import leftovers

if TYPE_CHECKING:
    from toolpair.agents.processes import Neighbour
    from toolpair.formats.format import Beside, SubagentSession
    from toolpair.history.conversation import Conversation
    from toolpair.transcript.model import Transcript


def warnings(path: Path | None, format_id: str, transcript: Transcript) -> tuple[str, ...]:
    """A warning for each process that writes to the file, or may continue with its old history."""
    if path is None:
        return ()
    named = transcript.folder or project_of(str(path))
    folder = resolved(named) if named and os.path.isabs(named) else None
    agents = agents_of_file(format_id, transcript, path)
    found = neighbours(str(path), folder, kinds_of(agents), transcript.session_id or "")
    home = str(Machine.here().home)
    return tuple(_sentence(one, home_short(folder or "", home)) for one in found)


def leftover_notes(path: str | Path) -> tuple[str, ...]:
    """A note on what killed saves have left next to the file, and of its session in a folder. Nothing is changed."""
    place, session = divided(str(path))
    name = resolved(place)
    folder = os.path.dirname(name)
    notes = _unfinished(name, session)
    found = list(leftovers(folder))
    if len(found) == 1:
        notes.append(
            f"A save that was killed left {found[0].name} ({in_words(found[0].size)}) in {folder}; the next save "
            "there removes it."
        )
    elif found:
        size = in_words(sum(one.size for one in found))
        notes.append(
            f"Saves that were killed left {len(found):,} files ({size}) in {folder}; the next save there removes them."
        )
    return tuple(notes)


def _unfinished(folder: str, session: str | None) -> list[str]:
    if not os.path.isdir(folder):
        return []
    from toolpair.source.folders.exchange import unfinished_saves

    try:
        return unfinished_saves(folder, session, folder if session is None else joined(folder, session))
    except UnreadableFile:
        return []  # opening it will say so


def finish_killed_save(path: str | Path) -> tuple[str, ...]:
    """Finish, or take back, what a killed save of a session in a folder has begun; a note on it. Raises Unreadable."""
    place, session = divided(str(path))
    if session is None or not os.path.isdir(place):
        return ()
    from toolpair.source.folders.exchange import finish_saves

    return tuple(finish_saves(resolved(place), session, str(path)))


def index_notes(
    format_id: str, transcript: Transcript, path: Path | None, beside: Beside | None, before: int, after: int
) -> tuple[str, ...]:
    """A note for each index that the agent keeps of the file and that a save in place would make wrong.

    `before` and `after` are the sizes of the file in bytes.
    """
    if beside is None:
        return ()
    agents = agents_of_file(format_id, transcript, path)
    return tuple(note for agent in agents for note in agent.notes_on_saving(transcript, beside, before, after))


def subagent_sessions_of(conversation: Conversation, beside: Beside | None) -> tuple[SubagentSession, ...]:
    """The sub-agents' sessions in separate files next to this one. Each can be opened by its path."""
    judged = conversation.judged
    if beside is None or judged.format.subagent_sessions is None:
        return ()
    return tuple(judged.format.subagent_sessions(judged.items, judged.transcript, beside))


def _sentence(one: Neighbour, folder: str) -> str:
    title = title_of(one.agent)
    if one.does == "writes":
        who = f"{title or one.name} (pid {one.pid})"
        then = "quit it first" if title else "let it finish first, or save a copy"
        return f"{who} has this file open for writing: {then}."
    if title is None:
        return (
            f"{one.name} is running in {folder} (pid {one.pid}): close the task there first, it may hold old history."
        )
    return f"{title} is running in {folder} (pid {one.pid}) with the old history: quit it first."


def resume_command(conversation: Conversation, opened_from: Path | None, saved: Path | None) -> str | None:
    """What to type, or do, to resume the session, or the copy of it that was `saved` elsewhere."""
    transcript, folder = conversation.transcript, conversation.transcript.folder
    path = saved or opened_from
    path = Path(os.path.realpath(path)) if path is not None else None
    opened = opened_from if opened_from != path else None
    agent = next(iter(agents_of_file(conversation.format.id, transcript, path, opened)), None)
    if agent is None or (agent.sub_agent is not None and transcript.agent == agent.sub_agent):
        return None
    if path is not None:
        folder = agent.resumes_from(path, folder, (record.value for record in conversation.document.records))
    file = SessionFile(path, opened, transcript.session_id or "", folder)
    return how_to_resume(agent, file, Machine.here())


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
