"""Quick reading of Gemini CLI's log: which messages are as it writes them. Rewinds and new lists it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects import gemini as dialect
from toolpair.dialects.anthropic import is_signed
from toolpair.formats.engine.reading.gemini_parts import call_in, result_in, words_in
from toolpair.formats.engine.reading.light import (
    BEGINS,
    EXCHANGES,
    MODEL,
    TEXT,
    USER,
    WORDS,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
)
from toolpair.formats.engine.reading.part_light import finding
from toolpair.formats.engine.reading.part_of_file import PartFacts
from toolpair.formats.format import Item, View
from toolpair.formats.gemini_cli.detection import is_header, is_of_log
from toolpair.formats.gemini_cli.history import TALK, read
from toolpair.formats.gemini_cli.left_out import is_left_out

_USER: Final = frozenset({"id", "timestamp", "type", "content"})
_RESPONSE: Final = _USER | {"thoughts", "tokens", "model", "toolCalls"}
_CALL: Final = frozenset(
    {
        *("id", "name", "args", "status", "timestamp", "result"),
        *("resultDisplay", "description", "displayName", "renderOutputAsMarkdown"),
    }
)


class GeminiLight(Light):
    """A response is written without its calls first, and again with them and their results."""

    merged = True
    native = True
    words_after = Light.words_after | {WORDS}
    sends = frozenset(TALK)

    def __init__(self) -> None:
        self._header: list[Item] = []
        self._listed = False
        self._ids: set[int] = set()
        """Hashes of the messages' ids."""
        self._last: Any = None
        """The newest message."""
        self._at = -1
        self._model: str | None = None
        self._tools: dict[Any, Any] = {}
        """The names of the tools that the last response calls, by the ids of their calls."""
        self._superseded: list[int] = []
        """Messages that are not sent, since they were written again or say nothing."""
        self._text: Any = None
        """What the last response says, if it may still be written with calls."""

    def read(self, value: Any, number: int) -> Event | None:
        if not number:
            self._listed = not is_of_log(value)
            if not self._listed:
                if not is_header(value) or value.keys() & {"id", "messages", "$set", "$rewindTo"}:
                    raise Whole
                self._header.append(Item(number, value))
                return None
        kind = value.get("type")
        if is_of_log(value):
            self._beside(value, number)
            return None
        again = self._place(value, number)
        if kind == "user":
            self._text = None
            return self._asked(value, again)
        if kind == "gemini":
            return self._said(value, again, number)
        self._text = None
        return None

    def _beside(self, value: dict[str, Any], number: int) -> None:
        """A line that is no message."""
        given = value.get("$set")
        if self._listed or "id" in value or "$rewindTo" in value:
            raise Whole
        if given is None:
            header = self._header[0].value
            same = all(value.get(key) == header[key] for key in ("sessionId", "projectHash"))
            if not same or "messages" in value:
                raise Whole
        elif given.keys() != {"lastUpdated"}:
            messages = given["messages"]
            if number != 1 or given.keys() != {"lastUpdated", "messages"} or type(messages) is not list:
                raise Whole
            for message in messages:
                self._place(message, number)
            raise Odd  # what the agent tells the model before the user does

    def _place(self, value: dict[str, Any], number: int) -> bool:
        """Whether the message is the one before, written again. Raises Whole for another that was there before."""
        if self._listed:
            self._at, model = number, value.get("model")
            self._model = model if isinstance(model, str) else self._model
            return False
        id_, model, last = value["id"], value.get("model"), self._last
        if type(id_) is not str:
            raise Whole
        known = len(self._ids)
        self._ids.add(hash(id_))
        again = len(self._ids) == known
        if again and (last is None or last["id"] != id_ or last.get("type") != value.get("type")):
            raise Whole
        if isinstance(model, str):
            self._model = model
        if again and last.get("model") != model:
            raise Whole
        if again and last["content"]:
            self._superseded.append(self._at)
        self._last, self._at = value, number
        return again

    def _asked(self, value: dict[str, Any], again: bool) -> Event:
        content = value["content"]
        if again or not value.keys() <= _USER or is_left_out(content):
            raise Odd
        if type(content) is str:
            return USER, ((TEXT, content),), None
        if type(content) is list and "functionResponse" in content[0]:
            if not self._tools:
                raise Whole  # the result stands beside its call, too: how often says what it comes from
            return USER, [result_in(part, self._tools) for part in content], None
        return USER, list(map(words_in, content)), None

    def _said(self, value: dict[str, Any], again: bool, number: int) -> Event | None:
        text, before, calls = value["content"], self._text, value.get("toolCalls")
        self._text, self._tools = None, {}
        if type(text) is not str or not value.keys() <= _RESPONSE or (again and text != before):
            raise Odd
        id_ = value.get("id")
        parts = [(TEXT, text)] if text and not again else []
        if not calls:
            self._text = text
            if not text:
                self._superseded.append(number)
            if calls is not None and type(calls) is not list:
                raise Odd
            if again:
                return None
            return (MODEL, parts, id_) if parts else (BEGINS, (), True)
        names: dict[Any, Any] = {}
        results = []
        for call in calls:
            parts.append(call_in(call, _CALL))
            names[call["id"]] = call["name"]
            if result := call.get("result"):
                if type(result) is not list or len(result) != 1:
                    raise Odd
                results.append(result_in(result[0], {call["id"]: call["name"]})[2])
        if not results:
            self._tools = names
            return MODEL, parts, id_
        if len(results) != len(calls):
            raise Odd
        return EXCHANGES, parts, ([([call["args"] for call in calls], results)], 2, True, id_)

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or self._at != number:
            raise Whole
        given = value.get("$set")
        messages = [value] if given is None else given["messages"]
        found = [block for message in messages for block in dialect.blocks_of(message.get("content"), 0, ())]
        calls = [call for message in messages for call in message.get("toolCalls") or () if isinstance(call, dict)]
        for call in calls:
            found += dialect.blocks_of(call.get("result"), 0, ())
        ids = [*(block.id for block in found), *(call.get("id") for call in calls)]
        if not all(type(id_) is str and id_ for id_ in ids if id_ is not None):
            raise Whole
        return ids, sum(block.kind == "thinking" and is_signed(block) for block in found)

    def finish(self) -> Finding | None:
        if self._at < 0:
            return None
        found = finding(read, None, self._header, PartFacts(self._header, self._model))
        found.superseded = self._superseded
        return found


def light(view: View) -> Light | None:
    return GeminiLight() if view.reporting and view.leaf is None else None
