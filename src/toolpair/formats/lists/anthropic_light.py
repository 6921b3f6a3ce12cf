"""Quick reading of Anthropic messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.formats.engine.detection.list_evidence import ANTHROPIC
from toolpair.formats.engine.reading.light import (
    CALL,
    CALL_KEYS,
    MODEL,
    RESULT,
    RESULT_KEYS,
    TEXT,
    TEXT_KEYS,
    THINKING,
    USER,
    Event,
    Light,
    Odd,
    dicts_in,
    ids_and_signed,
    may_be_too_large,
    texts_of,
)
from toolpair.formats.format import View
from toolpair.formats.lists.light import ListLight

_WHO: Final = {"user": USER, "assistant": MODEL}
_THINKING: Final = frozenset({"type", "thinking", "signature"})
_THOUGHT: Final = (THINKING, 1, False)
_IMAGES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")


class AnthropicLight(ListLight):
    """All results of a response are blocks of the one user message after it."""

    shape = ANTHROPIC
    in_one = True

    def read(self, value: Any, number: int) -> Event:
        role, content = value["role"], value["content"]
        if len(value) != 2 or not content:
            raise Odd
        if type(content) is str:
            return self.event(number, _WHO[role], ((TEXT, content),))
        if type(content) is not list:
            raise Odd
        self.listed = True
        parts = list(map(_part, content))
        kinds = parts[0][0], parts[-1][0]
        return self.event(number, _WHO[role], parts, kinds[1] == CALL, kinds != (TEXT, TEXT))

    def known_of(self, value: dict[str, Any]) -> tuple[Iterable[Any], int]:
        return ids_and_signed(dicts_in(value.get("content")))


def _part(part: Any) -> tuple[Any, ...]:
    kind = part["type"]
    if kind == "text":
        if (len(part) == 2 or part.keys() <= TEXT_KEYS) and type(part["text"]) is str:
            return TEXT, part["text"]
    elif kind == "tool_use":
        if (len(part) == 4 or part.keys() <= CALL_KEYS) and type(part["input"]) is dict:
            return CALL, part["id"], part["name"], part["input"], ""
    elif kind == "tool_result":
        said, sound = part["content"], part.get("is_error") is not True
        if type(said) is not str:
            said = texts_of(said, _is_image if sound else None)
        if part.keys() <= RESULT_KEYS and (said or sound):
            return RESULT, part["tool_use_id"], said, "", False
    elif kind == "thinking" and part["signature"] and type(part["thinking"]) is str and part.keys() <= _THINKING:
        return _THOUGHT
    raise Odd


def _is_image(part: dict[str, Any]) -> bool:
    """Whether it is an image in the form that Anthropic accepts in a successful result."""
    source = part["source"]
    return (
        len(part) == 2
        and len(source) == 3
        and source["type"] == "base64"
        and type(source["data"]) is str
        and source["media_type"] in _IMAGES
        and not may_be_too_large(part)
    )


def light(view: View) -> Light:
    return AnthropicLight()
