"""Carrying edits out on the messages of Roo Code and its kin."""

from __future__ import annotations

from toolpair.formats.anthropic_editor import MessageEditor
from toolpair.formats.working_copy import DraftRecord


class RooEditor(MessageEditor):
    """New messages take the neighbours' time and parents, so that they are condensed and rewound with them."""

    def _inherit(self, made: DraftRecord, home: DraftRecord) -> None:
        if not isinstance(home.value, dict):
            return
        timestamp = home.value.get("ts")
        if isinstance(timestamp, int) and not isinstance(timestamp, bool):
            made.value["ts"] = timestamp + 1
        for key in ("condenseParent", "truncationParent"):
            if key in home.value:
                made.value[key] = home.value[key]
