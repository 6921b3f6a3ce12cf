"""Turns edits into a draft, once for all formats: where results go, call order, splits by role, what goes with a call.

`drafter` holds what all APIs share, the other two modules what depends on whether results are blocks or messages. The
dialect's writer makes the values, the format the new messages; `linear` and `tree` put the draft into records.
"""

from __future__ import annotations

from toolpair.dialects.writer import Writer
from toolpair.formats.engine.writing.drafts.as_messages import ResultsAsMessages
from toolpair.formats.engine.writing.drafts.drafter import Drafter, NewMessage
from toolpair.formats.engine.writing.drafts.in_messages import ResultsInMessages
from toolpair.transcript.draft import Draft


def drafter_for(draft: Draft, writer: Writer, new: NewMessage, merged: bool) -> Drafter:
    """The drafter for the API of this writer."""
    if writer.results_are_messages:
        return ResultsAsMessages(draft, writer, new)
    return ResultsInMessages(draft, writer, new, merged)
