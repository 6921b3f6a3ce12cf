"""Quick reading of Kimi Code's events: which of them are as it writes them. Undos, branches and summaries it leaves.

Where a response begins, all before it has ended, whatever is missing there.
"""

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
from toolpair.formats.kimi_code.folding import BEGINS_ANEW
from toolpair.formats.kimi_code.history import form, read

_BIND: Final = "profile.bind"
_SAYS: Final = ("tool.call", "content.part")
_OTHERS: Final = ("tool.result", "step.begin", "step.end")


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
        """What is open afterwards does not depend on whether the event is left to the rules."""
        kind = event["type"]
        if kind == "tool.result":
            id_ = event["toolCallId"]
            self._waiting.remove(id_)
            result = event["result"]
            return USER, ((RESULT, id_, result["output"], "", result.get("isError") is True),), None
        if kind == "step.begin":
            self._end(event.get("uuid"))
            return BEGINS, (), True
        if kind == "step.end":
            if event.get("finishReason") in BEGINS_ANEW:
                raise Odd
            self._end(None)
            return None
        if kind not in _SAYS:
            raise Whole
        if self._step is None or event["stepUuid"] != self._step:
            raise Odd
        self._says = True
        if kind == "tool.call":
            id_ = event["toolCallId"]
            self._waiting.add(id_)
            if type(event["args"]) is not dict:
                raise Odd
            return MODEL, ((CALL, id_, event["name"], event["args"], ""),), self._step
        part = event["part"]
        if part["type"] == "think" and type(part["think"]) is str and part["think"].strip():
            return MODEL, ((THINKING, False, False),), self._step
        return MODEL, ((TEXT, _text(part)),), self._step

    def _end(self, step: Any) -> None:
        """The open response ends, and this one begins."""
        if self._step is not None and not self._says:
            raise Whole  # then what stands around it may be one message
        waits = bool(self._waiting)
        self._waiting.clear()
        self._step, self._says = step, False
        if waits:
            raise Odd

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        kind = value.get("type") if strict and type(value) is dict else None
        if kind == MESSAGE:
            return [block.id for block in form().reader.blocks(value, number)], 0
        if kind != EVENT:
            if kind is None:
                raise Whole
            return (), 0
        event = value["event"]
        if event["type"] not in (*_SAYS, *_OTHERS):
            raise Whole
        # Parts of a response that is not open are told of together.
        step = event.get("stepUuid")
        return (event.get("toolCallId"), step if step != self._step else None), 0

    def finish(self) -> Finding | None:
        return finding(read, None, self._begins[:1], PartFacts(self._begins[:1]))


def _text(part: Any) -> str:
    if part["type"] != "text" or len(part) != 2 or type(part["text"]) is not str:
        raise Odd
    return str(part["text"])


def light(view: View) -> KimiCodeLight | None:
    return KimiCodeLight() if view.reporting and view.leaf is None else None
