"""Quick reading of goose's rows: which of them are as goose writes them. What it hides, and older files, it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolpair.dialects import goose as dialect
from toolpair.formats.engine.reading.light import (
    ANSWERED,
    CALL,
    MODEL,
    RESULT,
    SAME,
    TEXT,
    USER,
    WORDS,
    Event,
    Finding,
    Light,
    Odd,
    Whole,
)
from toolpair.formats.format import FileFacts, Item, View
from toolpair.formats.goose.detection import MESSAGES, SESSIONS
from toolpair.formats.goose.history import blocks_in, is_shown, is_visible, read
from toolpair.formats.goose.readable import LEVELS
from toolpair.source.deep_values import is_deeper

_TEXT: Final = frozenset({"type", "text"})
_TEXT_OF_RESULT: Final = _TEXT | {"annotations", "_meta"}
_CALL: Final = frozenset({"type", "id", "toolCall", "_meta"})
_RESULT: Final = frozenset({"type", "id", "toolResult"})
_OUTPUT: Final = frozenset({"content", "structuredContent", "isError", "_meta"})
_MODEL: Final = ("assistant",)
_AROUND: Final = 8
"""Levels around what a part holds, at most."""
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class GooseLight(Light):
    """Rows of one kind in a row are one message; a user's row of results is none of its words."""

    merged = True
    native = True
    results_apart = True
    words_after = Light.words_after | {WORDS, ANSWERED}

    def __init__(self) -> None:
        self._session: dict[str, Any] = {}

    def read(self, value: Any, number: int) -> Event | None:
        row = value.get(MESSAGES)
        if row is None:
            self._begin(value, number)
            return None
        role, parts = row["role"], row["content_json"]
        if type(parts) is not list or not parts or type(row["created_timestamp"]) is not int:
            raise Odd
        metadata = row.get("metadata_json")
        if type(metadata) is str:
            raise Odd
        if role != "assistant" and role != "user":
            raise Whole
        if not (is_shown(metadata) if type(metadata) is dict else is_visible(value)):
            raise Whole
        if role == "assistant":
            return MODEL, list(map(_said, parts)), SAME
        if parts[0]["type"] == dialect.RESULT:
            return USER, list(map(_result, parts)), None
        return USER, [(TEXT, _words(part, _TEXT)) for part in parts], None

    def _begin(self, value: Any, number: int) -> None:
        if number or type(value.get(SESSIONS)) is not dict:
            raise Whole
        self._session = value
        config = value[SESSIONS].get("model_config_json")
        if config is not None and type(config) is not dict:
            raise Odd

    def left(self, value: Any, number: int, strict: bool) -> tuple[Iterable[Any], int]:
        if not strict or not self._session:
            raise Whole
        blocks = blocks_in(Item(number, value)) if MESSAGES in value else ()
        return [block.id for block in blocks], 0

    def finish(self) -> Finding:
        session = self._session
        head = read([Item(0, session)])
        return Finding(
            head=head, around=lambda first, end, count, records: FileFacts(head, agent_facts=session if first else None)
        )


def _said(part: Any) -> tuple[Any, ...]:
    if part["type"] == "text":
        return TEXT, _words(part, _TEXT)
    called = part["toolCall"]
    found = called["value"]
    if part["type"] != dialect.CALL or not part.keys() <= _CALL or called["status"] != "success":
        raise Odd
    given = found["arguments"]
    if type(given) is not dict or not (_is_flat(given) and _is_flat(part.get("_meta"))):
        raise Odd
    return CALL, part["id"], found["name"], given, ""


def _result(part: Any) -> tuple[Any, ...]:
    said = part["toolResult"]
    value = said["value"]
    content = value
    if part["type"] != dialect.RESULT or not part.keys() <= _RESULT or said["status"] != "success":
        raise Odd
    if type(value) is dict:
        if not value.keys() <= _OUTPUT or type(value.get("isError", False)) is not bool:
            raise Odd
        if not (_is_flat(value.get("structuredContent")) and _is_flat(value.get("_meta"))):
            raise Odd
        content = value["content"]
    if type(content) is not list:
        raise Odd
    return RESULT, part["id"], "\n".join(filter(None, [_words(one, _TEXT_OF_RESULT) for one in content])), "", False


def _words(part: Any, keys: frozenset[str]) -> str:
    text = part["text"]
    if part["type"] != "text" or not part.keys() <= keys or type(text) is not str:
        raise Odd
    if len(part) > 2:
        notes = part.get("annotations")
        if not (_is_flat(part.get("_meta")) and _is_flat(notes)):
            raise Odd
        audience = notes.get("audience", _MODEL) if notes is not None else _MODEL
        if "assistant" not in audience:
            return ""  # goose shows it to the user alone
    return text


def _is_flat(value: Any) -> bool:
    """Whether a value beside what is read, or what is called, is not too deep for goose."""
    if value is None or (type(value) is dict and _PLAIN.issuperset(map(type, value.values()))):
        return True
    return not is_deeper(value, LEVELS - _AROUND)


def light(view: View) -> Light | None:
    return GooseLight() if view.reporting else None
