"""Edits become a draft here, once for all formats: where results go, call order, splits by role, what goes with a call.

`drafter` has what is the same everywhere, the other two where results stand: in messages, or as messages. They ask the
dialect's writer for values, and the format for new messages; `linear` and `tree` put the draft into records.
"""

from __future__ import annotations

from toolpair.dialects.writer import Writer
from toolpair.formats.drafts.as_messages import ResultsAsMessages
from toolpair.formats.drafts.drafter import Drafter, NewMessage
from toolpair.formats.drafts.in_messages import ResultsInMessages
from toolpair.transcript.draft import Draft


def drafter_for(draft: Draft, writer: Writer, new: NewMessage, merged: bool) -> Drafter:
    """What carries edits out where results stand as this API has them."""
    if writer.results_are_messages:
        return ResultsAsMessages(draft, writer, new)
    return ResultsInMessages(draft, writer, new, merged)
