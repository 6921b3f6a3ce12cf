"""Edits put back into docker-agent's rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from toolpair.dialects.openai_chat_writer import WRITER
from toolpair.formats.docker_agent.detection import ITEM, message_in
from toolpair.formats.docker_agent.format import MESSAGE, LoadedRows, loaded_in
from toolpair.formats.engine.reading.reading import facts_of
from toolpair.formats.engine.reading.stored_rows import facts_in, row_of
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.format import Item
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

if TYPE_CHECKING:
    from toolpair.transcript.draft import DraftMessage, Slot


class _ItemEnvelope(Envelope, frozen=True):
    def slot_in(self, value: Any) -> Slot:
        return MESSAGE if isinstance(message_in(value), dict) else ()

    def new_record(self, message: Any, beside: DraftMessage) -> Any:
        home = row_of(beside.record, ITEM)
        time = home["message_json"].get("created_at") if isinstance(home.get("message_json"), dict) else None
        made = {**message, **({"created_at": time} if time is not None else {})}
        columns = {"id": None, "session_id": home.get("session_id"), "position": None, "item_type": "message"}
        return {ITEM: {**columns, "agent_name": home.get("agent_name"), "implicit": 0, "message_json": made}}


class _Rows(Linear):
    """Rows in the order of `position`, which a new one moves."""

    loaded: Sequence[int] = ()

    def _records(self) -> list[Item]:
        found = super()._records()
        ids = [id_ for item in found if isinstance(id_ := row_of(item.value, ITEM).get("id"), int)]
        known = facts_in(found).get("last_id")
        last = max([*ids, known if isinstance(known, int) else 0])
        rows = [number for number, item in enumerate(found) if row_of(item.value, ITEM)]
        taken = [row_of(found[number].value, ITEM).get("position") for number in rows]
        places = sorted(place for place in taken if isinstance(place, int))
        while len(places) < len(rows):
            places.append(places[-1] + 1 if places else 0)
        before: tuple[int, int] | None = None
        for number, place in zip(rows, places, strict=True):
            item = found[number]
            row = row_of(item.value, ITEM)
            changes: dict[str, Any] = {}
            if row.get("id") is None:
                last += 1
                changes["id"] = last
            # Rows at one position are in the order of their ids.
            here = id_ if isinstance(id_ := changes.get("id", row.get("id")), int) else 0
            if before is not None and (place, here) <= before:
                place = before[0] + 1
            before = place, here
            if row.get("position") != place:
                changes["position"] = place
            if changes:
                found[number] = Item(item.uid, {**item.value, ITEM: {**row, **changes}})
        return self._with_kept(found)

    def _with_kept(self, found: list[Item]) -> list[Item]:
        """What a summary kept is a place among the rows that are loaded: it moves with them, and begins with what
        was put there in the place of others.
        """
        now = {item.uid: place for place, item in enumerate(loaded_in(found))}
        for number, item in enumerate(found):
            row = row_of(item.value, ITEM)
            kept = row.get("first_kept_entry")
            if isinstance(kept, int) and 0 < kept < len(self.loaded):
                before = (now[uid] + 1 for uid in reversed(self.loaded[:kept]) if uid in now)
                after = next(before, next((now[uid] for uid in self.loaded[kept:] if uid in now), kept))
                if after != kept:
                    found[number] = Item(item.uid, {**item.value, ITEM: {**row, "first_kept_entry": after}})
        return found


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    rows = _Rows(items, transcript, WRITER, _ENVELOPE)
    rows.loaded = facts_of(transcript, LoadedRows).loaded
    return rows.run(edits)


_ENVELOPE: Final = _ItemEnvelope(MESSAGE)
