"""Quick reading of Copilot CLI's events: which of them are as it writes them. Sub-agents and compactions it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.dialects import copilot as dialect
from toolpair.formats.copilot_cli.detection import ABORT, ASKED, RESUME, START, USAGE, profile_in
from toolpair.formats.copilot_cli.events import is_filled, is_id, is_time
from toolpair.formats.copilot_cli.history import Continues, read
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    TEXT,
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


class CopilotLight(Light):
    """Results in a row are one message. With one event that lacks something, the agent loads none of them."""

    merged = True
    native = True
    results_apart = True
    words_after = Light.words_after | {ANSWERED}
    sends = frozenset(dialect.ROLES)

    def __init__(self) -> None:
        self._start: list[Item] = []
        self._last: str | None = None
        self._at = -1
        self._model: str | None = None
        self._api: str | None = None
        self._waiting = 0
        """How many calls of the last response have no result yet."""

    def read(self, value: Any, number: int) -> Event | None:
        kind, data = value["type"], value["data"]
        if not number:
            if kind != START:
                raise Whole
            self._start.append(Item(number, value))
        self._take(value, kind, number)
        if kind == dialect.RESULT:
            self._waiting -= 1
            if "toolName" in data:
                raise Odd
            return USER, ((RESULT, data["toolCallId"], dialect.output_of(data), "", False),), None
        if kind == dialect.RESPONSE:
            return self._said(value, data)
        if kind == dialect.USER:
            attached = data.get(dialect.ATTACHED)
            if isinstance(attached, list) and any(map(dialect.is_media, attached)):
                raise Whole  # an image may be in an event anywhere
            return USER, ((TEXT, data[dialect.user_key(data)]),), None
        if kind == USAGE:
            self._api = profile_in(value) or self._api
        elif kind == ASKED or (kind == dialect.SUMMARY and data["success"]):
            raise Whole
        elif kind in (ABORT, RESUME) and self._waiting > 0:
            raise Odd  # no result is taken from here on
        return None

    def _take(self, value: dict[str, Any], kind: Any, number: int) -> None:
        """Raises Whole for an event that the agent does not accept, or that is of a sub-agent."""
        id_, parent, data = value["id"], value["parentId"], value["data"]
        if type(kind) is not str or type(data) is not dict or not (is_id(id_) and is_time(value["timestamp"])):
            raise Whole
        if parent != self._last and not (number and (parent is None or is_id(parent))):
            raise Whole
        if "agentId" in value or "parentToolCallId" in data or not is_filled(kind, data):
            raise Whole
        self._last, self._at = id_, number

    def _said(self, value: dict[str, Any], data: dict[str, Any]) -> Event | None:
        text, calls = data["content"], data.get(dialect.CALLS) or ()
        self._waiting = len(calls)
        self._api = profile_in(value) or self._api
        if not text and not calls:
            return None
        model = data.get("model")
        self._model = model if type(model) is str and model else self._model
        parts: list[tuple[Any, ...]] = [(TEXT, text)] if text else []
        for call in calls:
            given = call["arguments"]
            if type(given) is not dict:
                raise Odd
            parts.append((CALL, call["toolCallId"], call["name"], given, ""))
        return MODEL, parts, None

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or self._at != number:
            raise Whole
        kind = value["type"]
        ids = [block.id for block in dialect.blocks_of(kind, value["data"], 0, {})] if kind in dialect.ROLES else []
        return ids, 0

    def finish(self) -> Finding | None:
        if not self._start:
            return None
        selected = self._start[0].value["data"].get("selectedModel")
        model = self._model or (selected if type(selected) is str else None)
        facts = PartFacts(self._start, Continues(model, self._api))
        return finding(read, None, self._start, facts)


def light(view: View) -> Light | None:
    return CopilotLight() if view.reporting and view.leaf is None else None
