"""Quick reading of OpenClaw's rows: which of them are as it writes them, in the order of its list of the history.

Whatever that list, its counts and the links do not say alike is left to the whole, as are compactions and branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects import pi as dialect
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    TEXT,
    THINKING,
    USER,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
)
from toolpair.formats.format import FileFacts, Item, View
from toolpair.formats.openclaw.rows import (
    ELIGIBLE,
    EVENTS,
    MESSAGE_POSITION,
    NAMED,
    POSITION,
    RECORD,
    STATE,
    WINDOW,
    SessionFacts,
    read,
)
from toolpair.formats.pi_family.history import Model

_BESIDE: Final = frozenset({"model_change", "thinking_level_change", "custom", "label", "session_info"})
"""Types of records that say nothing to the model."""
_RECORD: Final = frozenset({"type", "id", "parentId", "timestamp", "message"})
_SAID: Final = frozenset({"role", "content", "timestamp"})
_RESPONSE: Final = _SAID | {"api", "provider", "model", "usage", "stopReason", "responseId", "responseModel"}
_RESULT: Final = _SAID | {"toolCallId", "toolName", "isError", "details"}
_CALL: Final = frozenset({"type", "id", "name", "arguments"})
_THINKING: Final = frozenset({"type", "thinking", "thinkingSignature"})
_TEXT: Final = frozenset({"type", "text", "textSignature"})


class OpenClawLight(Light):
    """Results in a row are one message; a row follows the one before it in the list."""

    merged = True
    native = True
    results_apart = True
    words_after = Light.words_after | {ANSWERED}

    def __init__(self) -> None:
        self._window: Any = None
        self._state: dict[str, Any] = {}
        self._header: Item | None = None
        self._listed = self._messages = 0
        self._seq = -1
        self._last: str | None = None
        self._names: set[int] = set()
        """Hashes of the records' ids."""
        self._at = -1
        """The newest row that stands where it has to."""
        self._model: Model = (None, None, None)
        self._thinking: list[tuple[int, Model]] = []

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(EVENTS)
        if row is None:
            self._begin(value, number)
            return None
        record = row[RECORD]
        if self._header is None:
            self._begin_history(row, record, value, number)
            return None
        kind = record["type"]
        message = record.get("message")
        if kind not in _BESIDE if message is None else kind != "message":
            raise Whole
        self._place(row, record, message, number)
        if kind != "message":
            return None
        if not record.keys() <= _RECORD:
            raise Odd
        role, content = message["role"], message["content"]
        if type(content) is not list or not content:
            raise Odd
        if role == "assistant":
            return MODEL, self._said(message, content, number), None
        if role == "user":
            if not message.keys() <= _SAID:
                raise Odd
            return USER, [(TEXT, _words(part)) for part in content], None
        if role != dialect.RESULT or not message.keys() <= _RESULT or type(message["isError"]) is not bool:
            raise Odd
        if type(message["toolName"]) is not str:
            raise Odd
        return USER, ((RESULT, message["toolCallId"], "\n".join(map(_words, content)), "", False),), None

    def _begin(self, value: Any, number: int) -> None:
        known = value.get(WINDOW if not number else STATE)
        if number > 1 or type(known) is not dict:
            raise Whole
        if number:
            self._state = known
        else:
            self._window = value

    def _begin_history(self, row: dict[str, Any], record: Any, value: Any, number: int) -> None:
        """The row that says which session it is."""
        is_header = type(record) is dict and record.get("type") == "session" and type(record.get("id")) is str
        if not is_header or not self._state or type(row["seq"]) is not int or record.get("version", 1) in (None, 0, 1):
            raise Whole
        if any(row.get(name) is not None for name in (POSITION, MESSAGE_POSITION, ELIGIBLE)):
            raise Whole
        self._header, self._seq = Item(number, value), row["seq"]

    def _place(self, row: dict[str, Any], record: dict[str, Any], message: Any, number: int) -> None:
        """Raise Whole for a row that does not follow the one before it, by what all tables say."""
        id_, has = record["id"], "message" in record
        place = self._listed, self._messages if has else None, 1, id_
        if (row[POSITION], row[MESSAGE_POSITION], row[ELIGIBLE], row[NAMED]) != place or hash(id_) in self._names:
            raise Whole
        if type(id_) is not str or not id_.strip() or record.get("parentId") != self._last or "appendMode" in record:
            raise Whole
        if type(row["seq"]) is not int or row["seq"] <= self._seq or (has and "excludeFromContext" in message):
            raise Whole
        self._names.add(hash(id_))
        self._listed, self._messages, self._seq, self._last = self._listed + 1, self._messages + has, row["seq"], id_
        if has and message.get("role") == "assistant":
            self._model = message.get("provider"), message.get("api"), message.get("model")
        self._at = number

    def _said(self, message: dict[str, Any], content: Sequence[Any], number: int) -> list[tuple[Any, ...]]:
        if not message.keys() <= _RESPONSE or message.get("stopReason") in ("error", "aborted"):
            raise Odd
        parts: list[tuple[Any, ...]] = []
        for part in content:
            kind = part["type"]
            if kind == "toolCall":
                if part.keys() != _CALL or type(part["arguments"]) is not dict:
                    raise Odd
                parts.append((CALL, dialect.short_id(part["id"], self._model[1]), part["name"], part["arguments"], ""))
            elif kind == "thinking":
                if not part.keys() <= _THINKING or type(part["thinking"]) is not str:
                    raise Odd
                self._thinking.append((number, self._model))
                parts.append((THINKING, bool(part.get("thinkingSignature")), False))
            else:
                parts.append((TEXT, _words(part)))
        return parts

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or self._at != number:
            raise Whole
        message = value[EVENTS][RECORD].get("message")
        if type(message) is not dict:
            raise Whole
        content = message.get("content")
        parts = [part for part in content if type(part) is dict] if type(content) is list else []
        ids = [message.get("toolCallId"), message.get("tool_use_id")]
        for part in parts:
            ids += part.get("id"), part.get("tool_use_id"), part.get("call_id"), part.get("tool_call_id")
        short = [dialect.short_id(id_, api) for id_ in ids for api in (None, *dialect.JOINED[:1])]
        return short, sum(bool(part.get("thinkingSignature")) for part in parts)

    def finish(self) -> Finding | None:
        counts = {
            "indexed_seq": self._seq,
            "leaf_event_id": self._last,
            "needs_rebuild": 0,
            "active_event_count": self._listed,
            "active_message_count": self._messages,
        }
        if self._header is None or not self._listed or not counts.items() <= self._state.items():
            return None
        facts = SessionFacts(self._header, self._model)
        head = read([Item(0, self._window), self._header], View(surroundings=FileFacts(read(()), agent_facts=facts)))
        return Finding(
            [number for number, own in self._thinking if own != self._model],
            head=head,
            around=lambda first, end, count, records: FileFacts(head, agent_facts=facts),
        )


def _words(part: Any) -> str:
    text = part["text"]
    if part["type"] != "text" or not part.keys() <= _TEXT or type(text) is not str:
        raise Odd
    return text


def light(view: View) -> Light | None:
    return OpenClawLight() if view.reporting and view.leaf is None else None
