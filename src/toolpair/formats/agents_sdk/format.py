"""Sessions of the OpenAI Agents SDK: rows of a database, one item of the Responses API each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from toolpair.formats.agents_sdk.detection import DATA, MESSAGES, SESSIONS, item_in
from toolpair.formats.engine.damage.lost import effect_on_readers, held_in, lost_outputs, outputs_text
from toolpair.formats.engine.damage.own_problems import holds_something_else
from toolpair.formats.engine.reading.clock import seconds_of
from toolpair.formats.engine.reading.item_messages import HistoryItem, ItemFrame
from toolpair.formats.engine.reading.reading import as_text, malformed_in
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import AS_RESUMED, Damage, Item, ResumeEffect, View
from toolpair.formats.lists.openai_responses import transcript_of
from toolpair.transcript.model import Scope, Transcript

if TYPE_CHECKING:
    from toolpair.rules.context import Context
    from toolpair.transcript.draft import Slot

ITEM: Final[Slot] = (MESSAGES, DATA)


def read(items: Sequence[Item], view: View = AS_RESUMED) -> Transcript:
    entries = [
        HistoryItem(item.uid, ITEM, found) for item in items if isinstance(found := item_in(item.value), dict) and found
    ]
    odd: dict[int, Scope] = {item.uid: "malformed" for item in items if _is_no_item(item)}
    session = next((row for item in items for name in (SESSIONS, MESSAGES) if (row := row_of(item.value, name))), {})
    found = transcript_of(entries, {**malformed_in(items), **odd})
    frame = None if view.surroundings is None else ItemFrame()
    return replace(found, session_id=as_text(session.get("session_id")), frame=frame)


def _is_no_item(item: Item) -> bool:
    found = item_in(item.value)
    return bool(row_of(item.value, MESSAGES)) and not (isinstance(found, dict) and found)


def check(context: Context, items: Sequence[Item], view: View) -> None:
    for item in items:
        if _is_no_item(item):
            said = "This row holds {}, which the Agents SDK sends as it is."
            holds_something_else(context, item.uid, item_in(item.value), said, "an item")


def damage(items: Sequence[Item], transcript: Transcript, found: Sequence[Damage]) -> Sequence[ResumeEffect | None]:
    blocks = [block for message in transcript.messages for block in message.blocks]
    answered = {block.id for block in blocks if block.kind == "result" and isinstance(block.id, str)}
    called = {block.id for block in blocks if block.kind == "call" and isinstance(block.id, str)}

    def effect(damage: Damage) -> ResumeEffect | None:
        if damage.rule == "record.bad_utf8":
            # `sqlite3` makes no value of such a text.
            return ResumeEffect("stops", "the Agents SDK does not load this session", "rejected")
        if damage.readable:
            return effect_on_readers(damage, "the Agents SDK")
        outputs = lost_outputs(damage, list(held_in(tuple(map(item_in, damage.values)))), answered, called)
        loses = outputs_text(outputs) or "what it says"
        says = "the Agents SDK skips it without telling you"
        return ResumeEffect("loses", says, loses=loses, outputs=outputs, splits=False)

    return list(map(effect, found))


def time_of(value: Any) -> float | None:
    time = row_of(value, MESSAGES).get("created_at")
    return seconds_of(time) if isinstance(time, str) else None
