"""One module per format and per agent. To add one, write its module and add a line to its registry here.

They define how an agent's files are read, checked, edited and resumed. May import rules and source.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

from toolpair.formats.format import Format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolpair.formats.agent import Agent
    from toolpair.transcript.model import Transcript

REGISTRY: Final[dict[str, tuple[str, tuple[str, ...], int]]] = {
    "claude-code": ("toolpair.formats.claude_code", ("lines",), 95),
    "codex": ("toolpair.formats.codex", ("lines",), 97),
    "pi": ("toolpair.formats.pi", ("lines",), 95),
    "qwen-code": ("toolpair.formats.qwen_code", ("lines",), 95),
    "copilot-cli": ("toolpair.formats.copilot_cli", ("lines",), 95),
    "cline-cli": ("toolpair.formats.cline_cli", ("array",), 96),
    "roo-code": ("toolpair.formats.roo_code", ("array",), 95),
    "continue": ("toolpair.formats.continue_dev", ("array",), 96),
    "anthropic": ("toolpair.formats.anthropic", ("array", "lines"), 90),
    "openai-chat": ("toolpair.formats.openai_chat", ("array", "lines"), 92),
    "openai-responses": ("toolpair.formats.openai_responses", ("array", "lines"), 91),
    "gemini-cli": ("toolpair.formats.gemini_cli", ("array", "lines"), 40),
}
"""Format id -> the module with its `FORMAT`, its `containers`, and the highest score that its `sniff` can return. A
format that cannot win is not even imported.
"""
NEEDS: Final[dict[str, str]] = {"continue": "message"}
"""Format id -> a key without which no record is in the format: for other files its module is not imported."""
AGENTS: Final[dict[str, tuple[str, str | None]]] = {
    "claude-code": ("toolpair.formats.claude_code.agent:AGENT", "claude-code"),
    "codex": ("toolpair.formats.codex.agent:AGENT", "codex"),
    "pi": ("toolpair.formats.pi:AGENT", "pi"),
    "qwen-code": ("toolpair.formats.qwen_code:AGENT", "qwen-code"),
    "copilot-cli": ("toolpair.formats.copilot_cli:AGENT", "copilot-cli"),
    "gemini-cli": ("toolpair.formats.gemini_cli:AGENT", "gemini-cli"),
    "roo-code": ("toolpair.formats.editor_extensions:ROO_CODE", "roo-code"),
    "cline": ("toolpair.formats.editor_extensions:CLINE", "roo-code"),
    "kilo-code": ("toolpair.formats.editor_extensions:KILO_CODE", "roo-code"),
    "continue": ("toolpair.formats.continue_dev:AGENT", "continue"),
    "cline-cli": ("toolpair.formats.cline_cli:AGENT", "cline-cli"),
}
"""Agent id -> the module with its entry, and the format of its session files; None: not supported yet."""


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
