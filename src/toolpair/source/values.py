"""From bytes to values: what a record says, or why it cannot be read."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import orjson

from toolpair.source.spans import BadSpan, children, key_text, node_at, scan, skip_space
from toolpair.transcript.model import Damaged

BOM: Final = b"\xef\xbb\xbf"
_GUARD_FROM: Final = 1 << 20
"""From this size on a look at the first tokens comes first: a parser's error copies the whole text."""
_GUARD_TOKENS: Final = 2000
_MAX_DIGITS: Final = 4000
_CANDIDATES: Final = 64

_RECORD_START = re.compile(rb'\{[ \t]*+"')
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONG_NUMBER = re.compile(rb"[0-9]{17}|[eE]\+?[0-9]{3}")
_NUMBER_IN_FULL = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(-?+[0-9][0-9.eE+-]*+)', re.DOTALL)
_NO_JSON_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def parse(raw: bytes) -> Any:
    """The value of one JSON text, or `Damaged`. Never raises.

    Read as values although strict parsers refuse them: lone surrogate escapes, numbers beyond a double, NaN,
    invalid UTF-8 in strings (as U+FFFD) and a byte order mark in front; `flaws` names them.
    """
    if len(raw) < _GUARD_FROM or scan(raw, len(BOM) if raw.startswith(BOM) else 0, _GUARD_TOKENS).state != "error":
        try:
            return orjson.loads(raw)
        except (ValueError, RecursionError, MemoryError):
            pass
    return _read_tolerantly(raw)


def _read_tolerantly(raw: bytes) -> Any:
    start = len(BOM) if raw.startswith(BOM) else 0
    found = scan(raw, start)
    if found.state == "complete" and skip_space(raw, found.pos) == len(raw):
        try:
            return json.loads(raw[start:].decode("utf-8", "replace"), parse_int=_int)
        except (RecursionError, MemoryError):
            return Damaged("record.bad_json", "nested too deeply")
        except ValueError:
            return Damaged("record.bad_json", "bad bytes")
    return _diagnose(raw, found.state, found.pos)


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _diagnose(raw: bytes, state: str, pos: int) -> Damaged:
    if b"\0" in raw:
        rest = raw.replace(b"\0", b"")
        if not rest.strip():
            return Damaged("record.nul", "only NUL bytes")
        value = parse(rest)
        if not isinstance(value, Damaged):
            return Damaged("record.nul", "NUL bytes in the record", (value,))
    if state == "torn":
        return Damaged("record.torn", "cut off")
    parts = pieces(raw)
    if len(parts) > 1:
        return Damaged("record.glued", "two records glued", tuple(parse(part) for part in parts))
    if state == "complete":
        return Damaged("record.bad_json", "text behind the record")
    if _NO_JSON_BYTE.match(raw, pos) or raw[pos : pos + 1] >= b"\x80":
        return Damaged("record.bad_json", "bad bytes")
    if raw[skip_space(raw, 0) : skip_space(raw, 0) + 1] not in (b"{", b"["):
        return Damaged("record.bad_json", "not a JSON record")
    return Damaged("record.bad_json", "not valid JSON")


def pieces(raw: bytes) -> tuple[bytes, ...]:
    """The parts of a line that holds more than one record, in order: complete records and torn rests.

    Joined they are the line again. One part means that nothing can be parted.
    """
    parts: list[bytes] = []
    pos = 0
    while pos < len(raw):
        found = scan(raw, pos)
        if found.state == "complete":
            end = skip_space(raw, found.pos)
            if end < len(raw) and raw[end] not in b"{[":
                end = len(raw)
        elif found.state == "error":
            end = _next_record(raw, pos, found.pos)
        else:
            end = len(raw)
        parts.append(raw[pos:end])
        pos = end
    return tuple(parts)


def _next_record(raw: bytes, start: int, wrong: int) -> int:
    """Where a complete record starts behind a cut off one: the start nearest to the wrong byte comes first."""
    before = [m.start() for m in _RECORD_START.finditer(raw, max(start + 1, wrong - 4096), wrong + 2)]
    tries = 0
    for at in reversed(before):
        tries += 1
        if tries > _CANDIDATES:
            break
        if at > start and scan(raw, at).state == "complete":
            return at
    for match in _RECORD_START.finditer(raw, wrong + 1):
        tries += 1
        if tries > _CANDIDATES:
            break
        if scan(raw, match.start()).state == "complete":
            return match.start()
    return len(raw)


def flaws(raw: bytes) -> tuple[str, ...]:
    """The `record.*` rules that a readable record breaks."""
    found: list[str] = []
    if _ESCAPED_SURROGATE.search(raw) and has_lone_surrogate(raw):
        found.append("record.lone_surrogate")
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        found.append("record.bad_utf8")
    if _has_duplicate_key(raw):
        found.append("record.duplicate_key")
    if _LONG_NUMBER.search(raw) and any(map(_is_big, _numbers(raw))):
        found.append("record.big_number")
    if b"\0" in raw:
        found.append("record.nul")
    return tuple(found)


_SURROGATES = re.compile(
    rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.S
)


def has_lone_surrogate(raw: bytes) -> bool:
    """Whether an escape stands for half a character."""
    return any(match.group(3) for match in _SURROGATES.finditer(raw))


def _numbers(raw: bytes) -> list[bytes]:
    return [number for number in _NUMBER_IN_FULL.findall(raw) if number]


def _is_big(number: bytes) -> bool:
    """Whether JavaScript's or orjson's reading would change the number's value noticeably."""
    if number.lstrip(b"-").isdigit():
        if len(number) > _MAX_DIGITS:
            return True
        return abs(int(number)) > 2**53 and float(int(number) if len(number) < 300 else "inf") != int(number)
    try:
        return float(number) in (float("inf"), float("-inf"))
    except ValueError:
        return False


def _has_duplicate_key(raw: bytes) -> bool:
    # A parser that counts pairs is quicker than the span tokenizer; only what it cannot read is walked.
    twice = False

    def count(pairs: list[tuple[str, Any]]) -> None:
        nonlocal twice
        twice = twice or len({key for key, _ in pairs}) != len(pairs)

    try:
        json.loads(raw.decode("utf-8", "replace"), object_pairs_hook=count, parse_int=_int, strict=False)
    except (ValueError, RecursionError, MemoryError):
        return False
    return twice


def duplicate_keys(raw: bytes, node_start: int = 0) -> tuple[str, ...]:
    """The keys that the object at `node_start` holds more than once."""
    try:
        keys = [key_text(raw, child) for child in children(raw, node_at(raw, node_start)) if child.key]
    except BadSpan:
        return ()
    return tuple(sorted({key for key in keys if keys.count(key) > 1}))


def cleaned(raw: bytes) -> bytes:
    """The record with U+FFFD for lone surrogates and invalid UTF-8 and without NUL bytes; all else as it was."""

    def mend(match: re.Match[bytes]) -> bytes:
        return b"\\ufffd" if match.group(3) else match.group(0)

    text = _SURROGATES.sub(mend, raw.replace(b"\0", b""))
    return text.decode("utf-8", "replace").encode("utf-8")
