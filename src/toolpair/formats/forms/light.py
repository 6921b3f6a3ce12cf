"""The few facts about each element that let a scan prove most of a long list clean: by the same source as reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolpair.dialects.anthropic import is_signed
from toolpair.dialects.foreign_media import held_media
from toolpair.dialects.new_ids import THOUGHT
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    EXCHANGES,
    HEAD,
    MODEL,
    RESULT,
    SAME,
    TEXT,
    THINKING,
    USER,
    Event,
    Finding,
    Light,
    Odd,
    parsed,
    texts_of,
)
from toolpair.formats.forms.compiled import Compiled, Rule
from toolpair.formats.forms.pairing import PAIR
from toolpair.formats.forms.reading import IN_ONE, Reader, content_of
from toolpair.formats.forms.table import Table
from toolpair.rules.reasoning import is_whole
from toolpair.rules.wire import wire_of

_WHO: Final = {"user": USER, "tool": USER, "assistant": MODEL, "system": HEAD}
_CHAT, _BEDROCK = "openai-chat", "bedrock-converse"
PROVEN: Final = frozenset({_CHAT, _BEDROCK, "gemini", "anthropic"})
"""The profiles under which an element that is accepted here has no problem."""
_UNITS: Final = (CALL, RESULT)
_STEP: Final = THINKING + 1
"""The kind of a part that only begins another response."""


def can_be_scanned(table: Table) -> bool:
    """Whether each element of its lists says by itself what it is."""
    joined = table.profile in IN_ONE and table.shape in ("message", "item")
    return table.profile in PROVEN and table.group is None and not joined


class FormLight(Light):
    def __init__(self, compiled: Compiled, reader: Reader) -> None:
        made = compiled.functions(_MAKERS)
        self._blocks = made["blocks"]
        self._skipped = made["skipped"]
        self._knows = compiled.tests["mine"]
        self._reader = reader
        table, shape = compiled.table, compiled.table.shape
        roles: dict[Any, str] = {**{role: role for role in _WHO}, **table.roles, None: table.default_role}
        heads = () if table.profile == _CHAT else ("system",)
        self._who = {name: _WHO[role] for name, role in roles.items() if role not in heads}
        self._role = made["role"]
        self._thinks = bool(table.thinking)
        self._is_bedrock = table.profile == _BEDROCK
        self._pairs = PAIR[table.pair]() if table.pair else None
        self._paired: tuple[int, list[Any]] = (-1, [])
        """A record's number, and the ids of its calls and results, made up where they have none."""
        self._names: dict[Any, Any] = {}
        """The tools of the calls that are read last."""
        self._has = self._lacks = False
        """Some call is signed; the first one of a response since the user's last words is not."""
        self._heard = False
        """Results of these have been read."""
        self._named = self._nameless = False
        """Some result has the name of its tool; some has none. Gemini wants it of all, if one has it."""
        self._inside = shape == "inside"
        self.in_one = shape == "block"  # type: ignore[misc]
        self.calls_last = not self._inside  # type: ignore[misc]
        self._response = SAME if shape == "item" else None
        if shape != "block":
            self.words_after = Light.words_after | {ANSWERED}  # type: ignore[misc]

    def read(self, value: Any, number: int) -> Event | None:
        if type(value) is not dict or not self._knows(value):
            raise Odd
        if self._skipped(value):
            return None
        parts = self._blocks(value, number)
        if not parts:
            raise Odd
        who = self._who[self._role(value)]
        if len(parts) == 1 and parts[0][0] == TEXT:
            self._lacks = self._lacks and who != USER
            return who, parts, self._response
        if self._thinks and any(part[0] == THINKING for part in parts):
            thinks = iter([block for block in self._reader.blocks(value, number) if block.kind == "thinking"])
            parts = [(THINKING, int(is_signed(next(thinks))), False) if part[0] == THINKING else part for part in parts]
        if self._inside and who == MODEL:
            if self._is_bedrock:
                raise Odd
            return _exchanges(parts)
        parts = self._linked(parts, number)
        if who == USER and parts[0][0] == TEXT:
            self._lacks = False
        return who, parts, self._response

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        blocks = self._reader.blocks(value, number) if isinstance(value, dict) else ()
        signed = sum(block.kind == "thinking" and is_signed(block) for block in blocks)
        for block in blocks:
            if block.kind == "result":
                self._named = self._named or block.name is not None
                self._nameless = self._nameless or not block.name
        signatures = [block.signature for block in blocks if block.kind == "call"]
        self._has = self._has or any(signatures)
        self._lacks = self._lacks or "" in signatures
        if self._pairs is None:
            return [block.id for block in blocks], signed
        units = [(block.kind == "call", block.id, block.name) for block in blocks if block.kind in ("call", "result")]
        return [*self._pairs.waiting, *self._ids(units, number)], signed

    def _ids(self, units: Sequence[tuple[bool, Any, Any]], number: int) -> list[Any]:
        """The ids of a record's calls and results, made up where they have none."""
        pairs = self._pairs
        if pairs is None or self._paired[0] == number:
            return self._paired[1]
        if any(is_call for is_call, *_ in units):
            pairs.speaks()
        ids = [(pairs.call if is_call else pairs.result)(id_, name, number) for is_call, id_, name in units]
        self._paired = number, ids
        return ids

    def _linked(self, parts: Sequence[tuple[Any, ...]], number: int) -> Sequence[tuple[Any, ...]]:
        """The parts with all their ids; results without the name of the tool, which is that of their call."""
        ids: list[Any] | None = None
        if self._pairs is not None:
            units = [(one[0] == CALL, one[1], one[2 if one[0] == CALL else 5]) for one in parts if one[0] in _UNITS]
            ids = self._ids(units, number)[::-1]
        made = []
        first = True
        for part in parts:
            if part[0] in _UNITS and ids is not None:
                part = (part[0], ids.pop(), *part[2:])
            if part[0] == CALL:
                if self._heard:
                    self._heard = False
                    self._names.clear()
                self._names[part[1]] = part[2]
                if part[5] is not None:
                    self._sign(part[1], part[5], first)
                first, part = False, part[:5]
            elif part[0] == RESULT:
                self._heard = True
                if part[5] is None:
                    self._nameless = True
                else:
                    self._named = True
                if part[5] is not None and part[5] != self._names.get(part[1]):
                    raise Odd
                part = part[:5]
            made.append(part)
        return made

    def _sign(self, id_: Any, signature: str, is_first: bool) -> None:
        """Gemini wants a signature with the first call of each response since the user's words, if it gives any."""
        if signature and not is_whole(signature):
            raise Odd
        self._has = self._has or bool(signature) or THOUGHT in id_
        self._lacks = self._lacks or (is_first and not signature)

    def finish(self) -> Finding | None:
        differs = self._named and self._nameless and wire_of(self.profile.base) == "gemini"
        return None if (self._has and self._lacks) or differs else Finding()


