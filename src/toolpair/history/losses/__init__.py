"""What is lost from one state of a conversation to another: measured, whatever fixes claim.

Covers what is sent, and outputs that are in the file without being sent.

Compares content, counting occurrences: of two outputs with the same text, one may be lost. Not lost: an output that
became labelled text, an identical copy of one that stays, an input spelt differently, or what a compaction replaced
once it takes effect. A placeholder is not an output.
"""

from __future__ import annotations

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.comparison import Comparison
from toolpair.history.losses.loss import NOTHING, Crossed, Loss, Losses
from toolpair.history.losses.sent_losses import less_sent, unsent

__all__ = ["NOTHING", "Crossed", "Loss", "Losses", "less_sent", "losses"]


def losses(before: CheckedRecords, after: CheckedRecords) -> Losses:
    """What `before` has that is lost in `after`. Linear in the size of both; what they share is not read."""
    if before is after or before.transcript is after.transcript:
        return NOTHING
    comparison = Comparison(before, after)
    gone = comparison.result()
    not_sent = unsent(comparison, gone)
    return gone + Losses(unsent=not_sent) if not_sent else gone
