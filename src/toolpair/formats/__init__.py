"""What is known of agents' files and of plain lists: how they are read, checked, edited and resumed.

A folder an agent, with its record in `__init__`, and a line in `FORMATS` here; `lists` has plain lists, `engine` what
the folders share. May import rules and source.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolpair.formats.lazy import Lazy
from toolpair.source.addresses import joined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolpair.formats.agent import Agent
    from toolpair.formats.format import Format
    from toolpair.source.folders.layout import FolderLayout
    from toolpair.source.rows.layout import Layout
    from toolpair.transcript.model import Transcript

FORMATS: Final = (
    "claude_code:FORMAT",
    "codex:FORMAT",
    "pi:FORMAT",
    "openclaw:FORMAT",
    "oh_my_pi:FORMAT",
    "qwen_code:FORMAT",
    "copilot_cli:FORMAT",
    "cline_cli:FORMAT",
    "crush:FORMAT",
    "docker_agent:FORMAT",
    "hermes:FORMAT",
    "opencode:FORMAT",
    "roo_code:FORMAT",
    "continue_dev:FORMAT",
    "goose:FORMAT",
    "kimi_cli:FORMAT",
    "kimi_code:FORMAT",
    "vibe:UNIFIED",
    "vibe:FORMAT",
    "agents_sdk:FORMAT",
    "google_adk:FORMAT",
    "openhands:FORMAT",
    "strands:FORMAT",
    "lists:ANTHROPIC",
    "lists:OPENAI_CHAT",
    "lists:OPENAI_RESPONSES",
    "gemini_cli:FORMAT",
)
"""The records of all formats: where two are equally sure of a file, the first has it."""
STORES: Final = ("langgraph.database:LAYOUT",)
"""The layouts of databases whose sessions are read as lists of a known form, and never written."""
NOT_UNDERSTOOD: Final[dict[str, str]] = {
    "amp": f"{__name__}.forms.shown.agents:AMP",
    "droid": f"{__name__}.forms.shown.agents:DROID",
    "copilot-vscode": f"{__name__}.forms.shown.agents:COPILOT",
    "cursor": f"{__name__}.forms.shown.agents:CURSOR",
}
"""Agents whose sessions are found, but not understood yet: agent id -> `module:name` of its entry."""


@cache
def by_id() -> dict[str, Format]:
    """Format id -> the format, in the order of the registry."""
    names = (entry.partition(":") for entry in FORMATS)
    found: list[Format] = [getattr(import_module(f"{__name__}.{folder}"), name) for folder, _, name in names]
    return {format.id: format for format in found}


def get_format(id_: str) -> Format:
    """The format with this id, or of the table in the file of this name. Raises KeyError for an unknown one."""
    found = by_id().get(id_)
    if found is not None:
        return found
    from toolpair.formats.forms.registry import form_named

    return form_named(id_).format


def all_formats() -> tuple[Format, ...]:
    return tuple(by_id().values())


def written_by() -> dict[str, str | None]:
    """Agent id -> the id of the format of its session files; None for one that is not understood yet."""
    return {agent: format.id for format in all_formats() for agent in format.agents} | dict.fromkeys(NOT_UNDERSTOOD)


def get_agent(id_: str) -> Agent:
    """The agent with this id. Raises KeyError for an unknown one."""
    return _agent(id_, written_by()[id_])


def _agent(id_: str, writes: str | None) -> Agent:
    entry = get_format(writes).agents[id_] if writes is not None else Lazy(NOT_UNDERSTOOD[id_])
    found: Agent = entry.found
    return found


def all_agents() -> tuple[Agent, ...]:
    return tuple(_agent(id_, writes) for id_, writes in written_by().items())


def agents_of(format_id: str) -> tuple[Agent, ...]:
    """The agents whose session files have this format; others are not imported."""
    return tuple(_agents_of(format_id))


def _agents_of(format_id: str) -> Iterator[Agent]:
    return (entry.found for entry in get_format(format_id).agents.values())


def writer_of(format_id: str, transcript: Transcript, path: str | os.PathLike[str] | None) -> Agent | None:
    """The known agent, or library, that wrote a session of this format and resumes it; None when there is none."""
    library: Lazy | None = get_format(format_id).library
    known = library.found if library is not None else None
    return next((agent for agent in _agents_of(format_id) if agent.wrote(transcript, path)), known)


def layouts() -> Iterator[Layout]:
    """What is known of agents' databases."""
    own = (layout for format in all_formats() for layout in format.layouts)
    return (layout.found for layout in (*own, *(Lazy(f"{__name__}.{name}") for name in STORES)))


def _folder_layouts(path: str) -> Iterator[FolderLayout]:
    """What may be known of a path, by a quick look."""
    name = os.path.basename(os.path.abspath(path))
    for clue in (clue for format in all_formats() for clue in format.folders):
        if name.startswith(clue.begins) or all(os.path.isdir(os.path.join(path, one)) for one in clue.inside):
            yield clue.layout.found


def folder_layout(folder: str) -> FolderLayout | None:
    """What is known of a folder of sessions; None if it is none."""
    if not os.path.isdir(folder):
        return None
    return next((layout for layout in _folder_layouts(folder) if layout.claims(folder)), None)


def session_meant(path: str) -> str | None:
    """`FOLDER::SESSION` for the session's own file in such a folder, or the folder of its messages."""
    found = (layout.meant(path) for layout in _folder_layouts(path))
    return next((joined(*one) for one in found if one is not None), None)


def address_of(path: str) -> str | None:
    """What a path in a folder of sessions, or such a folder itself, is called; None for any other."""
    meant = session_meant(path)
    return meant if meant is not None else path if folder_layout(path) is not None else None
