"""What a call was given, as its file writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolpair.dialects.block_texts import argument_slots, written_arguments
from toolpair.text.inline_diff import decoded

if TYPE_CHECKING:
    from toolpair.history.conversation import Conversation
    from toolpair.transcript.model import Block


def arguments_as_written(conversation: Conversation, call: Block) -> str | None:
    """A call's arguments as JSON, as the file has them; None if that cannot be read."""
    written = written_arguments(call)
    if written is not None:
        return written
    document = conversation.document
    for slot in argument_slots(call):
        try:
            start, end = document.span(call.record, slot)
            offset, record = document.offset(call.record), document.record(call.record)
        except (LookupError, ValueError):
            continue
        if (start, end) != (offset, offset + record.size):
            return decoded(record.body[start - offset : end - offset])
    return None
