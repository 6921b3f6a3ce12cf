"""What version 2.1.1 sends: open calls are left out, everything else is sent as it is in the chain."""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.formats.claude_code.sending.messages import merged
from toolpair.formats.claude_code.sending.parts import NO_RESPONSE, Draft, text_part
from toolpair.formats.claude_code.sending.taking import open_left_out


def unhealed(drafts: Sequence[Draft]) -> list[Draft]:
    """The messages, each with its results first. Results off the chain are not searched for."""
    taken = [draft for draft in drafts if draft.parts and not draft.beside and not draft.command]
    messages = merged(open_left_out(taken))
    if messages and messages[-1].role == "user":
        messages.append(Draft("assistant", [text_part(NO_RESPONSE)], made_up=True))
    for message in messages:
        if message.role == "user":
            message.parts.sort(key=lambda part: part.type != "tool_result")
    return messages
