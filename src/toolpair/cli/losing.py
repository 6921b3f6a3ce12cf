"""Measured losses as report entries: counts, ids and sizes, never content."""

from __future__ import annotations

from toolpair.cli.file_report import Entry
from toolpair.history.losses import Losses


def losses_entry(losses: Losses) -> Entry:
    """Counts, and each thing that is lost. `size` is in bytes of UTF-8; for "words", their number."""
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
            *(
                {"what": lost.kind, "id": lost.id, "tool": lost.tool, "size": lost.size}
                for lost in (*losses.outputs, *losses.words, *losses.images, *losses.calls, *losses.texts)
            ),
            *(
                {"what": f"{lost.kind}_no_longer_sent", "id": lost.id, "tool": lost.tool, "size": lost.size}
                for lost in losses.unsent
            ),
            *(
                {
                    "what": "at_another_call",
                    "id": crossed.result_id,
                    "belongs_to": crossed.belongs_to,
                    "answers": crossed.answers,
                    "size": crossed.size,
                }
                for crossed in losses.crossed
            ),
        ],
    }
