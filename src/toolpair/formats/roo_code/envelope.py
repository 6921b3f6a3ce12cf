"""The fields of a new message of Roo Code and its relatives besides the content."""

from __future__ import annotations

from typing import Any, Final

from toolpair.formats.engine.writing.linear import Envelope
from toolpair.transcript.draft import DraftMessage


class RooEnvelope(Envelope, frozen=True):
    """New messages copy their neighbour's time and parents, so that they are condensed and rewound together."""

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = beside.record if isinstance(beside.record, dict) else {}
        made = dict(message)
        timestamp = home.get("ts")
        if isinstance(timestamp, int) and not isinstance(timestamp, bool):
            made["ts"] = timestamp + 1
        made.update((key, home[key]) for key in ("condenseParent", "truncationParent") if key in home)
        return made


ENVELOPE: Final = RooEnvelope()
