"""What is lost from one state of a conversation to another: measured, whatever fixes claim.

Covers what is sent, and outputs that are in the file without being sent.

Compares content, counting occurrences: of two outputs with the same text, one may be lost. Not lost: an output that
became labelled text, an identical copy of one that stays, an input spelt differently, or what a compaction replaced
once it takes effect. A placeholder is not an output.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolpair.history.checked_records import CheckedRecords
from toolpair.history.losses.comparison import Comparison
from toolpair.history.losses.loss import NOTHING, Crossed, Loss, Losses
from toolpair.history.losses.sent_losses import less_sent, unsent
from toolpair.history.losses.unnamed import Records, TextGone, losses_of, of_documents, of_lists, texts_gone
from toolpair.source.document import Document

__all__ = [
    "NOTHING",
    "Crossed",
    "Loss",
    "Losses",
    "TextGone",
    "gone",
    "less_sent",
    "losses",
    "losses_between",
    "missing_in_documents",
    "missing_texts",
]

Both = tuple[CheckedRecords, CheckedRecords]


def losses(before: CheckedRecords, after: CheckedRecords) -> Losses:
    """What `before` has that is lost in `after`. Linear in the size of both; what they share is not read."""
    changed = [(before, after)]
    return losses_between(changed, missing_texts(changed))


def losses_between(changed: Sequence[Both], texts: Sequence[TextGone]) -> Losses:
    """The same of parts of a history; `texts`: those that are nowhere any more."""
    changed = [both for both in changed if _differ(*both)]
    found = sum((_modelled(*both) for both in changed), NOTHING)
    return found + gone(changed, texts, found)


def gone(changed: Sequence[Both], texts: Sequence[TextGone], known: Losses = NOTHING) -> Losses:
    """The texts that are nowhere any more and are not part of what is known to be lost."""
    changed = [both for both in changed if _differ(*both)]
    return Losses(texts=losses_of(texts, known, [before for before, _ in changed])) if texts else NOTHING


def missing_texts(changed: Sequence[Both]) -> Sequence[TextGone]:
    """The texts that are nowhere any more."""
    changed = [both for both in changed if _differ(*both)]
    return texts_gone(_records(changed)) if changed else ()


def missing_in_documents(changed: Sequence[tuple[Document, Document]], whole: Document) -> Sequence[TextGone]:
    """The same of parts of a file; `whole` is all of its new state."""
    return texts_gone(of_documents(changed, whole)) if changed else ()


def _differ(before: CheckedRecords, after: CheckedRecords) -> bool:
    return before is not after and before.transcript is not after.transcript


def _modelled(before: CheckedRecords, after: CheckedRecords) -> Losses:
    comparison = Comparison(before, after)
    gone = comparison.result()
    not_sent = unsent(comparison, gone)
    return gone + Losses(unsent=not_sent) if not_sent else gone


def _records(changed: Sequence[Both]) -> Records:
    documents = [(before.document, after.document) for before, after in changed]
    pairs = [(then, now) for then, now in documents if then is not None and now is not None]
    if len(pairs) < len(documents):
        return of_lists(*changed[0])
    return of_documents(pairs, pairs[0][1])
