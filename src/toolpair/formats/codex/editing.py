"""Writing drafts into a rollout: items in envelopes and in compactions, and the other places that name their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.dialects.openai_responses_writer import WRITER
from toolpair.formats.codex.frames import frame_of
from toolpair.formats.codex.mirrors import Mirrors
from toolpair.formats.codex.ordinals import renumbered
from toolpair.formats.codex.sent_items import HISTORY
from toolpair.formats.engine.writing.drafts.as_messages import FreePlaces, ResultsAsMessages
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import Item
from toolpair.transcript.draft import DraftMessage, Slot
from toolpair.transcript.edits import Edit, Rename
from toolpair.transcript.model import Block, Transcript


class RolloutEnvelope(Envelope, frozen=True):
    """New records get a timestamp, without which Codex skips them. The first versions wrote items without an
    envelope.
    """

    def slot_in(self, value: Any) -> Slot:
        return ("payload",) if isinstance(value, dict) and "payload" in value else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        if isinstance(beside.record, dict) and "payload" not in beside.record:
            return message
        time: dict[str, Any] = {}
        before: DraftMessage | None = beside
        while before is not None and not time:
            if isinstance(before.record, dict) and isinstance(before.record.get("timestamp"), str):
                time["timestamp"] = before.record["timestamp"]
            before = before.before
        return {**time, "type": "response_item", "payload": message}


_ENVELOPE: Final = RolloutEnvelope(
    front=("timestamp", "ordinal"), lists=HISTORY, beside_list="replacement_history_metadata"
)


def apply_edits(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits, in file order and with consecutive ordinals."""
    records = Rollout(items, transcript).run(edits)
    frame = frame_of(transcript)
    if frame is not None:
        frame.hold(items, records, edits)
    return renumbered(items, records)


class Rollout(Linear):
    """Applies edits, and updates the events and older histories that name a changed id."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript, WRITER, _ENVELOPE)
        self._mirrors = Mirrors(items, transcript)

    def take(self, edit: Edit) -> None:
        super().take(edit)
        if isinstance(edit, Rename) and self.draft.has_block(self.draft.block(edit.block)):
            self._rename_mirrors(edit.block, edit.id)

    def _rename_mirrors(self, block: Block, id_: str) -> None:
        for uid, slot in self._mirrors.of(block):
            record = self.draft.of_record(uid)
            found = self.in_record(record, slot)
            if isinstance(found, dict):
                self.set_in_record(record, slot, {**found, "call_id": id_})
            elif isinstance(found, str):
                self.set_in_record(record, slot, id_)


class Foreseen:
    """Where single edits would put records: the uid of the record that each goes after."""

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        self._rollout = Rollout(items, transcript)
        drafter = self._rollout.drafter
        assert isinstance(drafter, ResultsAsMessages)
        self._places = FreePlaces(drafter)

    def let_go(self) -> None:
        """The end of its use."""
        self._rollout.let_go()

    def before_result(self, call: Block) -> int | None:
        """The record that a result for the call goes after; None inside a list."""
        previous = self._places.before_result(call)
        return previous.uid if previous.in_list is None else None

    def before_words(self, result: Block) -> int | None:
        """The record that the text of a result goes after; None if it stays in place, or is inside a list."""
        previous = self._places.before_words(result)
        return previous.uid if previous is not None and previous.in_list is None else None
