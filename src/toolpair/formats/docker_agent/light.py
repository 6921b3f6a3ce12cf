"""Quick reading of docker-agent's rows: which of them are as it writes them. What a summary replaces, it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec.structs import replace

from toolpair.formats.docker_agent.detection import ITEM, SESSION
from toolpair.formats.docker_agent.format import message_of_row, read
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

_SAYS: Final = frozenset({"role", "content", "created_at", "model", "usage", "cost", "finish_reason"})
_CALLS: Final = _SAYS | {"tool_calls"}
_RESULT: Final = frozenset({"role", "content", "created_at", "tool_call_id"})


class DockerAgentLight(Light):
    """Each row is a chat message."""

    native = True
    words_after = Light.words_after | {ANSWERED}

    def __init__(self) -> None:
        self._session: dict[str, Any] = {}
        self._model: str | None = None

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(ITEM)
        if row is None:
            if number or type(value.get(SESSION)) is not dict:
                raise Whole
            self._session = value
            return None
        if row["item_type"] != "message":
            if row["item_type"] != "subsession":
                raise Whole
            return None
        message = row["message_json"]
        role, said = message["role"], message["content"]
        if type(said) is not str:
            raise Odd
        if role == "tool":
            if not message.keys() <= _RESULT:
                raise Odd
            return USER, ((RESULT, message["tool_call_id"], said, "", False),), None
        if role != "assistant":
            if role != "user" or not message.keys() <= _SAYS:
                raise Odd
            return USER, ((TEXT, said),), None
        self._hear(message)
        calls = message.get("tool_calls")
        if not message.keys() <= _CALLS or (calls is not None and (type(calls) is not list or not calls)):
            raise Odd
        words = [(TEXT, said)] if said or not calls else []
        return MODEL, [*words, *map(chat_call, calls or ())], None

    def _hear(self, message: dict[str, Any]) -> None:
        model = message.get("model")
        self._model = model if type(model) is str and model else self._model

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        message = value[ITEM]["message_json"] if strict and ITEM in value else None
        if type(message) is not dict or ("tool_call_id" in message and message.get("role") != "tool"):
            raise Whole  # what answers a call in spite of its role depends on all calls
        self._hear(message)
        found = message_of_row(Item(number, value), ())
        return [block.id for block in found.blocks] if found is not None else (), 0

    def finish(self) -> Finding:
        head = replace(read([Item(0, self._session)]), model=self._model)
        return Finding(head=head, around=lambda first, end, count, records: FileFacts(head))


def light(view: View) -> Light | None:
    return DockerAgentLight() if view.reporting else None
