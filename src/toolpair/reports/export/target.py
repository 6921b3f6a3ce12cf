"""What is asked of an API that a session can be exported to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, field

from toolpair.dialects.neutral import Part, Say, Tool, Turn
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


class Target(Protocol):
    """An API. Its module is named in the table of `targets.py`."""

    id: str
    title: str
    ways: Mapping[str, Way]
    """What it cannot carry as it is, besides, or otherwise than, `ways.COMMON`."""
    carries: frozenset[str]
    """What of `ways.COMMON` it carries as it is."""
    lifts_system: bool
    """System messages amid the history become a user's text."""
    alternates: bool
    """Neighbouring turns of one role become one."""

    direct: bool
    """Its messages can be checked as they stand. Else they are checked in Anthropic's form by the rules of this API."""
    list_key: str
    """The field of the body that holds the messages."""

    def draft(self, given: Conversion) -> list[Any]:
        """The messages, in the form in which they are checked."""

    def body(self, given: Conversion, messages: Sequence[Any]) -> dict[str, Any]:
        """The request body; `messages` are those of the draft, fixed, where that is `direct`."""
