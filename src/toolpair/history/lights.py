"""Which light a history is scanned with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolpair.dialects.block_texts import result_text
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    TEXT,
    THINKING,
    USER,
    WORDS,
    Event,
    Light,
    Odd,
)
from toolpair.formats.format import Format, Item, View
from toolpair.rules.profiles import Profile
from toolpair.transcript.model import Block


def light_for(format: Format, profile: Profile, view: View) -> Light | None:
    """None where only the whole can be judged."""
    if format.light is not None:
        if profile.base == "gemini" and profile.family is not None:
            return None  # whether signatures are wanted depends on more than what is seen in the list
        return format.light(view) if profile.base in format.clean_by else None
    return ReadOneByOne(format, view) if format.in_windows else None


class ReadOneByOne(Light):
    """For a plain format without a light of its own: each record is read, and the rules look at every window."""

    calls_last = False
    words_after = Light.words_after | {WORDS, ANSWERED}
    clean = False

    def __init__(self, format: Format, view: View) -> None:
        self._format = format
        self._view = view

    def read(self, value: Any, number: int) -> Event:
        messages = self._format.read([Item(number, value)], self._view).messages
        if len(messages) != 1 or messages[0].role not in ("user", "assistant", "tool"):
            raise Odd
        who = MODEL if messages[0].role == "assistant" else USER
        return who, list(map(_part, messages[0].blocks)), None

    def silent(self, value: Any, id_: str, text: str) -> None:
        """The rules see it."""

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        messages = self._format.read([Item(number, value)], self._view).messages
        blocks = [block for message in messages for block in message.blocks]
        return [block.id for block in blocks], sum(block.kind == "thinking" for block in blocks)


def _part(block: Block) -> tuple[Any, ...]:
    if block.kind == "call":
        return CALL, block.id, block.name, None, block.call_kind
    if block.kind == "result":
        return RESULT, block.id, result_text(block), block.call_kind, False
    if block.kind == "thinking":
        return THINKING, 1, False
    if block.kind == "text":
        return TEXT, block.text
    raise Odd
