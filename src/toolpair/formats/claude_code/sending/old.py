"""What version 2.1.1 sends: open calls are left out, all else goes as the chain has it."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.claude_code.sending.messages import merged
from toolpair.formats.claude_code.sending.parts import Draft
from toolpair.formats.claude_code.sending.records import open_left_out


def messages_of(drafts: Sequence[Draft]) -> list[Draft]:
    """Results beside the chain are not looked for; each message begins with its results."""
    messages = merged(open_left_out([draft for draft in drafts if not draft.beside]))
    for message in messages:
        if message.role == "user":
            message.parts.sort(key=lambda part: part.type != "tool_result")
    return messages
