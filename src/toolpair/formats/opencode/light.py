"""Quick reading of opencode's and Kilo's rows: which of them are as they write them.

A message is a row, and rows of its parts, which follow it. What was summed up or undone is left to the whole, as are
rows out of order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects import opencode as dialect
from toolpair.formats.engine.reading.light import (
    BEGINS,
    CALL,
    HELD,
    MODEL,
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
)
from toolpair.formats.engine.reading.stored_rows import row_of
from toolpair.formats.format import FileFacts, Item, View
from toolpair.formats.opencode.detection import MESSAGE, PART, SESSION, model_of
from toolpair.formats.opencode.history import SessionFacts, session_in
from toolpair.formats.opencode.reading import read
from toolpair.formats.opencode.sending import sent_id
from toolpair.source.rows.layout import FACTS
from toolpair.transcript.id_shapes import sanitised

_LONG_ID: Final = "call_1234567890"
_NAMES: Final = frozenset({"type", "id", "sessionID", "messageID"})
_TEXT: Final = _NAMES | {"text", "time", "metadata", "synthetic"}
_OF_TOOL: Final = _NAMES | {"tool", "callID", "state", "metadata"}
_COMPLETED: Final = frozenset({"status", "input", "output", "title", "metadata", "time"})
_FAILED: Final = frozenset({"status", "input", "error", "metadata", "time"})


class OpencodeLight(Light):
    """A response begins with the row of its message; each call holds its result."""

    merged = True
    native = True
    words_after = Light.words_after | {WORDS}

    def __init__(self) -> None:
        self._session: dict[str, Any] = {}
        self._kilo = self._folder = False
        self._role: Any = None
        self._place: tuple[int, str] = (-1, "")
        """Of the message that is read: what messages are sorted by."""
        self._part = ""
        self._called = False
        """In this step of the response."""
        self._asked: Any = None
        self._answered: Any = None
        self._thinking: list[tuple[int, tuple[Any, Any]]] = []
        self._own: tuple[Any, Any] = (None, None)

    def read(self, value: Any, number: int) -> Event | None:
        if PART in value:
            return self._read_part(value[PART], number)
        if MESSAGE in value:
            return self._begin_message(value[MESSAGE])
        session = row_of(value, SESSION)
        facts = row_of(value, FACTS)
        self._folder, self._kilo = facts.get("folder") is True, facts.get("kilo") is True
        if number or not session or facts.get("strays") or (self._folder and type(session.get("data")) is not dict):
            raise Whole
        if isinstance(session_in(session).get("revert"), dict):
            raise Whole
        self._session = value
        return None

    def _begin_message(self, row: dict[str, Any]) -> Event | None:
        place = 0 if self._folder else row["time_created"], row["id"]
        info, before = row["data"], self._role
        if type(place[0]) is not int or type(place[1]) is not str or place <= self._place or not place[1]:
            raise Whole
        self._place, self._part, self._called, self._role = place, "", False, None
        if type(info) is not dict or info.get("time") is None or info.get("summary"):
            raise Whole
        role = info.get("role")
        self._own = info.get("providerID"), info.get("modelID")
        if role == "user":
            self._asked = info if type(info.get("model")) is dict else self._asked
        elif role == "assistant":
            self._answered = info if "providerID" in info else self._answered
        self._role = role
        if role == "assistant" and not info.get("error"):
            return BEGINS, (), True
        if role != "user" or before == "user":
            raise Odd
        return None

    def _read_part(self, row: dict[str, Any], number: int) -> Event | None:
        id_, data = row["id"], row["data"]
        if row["message_id"] != self._place[1] or type(id_) is not str or id_ <= self._part:
            raise Whole
        self._part = id_
        kind = data["type"]
        if self._role == "user":
            return self._of_user(data, kind)
        if self._role != "assistant":
            raise Odd
        if kind == "tool":
            event = _call(data)
            self._called = True
            return event
        if kind == "step-start":
            self._called = False
            return BEGINS, (), False
        if kind == "text":
            if self._called:
                raise Odd
            return MODEL, ((TEXT, self._words(data)),), SAME
        if kind == "reasoning":
            thought = dialect.thinking_of(data)
            if self._called or type(thought.get("thinking")) is not str:
                raise Odd
            self._thinking.append((number, self._own))
            return MODEL, ((THINKING, bool(thought.get("signature")), False),), SAME
        if type(kind) is not str:
            raise Odd
        return None

    def _words(self, data: dict[str, Any]) -> str:
        text = data["text"]
        if type(text) is not str or not data.keys() <= _TEXT or (self._kilo and "metadata" in data):
            raise Odd
        return text

    def _of_user(self, data: dict[str, Any], kind: Any) -> Event:
        if kind == "compaction":
            raise Whole
        if kind != "text":
            raise Odd
        return USER, ((TEXT, self._words(data)),), None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or not self._session:
            raise Whole
        data = dialect.data_of(value)
        if dialect.data_of(value, MESSAGE).get("summary") or data.get("type") == "compaction":
            raise Whole
        return ((data["callID"],) if "callID" in data else ()), data.get("type") == "reasoning"

    def finish(self) -> Finding | None:
        model = model_of([self._answered, self._asked])
        if sent_id(_LONG_ID, model) != _LONG_ID:
            return None  # ids that go out shorter may become the same
        facts = SessionFacts(session_in(row_of(self._session, SESSION)), self._kilo, self._folder, model)
        head = read([Item(0, self._session)], View(surroundings=FileFacts(read(()), agent_facts=facts)))
        return Finding(
            [number for number, own in self._thinking if own != model],
            head=head,
            around=lambda first, end, count, records: FileFacts(head, agent_facts=facts),
        )


def _call(data: dict[str, Any]) -> Event:
    id_, state = data["callID"], data["state"]
    metadata = data.get("metadata")
    if not data.keys() <= _OF_TOOL or type(id_) is not str or sanitised(id_) != id_ or dialect.is_of_provider(data):
        raise Odd
    if type(state["input"]) is not dict or (metadata is not None and type(metadata) is not dict):
        raise Odd
    time = state["time"]
    if state["status"] == "completed":
        text = state["output"]
        if not state.keys() <= _COMPLETED or "compacted" in time:
            raise Odd
    else:
        text = state["error"]
        if state["status"] != "error" or not state.keys() <= _FAILED or "interrupted" in (state.get("metadata") or ()):
            raise Odd
    if type(text) is not str or type(time) is not dict:
        raise Odd
    return HELD, ((CALL, id_, data["tool"], state["input"], ""),), text


def light(view: View) -> Light | None:
    return OpencodeLight() if view.reporting else None
