"""Quick reading of Kimi Code's events: which of them are as it writes them. Undos, branches and summaries it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.formats.engine.reading.light import (
    ANSWERED,
    BEGINS,
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
from toolpair.formats.engine.reading.part_light import finding
from toolpair.formats.engine.reading.part_of_file import PartFacts
from toolpair.formats.format import Item, View
from toolpair.formats.kimi_code.detection import CLEAR, EVENT, MESSAGE, SUMMARY, SWITCH, UNDO
from toolpair.formats.kimi_code.history import form, read

_BIND: Final = "profile.bind"


class KimiCodeLight(Light):
    """Each line is a part of a response, a result, or a user's message; the others say nothing to the model."""

    native = True
    merged = True
    words_after = Light.words_after | {ANSWERED}

    def __init__(self) -> None:
        self._begins: list[Item] = []
        self._step: Any = None
        self._waiting: set[str] = set()
        self._says = False
        """The response has said or called something."""

    def read(self, value: Any, number: int) -> Event | None:
        kind = value["type"]
        if kind == EVENT:
            return self._happened(value["event"])
        if kind == MESSAGE:
            message = value["message"]
            if message["role"] != "user" or message["toolCalls"] or self._waiting:
                raise Odd
            return USER, [(TEXT, _text(part)) for part in message["content"]], None
        if kind in (SUMMARY, UNDO, CLEAR, SWITCH):
            raise Whole
        if kind == _BIND:
            self._begins.append(Item(number, value))
        return None

    def _happened(self, event: dict[str, Any]) -> Event | None:
        kind = event["type"]
        if kind == "tool.result":
            result = event["result"]
            self._waiting.remove(event["toolCallId"])
            failed = result.get("isError") is True
            return USER, ((RESULT, event["toolCallId"], result["output"], "", failed),), None
        if kind == "step.begin":
            if self._waiting or (self._step is not None and not self._says):
                raise Whole
            self._step, self._says = event["uuid"], False
            return BEGINS, (), True
        if kind == "step.end":
            if self._waiting or not self._says or event["finishReason"] in ("interrupted", "error"):
                raise Whole
            self._step = None
            return None
        if self._step is None or event["stepUuid"] != self._step:
            raise Whole
        self._says = True
        if kind == "tool.call":
            if type(event["args"]) is not dict:
                raise Odd
            self._waiting.add(event["toolCallId"])
            return MODEL, ((CALL, event["toolCallId"], event["name"], event["args"], ""),), self._step
        if kind != "content.part":
            raise Whole
        part = event["part"]
        if part["type"] == "think" and type(part["think"]) is str and part["think"].strip():
            return MODEL, ((THINKING, False, False),), self._step
        return MODEL, ((TEXT, _text(part)),), self._step

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        kind = value.get("type") if strict and type(value) is dict else None
        if kind == EVENT or kind is None:
            raise Whole  # what is in a response depends on all of it
        return [block.id for block in form().reader.blocks(value, number)] if kind == MESSAGE else (), 0

    def finish(self) -> Finding | None:
        return finding(read, None, self._begins[:1], PartFacts(self._begins[:1]))


def _text(part: Any) -> str:
    if part["type"] != "text" or len(part) != 2 or type(part["text"]) is not str:
        raise Odd
    return str(part["text"])


def light(view: View) -> KimiCodeLight | None:
    return KimiCodeLight() if view.reporting and view.leaf is None else None
