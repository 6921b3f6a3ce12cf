"""Carrying edits out on the records of a rollout: items in envelopes and in compactions, and what names their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolpair.dialects.openai_responses import Slot, type_of
from toolpair.formats.codex.frames import frame_of
from toolpair.formats.codex.mirrors import Mirrors
from toolpair.formats.codex.ordinals import renumbered
from toolpair.formats.codex.working_items import RolloutRecord
from toolpair.formats.format import Item
from toolpair.formats.item_editor import ItemEditor, with_id
from toolpair.formats.item_records import DraftItem
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Block, Transcript


def apply_edits(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    """The records after the edits, in file order and with ordinals that go on."""
    records = RolloutEditor(items, transcript).run(edits)
    frame = frame_of(transcript)
    if frame is not None:
        frame.hold(items, records, edits)
    return renumbered(items, records)


class RolloutEditor(ItemEditor):
    """Carries edits out on a rollout. Events and older histories that name an id follow it."""

    record = RolloutRecord

    def __init__(self, items: Sequence[Item], transcript: Transcript) -> None:
        super().__init__(items, transcript)
        self.mirrors = Mirrors(items, transcript)

    def new_record(self, item: dict[str, Any], beside: DraftItem) -> DraftItem:
        """A record for a new item: Codex passes one without a timestamp by."""
        if isinstance(beside.value, dict) and "payload" not in beside.value:
            return self.works.new(item)
        value: dict[str, Any] = {}
        before: DraftItem | None = beside
        while before is not None and not value:
            if isinstance(before.value, dict) and isinstance(before.value.get("timestamp"), str):
                value["timestamp"] = before.value["timestamp"]
            before = before.before
        return self.works.new({**value, "type": "response_item", "payload": item})

    def slot_in(self, record: DraftItem) -> Slot:
        return ("payload",) if "payload" in record.value else ()

    def active_item(self, work: DraftItem) -> Any:
        value = work.value
        if not isinstance(value, dict) or self.transcript.scopes.get(work.uid) in ("inactive", "malformed"):
            return None
        if value.get("type") == "response_item":
            return work.at(("payload",)) if "payload" in value else None
        return work.at(()) if "payload" not in value and type_of(value) is not None else None

    def rename(self, block: Block, id_: str) -> bool:
        if not super().rename(block, id_):
            return False
        for uid, slot in self.mirrors.of(block):
            work = self.works.by_uid[uid]
            found = work.at(slot)
            if isinstance(found, dict):
                work.put(slot, with_id(found, id_))
            elif isinstance(found, str):
                work.put(slot, id_)
        return True
