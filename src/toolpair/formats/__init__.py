"""One module per format and per agent. To add one, write its module and add a line to its registry here.

They define how an agent's files are read, checked, edited and resumed. May import rules and source.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolpair.formats.format import Format
from toolpair.source.addresses import joined

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolpair.formats.agent import Agent
    from toolpair.source.folders.layout import FolderLayout
    from toolpair.transcript.model import Transcript

REGISTRY: Final[dict[str, tuple[str, tuple[str, ...], int]]] = {
    "claude-code": ("toolpair.formats.claude_code", ("lines",), 95),
    "codex": ("toolpair.formats.codex", ("lines",), 97),
    "pi": ("toolpair.formats.pi", ("lines",), 95),
    "openclaw": ("toolpair.formats.openclaw", ("lines",), 95),
    "oh-my-pi": ("toolpair.formats.oh_my_pi", ("lines",), 95),
    "qwen-code": ("toolpair.formats.qwen_code", ("lines",), 95),
    "copilot-cli": ("toolpair.formats.copilot_cli", ("lines",), 95),
    "cline-cli": ("toolpair.formats.cline_cli", ("array",), 96),
    "docker-agent": ("toolpair.formats.docker_agent", ("lines",), 97),
    "opencode": ("toolpair.formats.opencode", ("lines",), 96),
    "roo-code": ("toolpair.formats.roo_code", ("array",), 95),
    "continue": ("toolpair.formats.continue_dev", ("array",), 96),
    "goose": ("toolpair.formats.goose", ("lines",), 94),
    "kimi-cli": ("toolpair.formats.kimi_cli", ("lines",), 93),
    "anthropic": ("toolpair.formats.anthropic", ("array", "lines"), 90),
    "openai-chat": ("toolpair.formats.openai_chat", ("array", "lines"), 92),
    "openai-responses": ("toolpair.formats.openai_responses", ("array", "lines"), 91),
    "gemini-cli": ("toolpair.formats.gemini_cli", ("array", "lines"), 40),
}
"""Format id -> the module with its `FORMAT`, its `containers`, and the highest score that its `sniff` can return. A
format that cannot win is not even imported.
"""
NEEDS: Final[dict[str, tuple[str, ...]]] = {
    "continue": ("message",),
    "docker-agent": ("session_items", "sessions"),
    "oh-my-pi": ("pad", "parentId"),
    "openclaw": ("customType", "cwd", "parentId", "transcript_events"),
    "opencode": ("session",),
}
"""Format id -> keys; without one of them no record is in the format: for other files its module is not imported."""
OF_ROLES: Final[dict[str, frozenset[str]]] = {"kimi-cli": frozenset({"_system_prompt", "_checkpoint", "_usage"})}
"""Format id -> the same for the roles of records."""
AROUND: Final[dict[str, frozenset[str]]] = {
    "gemini-cli": frozenset({"sessionId", "projectHash", "startTime", "lastUpdated"}),
    "cline-cli": frozenset({"version", "agent", "sessionId"}),
}
"""Format id -> keys of the object around the messages that only its agent writes."""
AGENTS: Final[dict[str, tuple[str, str | None]]] = {
    "claude-code": ("toolpair.formats.claude_code.agent:AGENT", "claude-code"),
    "codex": ("toolpair.formats.codex.agent:AGENT", "codex"),
    "pi": ("toolpair.formats.pi:AGENT", "pi"),
    "openclaw": ("toolpair.formats.openclaw_database:AGENT", "openclaw"),
    "oh-my-pi": ("toolpair.formats.oh_my_pi:AGENT", "oh-my-pi"),
    "qwen-code": ("toolpair.formats.qwen_code:AGENT", "qwen-code"),
    "copilot-cli": ("toolpair.formats.copilot_cli:AGENT", "copilot-cli"),
    "gemini-cli": ("toolpair.formats.gemini_cli:AGENT", "gemini-cli"),
    "docker-agent": ("toolpair.formats.docker_agent_database:AGENT", "docker-agent"),
    "opencode": ("toolpair.formats.opencode_database:OPENCODE_AGENT", "opencode"),
    "kilo-cli": ("toolpair.formats.opencode_database:KILO_AGENT", "opencode"),
    "roo-code": ("toolpair.formats.editor_extensions:ROO_CODE", "roo-code"),
    "cline": ("toolpair.formats.editor_extensions:CLINE", "roo-code"),
    "kilo-code": ("toolpair.formats.editor_extensions:KILO_CODE", "roo-code"),
    "continue": ("toolpair.formats.continue_dev:AGENT", "continue"),
    "cline-cli": ("toolpair.formats.cline_cli:AGENT", "cline-cli"),
    "goose": ("toolpair.formats.goose_database:AGENT", "goose"),
    "kimi-cli": ("toolpair.formats.kimi_cli_agent:AGENT", "kimi-cli"),
}
"""Agent id -> the module with its entry, and the format of its session files; None: not supported yet."""


LAYOUTS: Final[tuple[str, ...]] = (
    "toolpair.formats.docker_agent_database:LAYOUT",
    "toolpair.formats.opencode_database:OPENCODE_LAYOUT",
    "toolpair.formats.opencode_database:KILO_LAYOUT",
    "toolpair.formats.goose_database:LAYOUT",
    "toolpair.formats.openclaw_database:LAYOUT",
)
"""The modules with a `LAYOUT`, what is known of an agent's database, each with its name."""
FOLDERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "toolpair.formats.opencode_folder:OPENCODE_FOLDER": ("ses_", ("session", "message")),
    "toolpair.formats.opencode_folder:KILO_FOLDER": ("ses_", ("session", "message")),
    "toolpair.formats.opencode_older_folder:OPENCODE_OLDER_FOLDER": ("ses_", ("session/info", "session/message")),
}
"""The modules with what is known of an agent's folder of files that make sessions; how the name of a session's own file
begins, and the folders in such a folder. Where neither is found the module is not imported.
"""


@cache
def get_format(id_: str) -> Format:
    """The format with this id. Raises KeyError for an unknown one."""
    found: Format = import_module(REGISTRY[id_][0]).FORMAT
    return found


def all_formats() -> tuple[Format, ...]:
    return tuple(get_format(id_) for id_ in REGISTRY)


@cache
def get_agent(id_: str) -> Agent:
    """The agent with this id. Raises KeyError for an unknown one."""
    module, _, name = AGENTS[id_][0].partition(":")
    found: Agent = getattr(import_module(module), name)
    return found


def all_agents() -> tuple[Agent, ...]:
    return tuple(get_agent(id_) for id_ in AGENTS)


def agents_of(format_id: str) -> tuple[Agent, ...]:
    """The agents whose session files have this format; others are not imported."""
    return tuple(_agents_of(format_id))


def _agents_of(format_id: str) -> Iterator[Agent]:
    return (get_agent(id_) for id_, (_, writes) in AGENTS.items() if writes == format_id)


def writer_of(format_id: str, transcript: Transcript, path: Path | None) -> Agent | None:
    """The known agent that wrote a session of this format and resumes it; None when there is none."""
    return next((agent for agent in _agents_of(format_id) if agent.wrote(transcript, path)), None)


def _folder_layouts(path: str) -> Iterator[FolderLayout]:
    """What may be known of a path, by a quick look."""
    name = os.path.basename(os.path.normpath(path))
    for entry, (begins, inside) in FOLDERS.items():
        if name.startswith(begins) or all(os.path.isdir(os.path.join(path, one)) for one in inside):
            module, _, variable = entry.partition(":")
            yield getattr(import_module(module), variable)


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