def _exchanges(parts: Sequence[tuple[Any, ...]]) -> Event:
    """The event of an element whose calls hold their results: responses as the reader's `_steps` divides it."""
    said: list[tuple[Any, ...]] = []
    answered: list[tuple[list[Any], list[str]]] = []
    given: list[Any] = []
    texts: list[str] = []
    asked: tuple[Any, ...] | None = None
    spoke = False
    for part in parts:
        kind = part[0]
        if asked is not None and (kind != RESULT or part[1] != asked[1] or part[5] not in (None, asked[2])):
            raise Odd
        if kind == _STEP or (texts and kind in (TEXT, THINKING)):
            if spoke and not texts:
                raise Odd
            if texts:
                answered.append((given, texts))
                given, texts = [], []
            spoke = False
        if kind == RESULT:
            if asked is None:
                raise Odd
            given.append(asked[3])
            texts.append(part[2])
            asked = None
        elif kind != _STEP:
            said.append(part[:5])
            spoke = True
            asked = part if kind == CALL else None
    if asked is not None or not said:
        raise Odd
    if texts:
        answered.append((given, texts))
    more = spoke and not texts
    return EXCHANGES, said, (answered, 2 * len(answered) + more, not more)


def _call(
    kind: str, record: int, slot: Any, id_: Any, name: Any, given: Any, rule: Rule, signature: Any
) -> tuple[Any, ...]:
    if kind != "call":
        raise Odd
    given = given if type(given) is dict else parsed(given)
    return CALL, id_, name.removeprefix(rule.strip) if rule.strip else name, given, "", signature


def _result(
    kind: str,
    record: int,
    slot: Any,
    id_: Any,
    name: Any,
    content: Any,
    failed: bool,
    rule: Rule,
    media: Any = None,
) -> tuple[Any, ...]:
    mixed = getattr(rule.table, "media_apart", False) and type(content) is not str
    if kind != "result" or mixed or any(type(one) is dict and held_media(one) is not None for one in media or ()):
        raise Odd
    return RESULT, id_, _text(content), "", False, name


def _text(content: Any) -> str:
    found = content if type(content) is str else content_of(content)
    return found if type(found) is str else texts_of(found)


def _said(kind: str, record: int, slot: Any, text: str) -> tuple[Any, ...]:
    if kind == "image":
        raise Odd
    return (TEXT, text) if kind == "text" else (THINKING, 0, False) if kind == "thinking" else (_STEP,)


def _other(record: int, slot: Any, part: Any) -> tuple[Any, ...]:
    raise Odd


_MAKERS: Final = {"call": _call, "result": _result, "said": _said, "other": _other}
