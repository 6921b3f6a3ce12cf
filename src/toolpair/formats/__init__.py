"""One module a format. A new one is a module and a line in the registry."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolpair.formats.base import Format

REGISTRY: Final = {
    "claude-code": "toolpair.formats.claude_code",
    "codex": "toolpair.formats.codex",
    "roo-code": "toolpair.formats.roo_code",
    "anthropic": "toolpair.formats.anthropic",
    "openai-chat": "toolpair.formats.openai_chat",
    "openai-responses": "toolpair.formats.openai_responses",
}
"""Format id -> the module that holds its `FORMAT`."""


@cache
def get_format(id_: str) -> Format:
    """The format with this id. Raises KeyError for an unknown one."""
    found: Format = import_module(REGISTRY[id_]).FORMAT
    return found


def all_formats() -> tuple[Format, ...]:
    return tuple(get_format(id_) for id_ in REGISTRY)
