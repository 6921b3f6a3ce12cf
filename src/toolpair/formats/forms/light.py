"""The few facts about each element that let a scan prove most of a long list clean: by the same source as reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects.anthropic import is_signed
from toolpair.dialects.block_texts import text_of
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    HEAD,
    MODEL,
    RESULT,
    SAME,
    TEXT,
    THINKING,
    USER,
    Event,
    Light,
    Odd,
    parsed,
)
from toolpair.formats.forms.compiled import Compiled, Rule
from toolpair.formats.forms.reading import Reader, flat, is_plain
from toolpair.formats.forms.table import Table

_WHO: Final = {"user": USER, "assistant": MODEL, "system": HEAD}
PROVEN: Final = frozenset({"openai-chat"})
"""The profiles under which an element that is accepted here has no problem."""


def can_be_scanned(table: Table) -> bool:
    """Whether each element of its lists says by itself what it is."""
    return table.profile in PROVEN and table.shape != "inside" and table.group is None and table.pair is None


class FormLight(Light):
    def __init__(self, compiled: Compiled, reader: Reader) -> None:
        made = compiled.functions(_MAKERS)
        self._blocks = made["blocks"]
        self._skipped = made["skipped"]
        self._reader = reader
        shape = compiled.table.shape
        self.in_one = shape == "block"  # type: ignore[misc]
        self._response = SAME if shape == "item" else None
        if shape != "block":
            self.words_after = Light.words_after | {ANSWERED}  # type: ignore[misc]

    def read(self, value: Any, number: int) -> Event | None:
        if type(value) is not dict:
            raise Odd
        if self._skipped(value):
            return None
        parts = self._blocks(value, number)
        if not parts:
            raise Odd
        if any(part[0] == THINKING for part in parts):
            thinks = iter([block for block in self._reader.blocks(value, number) if block.kind == "thinking"])
            parts = [(THINKING, int(is_signed(next(thinks))), False) if part[0] == THINKING else part for part in parts]
        return _WHO[self._reader.role_of(value)], parts, self._response

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        blocks = self._reader.blocks(value, number) if isinstance(value, dict) else ()
        return [block.id for block in blocks], sum(block.kind == "thinking" and is_signed(block) for block in blocks)


def _call(kind: str, record: int, slot: Any, id_: Any, name: Any, given: Any, rule: Rule) -> tuple[Any, ...]:
    if kind != "call":
        raise Odd
    given = given if type(given) is dict else parsed(given)
    return CALL, id_, name.removeprefix(rule.strip) if rule.strip else name, given, ""


def _result(
    kind: str, record: int, slot: Any, id_: Any, name: Any, content: Any, failed: bool, rule: Rule
) -> tuple[Any, ...]:
    if kind != "result":
        raise Odd
    return RESULT, id_, text_of(content) if is_plain(content) else flat(content), "", False


def _said(kind: str, record: int, slot: Any, text: str) -> tuple[Any, ...]:
    return (TEXT, text) if kind == "text" else (THINKING, 0, False)


def _other(record: int, slot: Any, part: Any) -> tuple[Any, ...]:
    raise Odd


_MAKERS: Final = {"call": _call, "result": _result, "said": _said, "other": _other}
