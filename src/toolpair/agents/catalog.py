"""All agents' sessions in one list, and looking up a session by path, id or `.`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from toolpair.formats import agents_of, all_agents, get_agent, written_by
from toolpair.formats.agent import Agent, FoundSession
from toolpair.shell.machine import Machine
from toolpair.shell.program import command, current_folder, resolved
from toolpair.source.addresses import divided
from toolpair.source.errors import UnreadableFile
from toolpair.transcript.model import Transcript

HERE: Final = "."
_NAMED: Final = 5
_FIRST: Final = 25
_TOGETHER: Final = 2_000
"""Sessions of a database that are described together: the first ones soon, many with one look at its tables."""
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]*\Z")
_ID_OR_FILE: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]*\Z")
"""An id may have an agent's ending: to know these, all agents have to be loaded."""


class NoSuchSession(Exception):
    """No session, or more than one, matches the name. One sentence."""


def index(machine: Machine, folder: str | None = None, agents: Iterable[str] = ()) -> list[FoundSession]:
    """The sessions on the machine, those of `folder` first, then by time; uses only stat and the first bytes.

    `agents` are the ids of the agents wanted; empty for all.
    """
    wanted = set(agents)
    here = resolved(folder) if folder is not None else None
    found: list[FoundSession] = []
    seen: set[str] = set()
    for agent in all_agents():
        if wanted and agent.id not in wanted:
            continue
        understood = written_by()[agent.id] is not None
        for one in agent.sessions(machine):
            if one.path not in seen:
                seen.add(one.path)
                belongs = here is not None and agent.belongs(one, here)
                plain = understood and not belongs
                found.append(one if plain else replace(one, here=belongs, understood=understood))
    found.sort(key=lambda one: (not one.here, -one.modified, one.path))
    return found


def pages_of(database: str) -> Iterator[tuple[list[FoundSession], str | None]]:
    """The sessions of a database or a folder, the newest first, without those of sub-agents; of many the first ones at
    once. With the last comes a sentence on those that cannot be opened. Raises Unreadable.
    """
    from toolpair.formats.engine.agents.database_agent import entry_in
    from toolpair.formats.engine.agents.databases import pages_in

    path = resolved(database)
    for found in pages_in(path, database):
        owner = found.layout.agent
        title = found.layout.writer if owner is None else get_agent(owner).title
        yield [entry_in(path, one, owner, title) for one in found.sessions], found.notice_on(database)


def describe(found: FoundSession) -> FoundSession:
    """The session with its folder and the user's last words, from short reads of the file."""
    if found.described:
        return found
    if found.agent is None:
        from toolpair.formats.engine.agents.database_agent import last_words

        return replace(found, words=last_words(found), described=True)
    folder, words = get_agent(found.agent).describe(found)
    return replace(found, folder=folder or found.folder, words=words, described=True)


def described(found: Iterable[FoundSession]) -> Iterator[FoundSession]:
    """Each as `describe` has it. A database is opened once for many of its sessions that follow each other."""
    for database, those in groupby(found, _database_of):
        if database is None:
            yield from map(describe, those)
            continue
        count = _FIRST
        while some := list(islice(those, count)):
            yield from _described_in(database, some)
            count = min(2 * count, _TOGETHER)


def _database_of(found: FoundSession) -> str | None:
    path, session = divided(found.path)
    return None if found.described or session is None else path


def _described_in(database: str, found: Sequence[FoundSession]) -> Iterable[FoundSession]:
    from toolpair.formats.engine.agents.databases import words_of

    try:
        words = words_of(database, *(one.session_id for one in found))
    except UnreadableFile:
        return map(describe, found)  # perhaps only one of them cannot be read
    return (replace(one, words=said, described=True) for one, said in zip(found, words, strict=True))


def agents_of_file(
    format_id: str, transcript: Transcript, path: Path | None, opened: Path | None = None
) -> tuple[Agent, ...]:
    """The agents that may resume a session file, likeliest first.

    `opened` is where it was read from, if it was saved elsewhere. A file in a format that is not an agent's own belongs
    to one only if its path or name shows it.
    """
    agents = sorted(agents_of(format_id), key=lambda agent: agent.title != transcript.agent)
    best = _writer(agents, transcript.session_id or "", path, opened)
    if not transcript.native:
        return (best,) if best is not None else ()
    return tuple(agents) if best is None else (best, *(agent for agent in agents if agent is not best))


def _writer(agents: Sequence[Agent], session_id: str, path: Path | None, opened: Path | None) -> Agent | None:
    """The agent that would find the file at `path`, else at `opened`, else whose files have such names."""
    for place in filter(None, (path, opened)):
        for agent in agents:
            if agent.in_place(place, session_id):
                return agent
    named = ([agent for agent in agents if agent.is_named(place.name)] for place in (path, opened) if place is not None)
    # A name that fewer agents use is stronger evidence.
    return next(iter(min(filter(None, named), key=len, default=())), None)


def project_of(path: str) -> str | None:
    """The project folder of a session whose agent does not record it in the file."""
    return next(filter(None, (agent.project_of(path) for agent in all_agents())), None)


def variables() -> tuple[str, ...]:
    """The environment variables that point to agents' sessions."""
    return tuple(dict.fromkeys(agent.variable for agent in all_agents() if agent.variable is not None))


def looked_in(machine: Machine) -> list[tuple[str, str]]:
    """The agents, each with the folder where its sessions usually are."""
    return [(agent.title, str(agent.roots(machine)[0])) for agent in all_agents()]


def newest(machine: Machine, folder: str) -> FoundSession | None:
    """The most recently written session of the folder."""
    found = index(machine, folder)
    return found[0] if found and found[0].here else None


def resolve(name: str, machine: Machine | None = None) -> str:
    """The path meant by `name`: a path, a session id or its beginning, or `.` for this folder's newest session.

    An existing path is taken as it is, and so is anything that cannot be an id. Raises NoSuchSession.
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
    if os.path.lexists(name) or not _ID_OR_FILE.match(name) or not _ID.match(_without_suffix(name)):
        return name
    return _by_id(name, machine or Machine.here())


def _without_suffix(name: str) -> str:
    """The id, if an agent's file is named after it."""
    suffixes = sorted((agent.suffix for agent in all_agents() if agent.suffix is not None), key=len, reverse=True)
    return next((name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix)), name)


def _by_id(name: str, machine: Machine) -> str:
    wanted = _without_suffix(name).lower()
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


def _names(found: FoundSession) -> tuple[str, str]:
    stem = os.path.basename(found.path).partition(".")[0]
    return found.session_id.lower(), stem.lower()


def _listed(found: Sequence[FoundSession]) -> str:
    same = len({one.session_id for one in found}) < len(found)
    shown = [f"{one.path if same else one.session_id} ({one.title})" for one in found[:_NAMED]]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
