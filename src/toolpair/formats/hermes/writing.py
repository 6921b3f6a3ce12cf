"""Edits put back into Hermes Agent's rows, which it reads in the order of their ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolpair.dialects.openai_chat_writer import ChatWriter
from toolpair.formats.engine.writing.linear import Envelope, Linear
from toolpair.formats.engine.writing.row_ids import in_order_of_ids
from toolpair.formats.format import Item
from toolpair.formats.hermes.detection import LISTED, MESSAGES, OWN, is_message, message_in, row_in
from toolpair.transcript.draft import DraftBlock, Slot
from toolpair.transcript.edits import Edit
from toolpair.transcript.model import Transcript

_OF_THE_PLACE: Final = ("session_id", "timestamp", "observed")
"""Columns that a new row has from its neighbour."""
_NAMED: Final = frozenset({"id", *OWN})
_OF_WORDS: Final = ("api_content",)
"""Columns that hold again what the content says."""


class _Writer(ChatWriter):
    def renamed(self, block: DraftBlock, id_: str) -> Any:
        """Hermes pairs a call by its `call_id`, where it has one."""
        made = super().renamed(block, id_)
        return {**made, "call_id": id_} if block.kind == "call" and "call_id" in made else made


class _Envelope(Envelope, frozen=True):
    def slot_in(self, value: Any) -> Slot:
        return (MESSAGES,) if is_message(value) else ()


class _Rows(Linear):
    """A row is edited as the chat message in it."""

    def record_of(self, item: Item) -> Any:
        return {**item.value, MESSAGES: message_in(item.value)} if is_message(item.value) else item.value

    def _records(self) -> list[Item]:
        known = {item.uid: item for item in self.items}
        made: list[Item] = []
        beside = next((row for item in self.items if (row := row_in(item.value))), {})
        for item in super()._records():
            before = known.get(item.uid)
            if before is not item and is_message(item.value):
                row = row_in(before.value) if before is not None else _blank(beside)
                item = Item(item.uid, {**item.value, MESSAGES: _with_message(row, row_in(item.value))})
            beside = row_in(item.value) or beside
            made.append(item)
        return in_order_of_ids(made, MESSAGES)


def _blank(beside: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a new row, which Hermes reads even if its neighbour was compacted. Of the others one that is not
    null there may not be null here: it gets what the table has for it.
    """
    own = {**{key: beside.get(key) for key in _OF_THE_PLACE}, "active": 1, "compacted": 0}
    return {key: own.get(key) for key in beside if key in own or key in _NAMED or beside[key] is None}


def _with_message(row: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a row that holds this message now, in their order."""
    made = dict(row)
    before = message_in({MESSAGES: row})
    for key in OWN:
        if message.get(key) != before.get(key):
            made[key] = message.get(key)
    if message.get("role") != before.get("role"):
        made |= {key: None for key in ("tool_name", "effect_disposition") if key in made}
    if made.get("content") != row.get("content"):
        content = made.get("content")
        made["content"] = LISTED + json.dumps(content) if isinstance(content, (list, dict)) else content
        made |= {key: None for key in _OF_WORDS if key in made}
    return made


def apply(items: Sequence[Item], transcript: Transcript, edits: Sequence[Edit]) -> list[Item]:
    return _Rows(items, transcript, _Writer(), _Envelope((MESSAGES,))).run(edits)
