"""Quick reading of chat messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.formats.engine.detection.list_evidence import CHAT
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    HEAD,
    MODEL,
    RESULT,
    TEXT,
    TEXT_KEYS,
    USER,
    Event,
    Light,
    Odd,
    chat_call,
    dicts_in,
    texts_of,
)
from toolpair.formats.format import View
from toolpair.formats.lists.light import ListLight


class ChatLight(ListLight):
    """Each result is a separate message."""

    shape = CHAT
    words_after = Light.words_after | {ANSWERED}

    def read(self, value: Any, number: int) -> Event:
        role, content = value["role"], value["content"]
        if role == "tool":
            said = content if type(content) is str else texts_of(content)
            if not said or len(value) != 3:
                raise Odd
            return self.event(number, USER, ((RESULT, value["tool_call_id"], said, "", False),), tells=True)
        words = [] if content is None and role == "assistant" else [(TEXT, content)]
        if role == "assistant" and "tool_calls" in value:
            calls = value["tool_calls"]
            if type(calls) is not list or not calls or len(value) != 3 or (words and type(content) is not str):
                raise Odd
            return self.event(number, MODEL, [*words, *map(chat_call, calls)], calls=True, tells=True)
        if len(value) != 2 or not content:
            raise Odd
        if type(content) is str:
            who = USER if role == "user" else MODEL if role == "assistant" else HEAD if role == "system" else None
        elif type(content) is list and role == "user":
            self.listed, who = True, USER
            words = [(TEXT, part["text"]) for part in content if _is_text(part)]
        else:
            raise Odd
        if who is None:
            raise Odd
        return self.event(number, who, words)

    def known_of(self, value: dict[str, Any]) -> tuple[Iterable[Any], int]:
        return [value.get("tool_call_id"), *(call.get("id") for call in dicts_in(value.get("tool_calls")))], 0


def _is_text(part: Any) -> bool:
    if part["type"] != "text" or not part.keys() <= TEXT_KEYS or type(part["text"]) is not str:
        raise Odd
    return True


def light(view: View) -> Light:
    return ChatLight()
