"""Rows as lines of JSON, and back: `{"TABLE":{"column":value,…,"data":<the column's text as it is>}}`.

A text that is not JSON, where JSON should be, ends the line unclosed, so that the line is damaged in the same way.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import orjson

from toolpair.source.byte_runs import common_start
from toolpair.source.json_spans import BadSpan, children, key_text, node_at
from toolpair.source.record_values import BOM, parse, whole_characters
from toolpair.source.rows.layout import FACTS, MarkedText, Row, Stored, Table, Text
from toolpair.transcript.model import Damaged

_skimmed: Final = msgspec.json.Decoder(msgspec.Raw).decode
"""Refuses what is not JSON, and some of what is, without making its values."""
BLOB: Final = "base64"
"""The only key of an object that is a value of SQLite's type BLOB."""
_ENDS: Final = b"}}"
_INFINITE: Final = (math.inf, -math.inf)
_KEPT: Final = "surrogateescape"
"""How bytes that are not UTF-8 go through JSON and back."""
_SPACE: Final = b" \t\r\n"


def line_of(row: Row) -> bytes:
    """The row as a line, without a line end."""
    table, columns, of_json = row.table, row.columns, row.table.json
    plain = {
        name: _plain(value) if isinstance(value, bytes) else value
        for name, value in columns.items()
        if name not in of_json
    }
    texts: list[bytes] = []
    is_damaged = False
    for name in of_json:
        if name in columns:
            value = columns[name]
            if type(value) is Text and _is_on_one_line(value):
                texts += b",", _KEYS[name], value
                continue
            last = next(name for name in reversed(of_json) if name in columns)
            text, is_text = _json_text(value)
            # A byte order mark is read over where a text begins, and damages a line.
            if not is_text or (name != last and text.lstrip(_SPACE).startswith(BOM)):
                if table.whole or name != last:
                    text = as_json(value)
                else:
                    is_damaged = True
            texts += b",", _KEYS[name], text
    facts = b"" if row.facts is None else _KEYS[FACTS] + orjson.dumps(row.facts) + b","
    # Without its braces; a row with no other columns is made of texts alone.
    others = _encoded(plain)[1:-1] if plain else b""
    line = b"".join((b"{", facts, _KEYS[table.called], b"{", others, *(texts if plain else texts[1:])))
    if is_damaged:
        line = line.rstrip(_SPACE)
        # A text that ends the line by itself is damaged all the same.
        return line if isinstance(parse(line), Damaged) else line + _ENDS
    return line + _ENDS


class _Keys(dict[str, bytes]):
    """The names of tables and columns as they begin a value."""

    def __missing__(self, name: str) -> bytes:
        self[name] = made = orjson.dumps(name) + b":"
        return made


_KEYS: Final = _Keys()


def _plain(value: Stored) -> Any:
    """A stored value as JSON has it. Bytes of a text that are not UTF-8 are in it as `surrogateescape` has them."""
    if isinstance(value, Text):
        return value.decode("utf-8", _KEPT)
    if isinstance(value, bytes):
        return {BLOB: base64.b64encode(value).decode()}
    return value


def as_json(value: Stored) -> bytes:
    return _encoded(_plain(value))


def _encoded(value: Any) -> bytes:
    """As JSON, in which bytes that are not UTF-8 stand as they are stored: a flaw of the line that is told. An
    infinite number, which JSON does not have, is null.
    """
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        if isinstance(value, dict):
            value = {name: None if one in _INFINITE else one for name, one in value.items()}
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", _KEPT)


