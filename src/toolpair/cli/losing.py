"""Measured losses as report entries: counts, ids and sizes, never content."""

from __future__ import annotations

from toolpair.cli.file_report import Entry, entry_of
from toolpair.history.losses import Losses


def losses_entry(losses: Losses) -> Entry:
    """Counts, and each thing that is lost. `size` is in bytes of UTF-8; for "words", their number."""
    whole = (*losses.outputs, *losses.words, *losses.images, *losses.calls, *losses.texts)
    return {
        "text": losses.text,
        "outputs": len(losses.outputs),
        "output_bytes": losses.output_bytes,
        "user_words": losses.user_words,
        "images": len(losses.images),
        "calls": len(losses.calls),
        "input_bytes": losses.input_bytes,
        "texts": len(losses.texts),
        "no_longer_sent": len(losses.unsent),
        "at_another_call": len(losses.crossed),
        "details": [
            *({"what": lost.kind, **entry_of(lost, "id tool size")} for lost in whole),
            *({"what": f"{lost.kind}_no_longer_sent", **entry_of(lost, "id tool size")} for lost in losses.unsent),
            *(
                {"what": "at_another_call", "id": lost.result_id, **entry_of(lost, "belongs_to answers size")}
                for lost in losses.crossed
            ),
        ],
    }
