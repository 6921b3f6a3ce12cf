"""A page about every rule: what it means, what mends it, a file that breaks it. One module a family.

A new rule is its page in the module of its family; a new family is a module and a line in MODULES. Nothing that judges
imports this package: it is loaded when somebody asks what a rule means.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolpair.rules.pages.base import Example, Offered, Page

__all__ = ["FAMILIES", "MODULES", "Example", "Offered", "Page", "page_of", "pages"]

MODULES: Final = {
    "result": "results",
    "call": "calls",
    "id": "ids",
    "role": "roles",
    "turn": "turns",
    "args": "arguments",
    "name": "arguments",
    "content": "contents",
    "error": "contents",
    "tools": "arguments",
    "reasoning": "reasoning",
    "server": "server_tools",
    "mcp": "server_tools",
    "item": "items",
    "field": "fields",
    "record": "records",
    "chain": "chain",
    "rollout": "rollout",
}
"""Family -> the module of this package that has its pages, in the order in which families are listed."""

FAMILIES: Final = {
    "result": "What the tool returned",
    "call": "What the model asked for",
    "id": "The ids that tie a call to its result",
    "role": "Who may say what",
    "turn": "The order of messages",
    "args": "The arguments of a call",
    "name": "The names of tools",
    "content": "What a message holds",
    "error": "Results that are marked as errors",
    "tools": "The tools declared in the request",
    "reasoning": "Thinking and reasoning",
    "server": "Tools run by the provider",
    "mcp": "MCP tools run by the provider",
    "item": "Responses API items",
    "field": "Fields of messages and blocks",
    "record": "Lines of the file",
    "chain": "Links between the lines of a Claude Code session",
    "rollout": "Codex rollouts",
}
"""Family -> what it is about, for headings."""


@cache
def pages() -> dict[str, Page]:
    """Rule -> its page, family by family, each family in the order of its module."""
    found: dict[str, Page] = {}
    for family, module in MODULES.items():
        listed: tuple[Page, ...] = import_module(f"{__name__}.{module}").PAGES
        found.update((page.rule, page) for page in listed if page.rule.partition(".")[0] == family)
    return found


def page_of(rule: str) -> Page | None:
    """The page of one rule; only its family's module is loaded."""
    module = MODULES.get(rule.partition(".")[0])
    if module is None:
        return None
    listed: tuple[Page, ...] = import_module(f"{__name__}.{module}").PAGES
    return next((page for page in listed if page.rule == rule), None)