def _is_on_one_line(text: bytes) -> bool:
    """Whether it is certainly JSON that can stand in a line as it is."""
    try:
        _skimmed(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return b"\n" not in text


def _json_text(value: Stored) -> tuple[bytes, bool]:
    """The text of a column that holds JSON, on one line, and whether it is JSON. Some programs store such a text as a
    BLOB.
    """
    if not isinstance(value, bytes):
        return as_json(value), True
    raw = bytes(value)
    if isinstance(value, MarkedText):
        raw = raw.removeprefix(BOM)
    is_damaged = isinstance(parse(raw), Damaged)
    if is_damaged and not isinstance(value, Text):
        return as_json(value), True
    end, stand_in = _line_ends(raw)
    if not end:
        return raw, not is_damaged
    text = raw.replace(end, stand_in)
    is_json = not isinstance(parse(text), Damaged)
    # Within a string a line end is damage, and a space is not.
    if is_damaged and is_json:
        text = raw.replace(b"\n", b"\v")
        is_json = not isinstance(parse(text), Damaged)
    return text, is_json


def _line_ends(raw: bytes) -> tuple[bytes, bytes]:
    """The line ends of a text, and what replaces them in a line, so that they can be put back; empty without any."""
    if b"\n" not in raw:
        return b"", b""
    if b"\t" not in raw:
        return b"\n", b"\t"
    if b"\r" not in raw.rstrip():
        return b"\n", b"\r"
    if raw.count(b"\r") == raw.count(b"\n") == raw.count(b"\r\n"):
        return b"\r\n", b"\r"
    return b"\n", b" "


def columns_of_line(line: bytes, table: Table) -> dict[str, bytes] | None:
    """The bytes of each column's value in a line; None when the line is not a whole row of this table."""
    try:
        row = next((node for node in children(line, node_at(line)) if key_text(line, node) == table.called), None)
        if row is None or row.kind != "object" or isinstance(parse(line), Damaged):
            return None
        return {key_text(line, node): line[node.start : node.end] for node in children(line, row)}
    except BadSpan:
        return None


def table_of(line: bytes, tables: Sequence[Table]) -> Table | None:
    """The table that a line is a row of."""
    named = {table.called: table for table in tables}
    try:
        keys = [key_text(line, node) for node in children(line, node_at(line))]
    except BadSpan:
        keys = [name for name in named if line.find(_KEYS[name] + b"{", 0, 1000) >= 0]
    return next((named[key] for key in keys if key in named), None)


def stored(token: bytes, is_text: bool, before: Stored = None) -> Stored:
    """The value to store for a value in a line. `is_text`: the column holds JSON text; `before`: what it held."""
    if is_text:
        if token == as_json(before):
            return before
        if token == b"null" and (not isinstance(before, bytes) or before.strip(_SPACE) != token):
            return None  # as an agent writes that there is nothing
        if not isinstance(before, bytes):
            return Text(token)
        if isinstance(before, MarkedText):
            return MarkedText(BOM + _unfolded(token, before.removeprefix(BOM)))
        found = _unfolded(token, bytes(before))
        return Text(found) if isinstance(before, Text) else found
    value = _decoded(token)
    if isinstance(value, str):
        return Text(value.encode("utf-8", _KEPT))
    if isinstance(value, Mapping) and set(value) == {BLOB}:
        return base64.b64decode(str(value[BLOB]))
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, (int, float)):
        return value
    return Text(token)


def _decoded(token: bytes) -> Any:
    try:
        return orjson.loads(token)
    except orjson.JSONDecodeError:
        return json.loads(whole_characters(token).decode("utf-8", _KEPT))


def _unfolded(token: bytes, before: bytes) -> bytes:
    """A text of one line with the line ends of the one before it, and with the space around that."""
    end, stand_in = _line_ends(before)
    if stand_in and stand_in != b" ":
        token = token.replace(stand_in, end)
    elif end:
        token = _with_ends(token, before)
    kept = before.strip(_SPACE)
    start = before.find(kept)
    return before[:start] + token + before[start + len(kept) :] if kept else token


def _with_ends(token: bytes, before: bytes) -> bytes:
    """With ends of every kind: put back in all that is before and after the change."""
    kept = before.strip(_SPACE)
    folded = kept.replace(b"\n", b" ")
    first = common_start(token, folded)
    last = min(common_start(token[::-1], folded[::-1]), len(token) - first, len(folded) - first)
    return kept[:first] + token[first : len(token) - last] + kept[len(kept) - last :]
