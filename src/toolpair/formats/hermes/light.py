"""Quick reading of Hermes Agent's rows: which of them are as it writes them. What was compacted, it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.formats.engine.reading.light import (
    ANSWERED,
    MODEL,
    RESULT,
    TEXT,
    USER,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
    chat_call,
)
from toolpair.formats.format import FileFacts, Item, View
from toolpair.formats.hermes.detection import MESSAGES, SESSIONS
from toolpair.formats.hermes.history import message_of_row, read


class HermesLight(Light):
    """Each row is a chat message."""

    native = True
    words_after = Light.words_after | {ANSWERED}

    def __init__(self) -> None:
        self._session: dict[str, Any] = {}

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(MESSAGES)
        if row is None:
            if number or type(value.get(SESSIONS)) is not dict:
                raise Whole
            self._session = value
            return None
        role, said, calls = row["role"], row["content"], row["tool_calls"]
        if row["active"] != 1:
            raise Whole
        if type(said) is not str or said.startswith("\0") or row.get("reasoning"):
            raise Odd
        if role == "tool":
            if calls is not None:
                raise Odd
            return USER, ((RESULT, row["tool_call_id"], said, "", False),), None
        if row["tool_call_id"] is not None:
            raise Odd
        if role != "assistant":
            if role != "user" or calls is not None:
                raise Odd
            return USER, ((TEXT, said),), None
        if calls is not None and (type(calls) is not list or not calls):
            raise Odd
        words = [(TEXT, said)] if said or not calls else []
        return MODEL, [*words, *map(_call, calls or ())], None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        found = message_of_row(Item(number, value)) if strict and MESSAGES in value else None
        return [block.id for block in found.blocks] if found is not None else (), 0

    def finish(self) -> Finding:
        head = read([Item(0, self._session)])
        return Finding(head=head, around=lambda first, end, count, records: FileFacts(head))


def _call(call: Any) -> tuple[Any, ...]:
    if call.get("call_id", call["id"]) != call["id"]:
        raise Odd
    return chat_call({key: part for key, part in call.items() if key not in ("call_id", "response_item_id")})


def light(view: View) -> Light | None:
    return HermesLight() if view.reporting else None
