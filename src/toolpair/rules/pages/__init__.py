"""A page for every rule: what it means, what fixes it, an example file that breaks it.

A rule's record names the file here that has its page; a new family adds a heading below. Checking never imports this
package: a page is read only when somebody asks what a rule means.

A page is a heading, what the rule means, and what toolpair does about it. Fixes that other problems of the rule offer,
but not the example's, follow as a list, or "No example: " and why no file can show it. Behind `json`, the example says
how it is read (the fields of `Example`); in one that is `escaped`, bytes are written as Python does.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from msgspec import Struct

from toolpair.rules.registry import RULES
from toolpair.rules.rule import family_of
from toolpair.rules.shipped import shipped_bytes

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
_NONE: Final = "No example: "
_OFFER: Final = re.compile(r"- `([\w-]+)`: (.+?)(?: \(loses (.+?)\))?(?= - `|$)")


class Example(Struct, frozen=True):
    """A short file that breaks the rule, as it would be on disk. Its fixes are found by running toolpair on it."""

    data: bytes
    profile: str | None = None
    """The profile to check it with, if not the one that the format suggests."""
    format: str | None = None
    """Its format, if the content alone does not show it."""
    also: tuple[str, ...] = ()
    """Other rules that it breaks as well."""
    agent_version: str | None = None
    """The version of its agent that resumes it, if only some versions break on it."""
    path: str | None = None
    """Its path below the agent's own folder, if the rule looks at files beside it."""


class Offered(Struct, frozen=True):
    """A fix that other problems of the rule offer, but the example's does not."""

    id: str
    title: str
    loses: str | None = None


class RulePage(Struct, frozen=True):
    """What one rule means. `meaning` says what is wrong and why it is refused, `remedy` what toolpair does about it."""

    rule: str
    title: str
    meaning: str
    remedy: str
    example: Example | None = None
    offers: tuple[Offered, ...] = ()
    no_example: str | None = None
    """Why no file can show it, if there is no example."""


@cache
def pages() -> dict[str, RulePage]:
    """Rule -> its page, family by family, in the order of each family's file."""
    modules: dict[str, list[str]] = {family: [] for family in FAMILIES}
    for rule in RULES.values():
        if rule.page not in modules[rule.family]:
            modules[rule.family].append(rule.page)
    listed = ((family, page) for family, names in modules.items() for name in names for page in _pages_in(name))
    return {page.rule: page for family, page in listed if family_of(page.rule) == family}


def page_of(name: str) -> RulePage | None:
    """The page of one rule; reads only the file that has it."""
    rule = RULES.get(name)
    return next((page for page in _pages_in(rule.page) if page.rule == name), None) if rule is not None else None


@cache
def _pages_in(file: str) -> tuple[RulePage, ...]:
    _, *found = shipped_bytes(f"pages/{file}.md").decode().split("\n# ")
    return tuple(map(_page, found))


def _page(written: str) -> RulePage:
    heading, _, rest = written.partition("\n")
    rule, _, title = heading.partition(": ")
    said, _, example = rest.partition("\n```json")
    meaning, remedy, *more = (" ".join(text.split("\n")) for text in said.strip().split("\n\n"))
    no_example = next((text.removeprefix(_NONE) for text in more if text.startswith(_NONE)), None)
    listed = (_OFFER.findall(text.replace("   ", " ")) for text in more)
    offers = tuple(Offered(id_, does, loses or None) for found in listed for id_, does, loses in found)
    return RulePage(rule, title, meaning, remedy, _example(example) if example else None, offers, no_example)


def _example(written: str) -> Example:
    about, _, text = written.rstrip().removesuffix("```").partition("\n")
    data = text.encode()
    fields: dict[str, Any] = {}
    for word in about.split():
        name, _, value = word.partition("=")
        if name == "escaped":
            data = text.encode().decode("unicode_escape").encode("latin-1")
        else:
            fields[name] = tuple(value.split(",")) if name == "also" else value
    return Example(data, **fields)
