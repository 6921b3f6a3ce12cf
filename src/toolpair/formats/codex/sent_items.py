"""Which items of the Responses API Codex keeps and sends: its file's, a compaction's, those of another session."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from toolpair.dialects.item_types import CALL_FAMILY, OUTPUT_FAMILY
from toolpair.dialects.openai_responses import OF_ASSISTANT, type_of
from toolpair.transcript.model import Message, Transcript

HISTORY: Final = "replacement_history"
"""Where a compaction keeps the items that it leaves."""
_SENT: Final = frozenset({*CALL_FAMILY, *OUTPUT_FAMILY, *OF_ASSISTANT, "message", "agent_message"})
"""What Codex keeps in its history; all other types it passes by."""


def is_sent(item: Any) -> bool:
    """Whether Codex keeps the item in its history."""
    type_ = type_of(item)
    if type_ == "message":
        return bool(item.get("role") != "system")
    return type_ in _SENT


class Parent(Struct, frozen=True, eq=False):
    """What this format keeps of a transcript for itself: of the session that it goes on from, in a file of its own."""

    messages: tuple[Message, ...] = ()
    """What Codex sends of it, in front of all else."""
    missing: str | None = None
    """Why it does not resume the session, where that lies with that file: a clause."""


_NONE: Final = Parent()


def parent_of(transcript: Transcript) -> Parent:
    """The session that the transcript goes on from; an empty one where there is none."""
    facts = transcript.agent_facts
    return facts if isinstance(facts, Parent) else _NONE
