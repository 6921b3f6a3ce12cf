"""What is asked of an API that a session can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from toolpair.dialects.neutral import Part, Say, Text, Tool, Turn
from toolpair.reports.export.ways import Note, Way


class Conversion(Struct, frozen=True, eq=False):
    """What a session says, with ids and names that the API accepts."""

    system: Sequence[Part]
    turns: Sequence[Turn]
    tools: Sequence[Tool]
    model: str
    say: Say
    max_tokens: int | None = None
    keeps_thinking: bool = False
    """The model is the one that wrote the reasoning."""
    made_up: list[Note] = field(default_factory=list)


class Target(Struct, frozen=True):
    """An API. Its module is named in the table of `targets.py`."""

    id: str
    title: str
    list_key: str
    """The field of the body that holds the messages."""
    alternates: bool
    """Only the user and the assistant speak, in turn: neighbouring turns of one role become one, and system messages
    amid the history a user's text.
    """
    carries: frozenset[str]
    """What of `ways.COMMON` it carries as it is."""
    body: Callable[[Conversion, Sequence[Any]], dict[str, Any]]
    """The request body. Its messages are those that `draft` gave, fixed."""
    draft: Callable[[Conversion], list[Any]] | None = None
    """The messages, as they are checked. None: they are checked in Anthropic's form by the rules of this API, and
    `body` writes them.
    """
    ways: Mapping[str, Way] = {}
    """What it cannot carry as it is, besides, or otherwise than, `ways.COMMON`."""


def system_texts(given: Conversion) -> list[Text]:
    """The system prompt, for an API without cache marks."""
    said = [part for part in given.system if isinstance(part, Text)]
    if marked := sum(part.marked for part in said):
        given.say("cache", marked)
    return said
