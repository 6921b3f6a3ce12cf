"""One module a format. A new one is a module and a line in the registry."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolpair.formats.format import Format

REGISTRY: Final = {
    "claude-code": "toolpair.formats.claude_code",
    "codex": "toolpair.formats.codex",
    "roo-code": "toolpair.formats.roo_code",
    "anthropic": "toolpair.formats.anthropic",
    "openai-chat": "toolpair.formats.openai_chat",
    "openai-responses": "toolpair.formats.openai_responses",
}
"""Format id -> the module that holds its `FORMAT`."""
LIVES_IN: Final = {
    "claude-code": ("lines",),
    "codex": ("lines",),
    "roo-code": ("array",),
    "anthropic": ("array", "lines"),
    "openai-chat": ("array", "lines"),
    "openai-responses": ("array", "lines"),
}
"""The `containers` of each format."""
SUREST: Final = {
    "claude-code": 95,
    "codex": 97,
    "roo-code": 95,
    "anthropic": 90,
    "openai-chat": 92,
    "openai-responses": 91,
}
"""The most that each format's `sniff` ever says. With these a format that cannot be the one is not even loaded."""


@cache
def get_format(id_: str) -> Format:
    """The format with this id. Raises KeyError for an unknown one."""
    found: Format = import_module(REGISTRY[id_]).FORMAT
    return found


def all_formats() -> tuple[Format, ...]:
    return tuple(get_format(id_) for id_ in REGISTRY)
