"""Chat messages: which of them cannot be a problem, told from their values alone."""

from __future__ import annotations

from typing import Any, Final

import orjson

from toolpair.formats.list_evidence import CHAT
from toolpair.history.scans.list_scan import ANSWERED, ANSWERING, ANSWERS, ASKS, CALLS, ODD, SAYS, START, ListScan
from toolpair.rules.crossed import may_be_crossed

_WAITING: Final = frozenset({CALLS, ANSWERING})


class ChatScan(ListScan):
    """Each result is a message of its own."""

    shape = CHAT
    _answered = 0
    _texts: list[str]

    def kind(self, value: Any, before: int) -> int:
        if type(value) is not dict:
            return ODD
        role, content = value.get("role"), value.get("content")
        if role == "tool":
            return self._answer(value, content) if before in _WAITING else ODD
        if before in _WAITING:
            return ODD
        if role == "user":
            return ASKS if len(value) == 2 and before != ASKS and self.words(content) else ODD
        if role == "assistant" and (before in ANSWERED or before == ODD):
            return self._response(value, content)
        if role == "system" and before == START:
            return START if len(value) == 2 and type(content) is str and self.said(content) else ODD
        return ODD

    def _response(self, value: dict[str, Any], content: Any) -> int:
        calls = value.get("tool_calls")
        if calls is None:
            return SAYS if len(value) == 2 and type(content) is str and self.said(content) else ODD
        if type(calls) is not list or not calls or len(value) != 3 or "content" not in value:
            return ODD
        if content is not None and not (type(content) is str and self.said(content)):
            return ODD
        asked: list[str] = []
        given: list[Any] = []
        for call in calls:
            if type(call) is not dict or len(call) != 3 or call.get("type") != "function":
                return ODD
            id_: Any = call.get("id")
            function = call.get("function")
            if type(function) is not dict or len(function) != 2:
                return ODD
            raw = function.get("arguments")
            if type(raw) is not str or not self.fits(id_, function.get("name")):
                return ODD
            try:
                parsed = orjson.loads(raw)
            except ValueError:
                return ODD
            if type(parsed) is not dict:
                return ODD
            asked.append(id_)
            given.append(parsed)
        if len(asked) > 1 and len(set(asked)) < len(asked):
            return ODD
        self._answered, self._texts = 0, []
        return self.calling(asked, given)

    def _answer(self, value: dict[str, Any], content: Any) -> int:
        number = self._answered
        if len(value) != 3 or "content" not in value or value.get("tool_call_id") != self.asked[number]:
            return ODD
        text = self.output(content, may_be_empty=False)
        if text is None:
            return ODD
        self._answered = number = number + 1
        self._texts.append(text)
        if number < len(self.asked):
            return ANSWERING
        return ODD if number > 1 and may_be_crossed(self.given, self._texts) else ANSWERS

    def note_all(self, value: Any) -> None:
        if not isinstance(value, dict):
            return
        self.note(value.get("tool_call_id"))
        calls = value.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                self.note(call.get("id"))
