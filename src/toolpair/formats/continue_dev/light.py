"""Quick reading of Continue's entries: which of them are as it writes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.dialects import continue_dev as dialect
from toolpair.formats.continue_dev.detection import CONTEXT
from toolpair.formats.continue_dev.history import read
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    EXCHANGES,
    MODEL,
    TEXT,
    USER,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
    chat_call,
    dicts_in,
)
from toolpair.formats.engine.reading.part_light import finding
from toolpair.formats.engine.reading.part_of_file import PartFacts
from toolpair.formats.format import View


class ContinueLight(Light):
    """A response holds its results. The extension writes each of them again, as an entry of its own."""

    native = True
    words_after = Light.words_after | {ANSWERED}

    def __init__(self) -> None:
        self._model: str | None = None
        self._answered = False
        """The newest response holds a result for each of its calls."""
        self._copies: list[int] = []

    def read(self, value: Any, number: int) -> Event | None:
        message, context = value[dialect.MESSAGE], value[CONTEXT]
        role, text = message["role"], message["content"]
        states = dialect.states_of(value)
        if role == "tool" and self._answered and dialect.is_of_extension(value) and not states:
            self._copies.append(number)
            return None
        self._answered = False
        usage = message.get("usage")
        if usage is not None and type(usage.get("model")) is str:
            self._model = usage["model"]
        if type(text) is not str or type(context) is not list or None in context:
            raise Odd
        if role == "user" and not states and "toolCalls" not in message:
            return USER, ((TEXT, text),), None
        if role != "assistant":
            raise Odd
        calls = message.get("toolCalls")
        parts: list[tuple[Any, ...]] = [(TEXT, text)] if text or not calls else []
        if calls:
            if type(calls) is not list:
                raise Odd
            parts += map(chat_call, calls)
        if not states:
            return MODEL, parts, None
        outputs = [dialect.output_of(state) for state in states if dialect.has_output(state)]
        if [state["toolCallId"] for state in states] != [call["id"] for call in calls] or len(outputs) < len(calls):
            raise Odd
        if any(None in state["output"] for state in states):
            raise Odd
        self._answered = True
        given = [part[3] for part in parts[-len(calls) :]]
        return EXCHANGES, parts, ([(given, outputs)], 1 + len(calls), True)

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        message = dialect.message_of(value)
        if not strict or message is None:
            raise Whole
        states = dialect.states_of(value)
        self._answered = bool(states) and all(isinstance(one, dict) and dialect.has_output(one) for one in states)
        ids = [message.get("toolCallId"), *(state.get("toolCallId") for state in dicts_in(states))]
        return [*ids, *(call.get("id") for call in dicts_in(message.get("toolCalls")))], 0

    def finish(self) -> Finding | None:
        found = finding(read, None, (), PartFacts(model=self._model))
        found.superseded = self._copies
        return found


def light(view: View) -> Light | None:
    return ContinueLight() if view.reporting and view.leaf is None else None
