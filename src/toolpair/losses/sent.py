"""What an agent would send less of: real outputs and the user's words, compared by what reaches the model."""

from __future__ import annotations

from toolpair.conversation import Judged
from toolpair.losses.comparison import Comparison
from toolpair.losses.model import NOTHING, Losses


def less_sent(before: Judged, after: Judged) -> Losses:
    """What of `before` would be sent, and of `after` not any more. A list that no agent resumes is sent as it is."""
    if before is after or before.transcript is after.transcript:
        return NOTHING
    return Comparison(before, after, (_reached(before), _reached(after))).sent()


def _reached(state: Judged) -> set[int]:
    """id() of the blocks of which something would be sent."""
    seen = state.seen
    if seen is None:
        return {id(block) for message in state.transcript.messages for block in message.blocks}
    if seen.refuses is not None:
        return set()
    return {id(part.block) for message in seen.messages for part in message.parts if part.block is not None}
