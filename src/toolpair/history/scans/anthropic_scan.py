"""Anthropic messages: which of them cannot be a problem, told from their values alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolpair.formats.list_evidence import ANTHROPIC
from toolpair.history.scans.list_scan import ANSWERED, ANSWERS, ASKS, CALLS, ODD, SAYS, ListScan
from toolpair.history.scans.plain_keys import CALL_KEYS, RESULT_KEYS
from toolpair.rules.crossed import may_be_crossed

_THINKING: Final = frozenset({"type", "thinking", "signature"})


class BlocksScan(ListScan):
    """Results are blocks of the user's message behind their calls."""

    shape = ANTHROPIC

    def kind(self, value: Any, before: int) -> int:
        if type(value) is not dict or len(value) != 2:
            return ODD
        role, content = value.get("role"), value.get("content")
        if role == "user":
            if before == CALLS:
                return ANSWERS if type(content) is list and self._answers(content) else ODD
            if before in ANSWERED:
                return ODD
            return ASKS if self.words(content) else ODD
        if role == "assistant" and (before in ANSWERED or before == ODD):
            return self._response(content)
        return ODD

    def _response(self, content: Any) -> int:
        if type(content) is str:
            return SAYS if self.said(content) else ODD
        if type(content) is not list or not content:
            return ODD
        asked: list[str] = []
        given: list[Any] = []
        signed = 0
        for part in content:
            if type(part) is not dict:
                return ODD
            kind = part.get("type")
            if kind == "tool_use":
                id_, input_ = part.get("id"), part.get("input")
                if (
                    type(id_) is not str
                    or type(input_) is not dict
                    or not (len(part) == 4 or part.keys() <= CALL_KEYS)
                    or not self.fits(id_, part.get("name"))
                ):
                    return ODD
                asked.append(id_)
                given.append(input_)
            elif asked:
                return ODD  # calls come last
            elif kind == "text":
                if not self.text(part):
                    return ODD
            elif kind == "thinking":
                if not part.get("signature") or type(part.get("thinking")) is not str or not part.keys() <= _THINKING:
                    return ODD
                signed += 1
            else:
                return ODD
        if len(asked) > 1 and len(set(asked)) < len(asked):
            return ODD
        self.signed += signed
        if asked:
            return self.calling(asked, given)
        self.listed = True
        self.thought += bool(signed)
        return SAYS

    def _answers(self, content: Sequence[Any]) -> bool:
        """Whether these are the results of the calls before, each of them, in their order, and nothing else."""
        asked = self.asked
        if len(content) != len(asked):
            return False
        texts: list[str] = []
        for id_, part in zip(asked, content, strict=True):
            if (
                type(part) is not dict
                or part.get("type") != "tool_result"
                or part.get("tool_use_id") != id_
                or not part.keys() <= RESULT_KEYS
            ):
                return False
            sound = part.get("is_error") is not True
            text = self.output(part.get("content"), may_be_empty=sound, images=sound)
            if text is None:
                return False
            texts.append(text)
        return len(asked) == 1 or not may_be_crossed(self.given, texts)

    def note_all(self, value: Any) -> None:
        content = value.get("content") if isinstance(value, dict) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict):
                self.note(part.get("id"))
                self.note(part.get("tool_use_id"))
                if part.get("type") in ("thinking", "redacted_thinking"):
                    self.signed += bool(part.get("signature" if part["type"] == "thinking" else "data"))
