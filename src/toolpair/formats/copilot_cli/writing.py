"""Edits put back into Copilot CLI's events."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects import copilot as dialect
from toolpair.dialects.copilot_writer import CopilotWriter
from toolpair.formats.copilot_cli.detection import data_of, kind_of
from toolpair.formats.copilot_cli.events import NO_TIME, id_from
from toolpair.formats.copilot_cli.history import EventHistory
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.writing.tree import Tree, TreeEnvelope
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Slot, Transcript

STARTED: Final = "tool.execution_start"


def _parted(history: EventHistory) -> set[int]:
    """uids of the results that came after the agent was stopped, or resumed, and before it said anything more."""
    found: set[int] = set()
    asked = 0
    for turn in history.turns:
        stops = bisect(history.stops, turn.node.place)
        if turn.role == "assistant":
            asked = stops
        elif turn.role == "result" and stops > asked:
            found.add(turn.node.uid)
    return found


class _EventEnvelope(TreeEnvelope, frozen=True):
    slot = ("data",)

    def slot_in(self, value: Any) -> Slot:
        return ("data",)

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        near = beside.record if isinstance(beside.record, dict) else {}
        kind = dialect.RESULT if "toolCallId" in message else dialect.RESPONSE
        kind = kind if kind == dialect.RESULT or dialect.CALLS in message else dialect.USER
        same = {key: data_of(near)[key] for key in ("interactionId", "turnId") if key in data_of(near)}
        time = near.get("timestamp", NO_TIME)
        return {"type": kind, "data": {**message, **same}, "id": None, "timestamp": time, "parentId": None}

    def new_id(self, seed: str, attempt: int) -> str:
        return id_from(seed, attempt)

    def is_node(self, value: Any) -> bool:
        return isinstance(value, dict) and bool(value)

    def goes_with(self, value: Any) -> bool:
        return kind_of(value) == STARTED


_ENVELOPE: Final = _EventEnvelope(single=False)


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    history = facts_of(transcript, EventHistory)
    tree = Tree(items, transcript, CopilotWriter(), _ENVELOPE, [node.uid for node in history.nodes])
    tree.drafter.parted = _parted(history)
    return tree.run(edits)
