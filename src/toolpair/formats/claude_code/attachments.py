"""What the agent tells the model besides the conversation: reminders, hook reports, the date."""

from __future__ import annotations

from typing import Final

from toolpair.formats.claude_code.record_kinds import ChainNode

_NEVER_SENT: Final = frozenset({"prompt_snapshot"})
_ALWAYS_SENT: Final = frozenset({"total_tokens_reminder", "date", "hook_additional_context"})


def speaks(node: ChainNode) -> bool:
    """Whether the record is an attachment that produces text, sent in the user message it belongs to.

    Newer records contain that text; otherwise only kinds count that always produce some.
    """
    if node.type != "attachment":
        return False
    attachment = node.value.get("attachment")
    kind = attachment.get("type") if isinstance(attachment, dict) else None
    if not isinstance(kind, str) or kind in _NEVER_SENT:
        return False
    return bool(node.value.get("rendered")) or kind in _ALWAYS_SENT
