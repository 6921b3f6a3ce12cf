"""Quick reading of rows of the Agents SDK: which items are as the SDK stores them. All others it leaves."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.formats.agents_sdk.detection import DATA, MESSAGES, SESSIONS
from toolpair.formats.agents_sdk.format import read
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    SAME,
    TEXT,
    THINKING,
    USER,
    WORDS,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
    parsed,
)
from toolpair.formats.format import FileFacts, Item, View

_KEYS: Final = {
    "message": frozenset({"type", "id", "status", "role", "content", "phase"}),
    "reasoning": frozenset({"type", "id", "status", "summary", "content", "encrypted_content"}),
    "function_call": frozenset({"type", "id", "status", "call_id", "name", "arguments"}),
    "function_call_output": frozenset({"type", "call_id", "output"}),
}
_BEGINS: Final = {"message": "msg_", "reasoning": "rs_", "function_call": "fc_"}
"""Item type -> what its ids begin with."""
_PART: Final = frozenset({"type", "text", "annotations", "logprobs"})
_LONGEST_ID: Final = 64


class AgentsSdkLight(Light):
    """Each row is an item of the Responses API."""

    calls_last = False
    as_items = True
    words_after = Light.words_after | {WORDS, ANSWERED}

    def __init__(self) -> None:
        self._session: dict[str, Any] = {}
        self._called = self._spoke = False
        """The last item is a call; some item is the model's."""
        self._ids, self._ids_at = array("q"), array("q")
        """Hashes of all ids of items, and their record numbers."""

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(MESSAGES)
        if row is None:
            if number or type(value.get(SESSIONS)) is not dict:
                raise Whole
            self._session = value
            return None
        item = row[DATA]
        kind = item.get("type", "message")
        if not item.keys() <= _KEYS[kind] or item.get("status", "completed") != "completed":
            raise Odd
        called, self._called = self._called, kind == "function_call"
        if kind == "function_call_output":
            if type(item["output"]) is not str:
                raise Odd
            return USER, ((RESULT, item["call_id"], item["output"], "function", False),), None
        if kind == "message" and item["role"] == "user":
            if len(item) > 2 + ("type" in item):
                raise Odd
            return USER, _words(item["content"], "input_text"), None
        self._spoke = True
        if "id" in item:
            self._name(item["id"], kind, number)
        if kind == "function_call":
            return MODEL, ((CALL, item["call_id"], item["name"], parsed(item["arguments"]), "function"),), SAME
        if kind == "reasoning":
            return MODEL, (_thought(item),), SAME
        if called or item["role"] != "assistant" or item.get("phase") not in (None, "commentary", "final_answer"):
            raise Odd
        return MODEL, _words(item["content"], "output_text"), SAME

    def _name(self, id_: Any, kind: str, number: int) -> None:
        if type(id_) is not str or not id_.startswith(_BEGINS[kind]) or len(id_) > _LONGEST_ID:
            raise Odd
        self._ids.append(hash(id_))
        self._ids_at.append(number)

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        item = value[MESSAGES].get(DATA) if strict and MESSAGES in value else None
        if type(item) is not dict or item.get("type") not in (None, *_KEYS):
            raise Whole
        self._called = False
        id_ = item.get("id")
        if type(id_) is str and (not self._ids_at or self._ids_at[-1] != number):
            self._ids.append(hash(id_))
            self._ids_at.append(number)
        return (item.get("call_id"), id_), 0

    def finish(self) -> Finding | None:
        if not self._spoke:
            return None  # what it goes on with is stored elsewhere
        head = read([Item(0, self._session)])
        return Finding(joined=self._copies(), head=head, around=lambda first, end, count, records: FileFacts(head))

    def _copies(self) -> list[tuple[int, int]]:
        """Pairs of items with the same id: the SDK sends one of them."""
        first: dict[int, int] = {}
        pairs = ((first.setdefault(id_, at), at) for id_, at in zip(self._ids, self._ids_at, strict=True))
        return [(known, at) for known, at in pairs if known != at]


def _words(content: Any, kind: str) -> Sequence[tuple[Any, ...]]:
    if type(content) is str:
        return ((TEXT, content),)
    if type(content) is not list or not content:
        raise Odd
    for part in content:
        if part["type"] != kind or not part.keys() <= _PART or part.get("annotations") or type(part["text"]) is not str:
            raise Odd
    return ((TEXT, content[0]["text"]),)


def _thought(item: dict[str, Any]) -> tuple[Any, ...]:
    if type(item["summary"]) is not list or item.get("content"):
        raise Odd
    for part in item["summary"]:
        if part["type"] != "summary_text" or len(part) != 2 or type(part["text"]) is not str:
            raise Odd
    if type(item.get("encrypted_content", "")) is not str:
        raise Odd
    return THINKING, 0, "id" in item


def light(view: View) -> Light | None:
    return AgentsSdkLight() if view.reporting else None
