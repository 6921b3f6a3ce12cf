"""Which Responses API items Codex keeps and sends: from its file, from a compaction, from another session."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_FAMILY
from toolpair.dialects.openai_responses import OF_ASSISTANT, type_of
from toolpair.transcript.model import Message, Transcript

HISTORY: Final = "replacement_history"
"""The field of a compaction that holds the items it keeps."""
_SENT: Final = frozenset({*CALL_FAMILY, *OUTPUT_FAMILY, *OF_ASSISTANT, "message", "agent_message"})
"""The types Codex keeps in its history; it skips all others."""


def is_sent(item: Any) -> bool:
    """Whether Codex keeps the item in its history."""
    type_ = type_of(item)
    if type_ == "message":
        return bool(item.get("role") != "system")
    return type_ in _SENT


class Parent(Struct, frozen=True, eq=False):
    """This format's own data in a transcript: the session that it continues, which is in another file."""

    messages: tuple[Message, ...] = ()
    """The part of it that Codex sends, before everything else."""
    missing: str | None = None
    """Why Codex does not resume the session, if that file is the reason: a clause."""


_NONE: Final = Parent()


def parent_of(transcript: Transcript) -> Parent:
    """The session that the transcript continues; an empty one if there is none."""
    facts = transcript.agent_facts
    return facts if isinstance(facts, Parent) else _NONE
