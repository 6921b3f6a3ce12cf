"""A page for every rule: what it means, what fixes it, an example file that breaks it.

A rule's record names the module here that has its page; a new family adds a heading below. Checking never imports this
package: a page is loaded only when somebody asks what a rule means.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Final

from toolpair.rules.pages.rule_page import Example, Offered, RulePage
from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of

__all__ = ["FAMILIES", "Example", "Offered", "RulePage", "page_of", "pages"]

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
"""Family -> what it is about: the headings, in display order."""


@cache
def pages() -> dict[str, RulePage]:
    """Rule -> its page, family by family, in the order of each family's module."""
    modules: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for rule in RULES.values():
        if rule.page not in modules[rule.family]:
            modules[rule.family].append(rule.page)
    listed = ((family, page) for family, names in modules.items() for name in names for page in _pages_in(name))
    return {page.rule: page for family, page in listed if family_of(page.rule) == family}


def page_of(name: str) -> RulePage | None:
    """The page of one rule; loads only the module that has it."""
    rule = RULES.get(name)
    return next((page for page in _pages_in(rule.page) if page.rule == name), None) if rule is not None else None


def _pages_in(module: str) -> tuple[RulePage, ...]:
    pages: tuple[RulePage, ...] = import_module(f"{__name__}.{module}").PAGES
    return pages
