"""What the row of a message says, whole: the list has only its beginning."""

from __future__ import annotations

from toolpair.history.conversation import Conversation
from toolpair.history.summary import LABEL, PairRow


def whole_text(conversation: Conversation, row: PairRow) -> str:
    """The text of a message's block; of any other row its label."""
    if row.kind != "text" or row.message is None:
        return row.label
    messages = conversation.transcript.messages
    blocks = messages[row.message].blocks if row.message < len(messages) else ()
    for block in blocks:
        if block.kind == "text" and block.record == row.record and block.text[:LABEL].strip() == row.label:
            return block.text.strip()
    return row.label
