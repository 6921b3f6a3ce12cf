"""Which items of the Responses API Codex keeps, and where a compaction has those that it leaves."""

from __future__ import annotations

from typing import Any, Final

from toolpair.dialects.openai_responses import OF_ASSISTANT, type_of
from toolpair.transcript.item_types import CALL_FAMILY, OUTPUT_FAMILY

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
