"""What is gone from one state of a conversation to another: measured, whatever fixes say.

Of what is sent, and of outputs that the file holds without their being sent.

By content, and as often as it occurs: of two outputs that say the same, one may be gone. An output that became a
labelled text is not gone, nor is an identical copy of one that stays, an input that is written in another way, or
what a compaction replaced once it counts. A result that says only that there is none is no output.
"""

from __future__ import annotations

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.comparison import Comparison
from toolpair.history.losses.loss import NOTHING, Crossed, Loss, Losses
from toolpair.history.losses.sent_losses import less_sent, unsent

__all__ = ["NOTHING", "Crossed", "Loss", "Losses", "less_sent", "losses"]


def losses(before: CheckedRecords, after: CheckedRecords) -> Losses:
    """What of `before` is gone in `after`. Linear in what both hold; what they share is not read."""
    if before is after or before.transcript is after.transcript:
        return NOTHING
    comparison = Comparison(before, after)
    gone = comparison.result()
    not_sent = unsent(comparison, gone)
    return gone + Losses(unsent=not_sent) if not_sent else gone
