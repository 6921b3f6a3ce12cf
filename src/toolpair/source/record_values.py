"""Parsing the bytes of a record: its value, or why it cannot be read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

import orjson

from toolpair.source.json_spans import LEVELS, MAX_DIGITS, scan, skip_space, whole_number
from toolpair.transcript.model import Damaged

BOM: Final = b"\xef\xbb\xbf"
DUPLICATE_KEY: Final = "record.duplicate_key"
BIG_NUMBER: Final = "record.big_number"
_GUARD_FROM: Final = 1 << 20
"""From this size on the first tokens are checked beforehand: a parser's error copies the whole text."""
_GUARD: Final = 1 << 16
"""How many bytes of tokens that check reads."""
_FEW: Final = 250
_LONGEST_DOUBLE: Final = 300
"""A whole number of this many digits certainly fits in a double."""
_CANDIDATES: Final = 64
_STRETCH: Final = 1 << 12

_RECORD_START = re.compile(rb'\{[ \t]*+"')
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONG_NUMBER = re.compile(rb"[0-9]{17}|[eE]\+?[0-9]{3}")
_NUMBER_IN_FULL = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(-?+[0-9][0-9.eE+-]*+)', re.DOTALL)
_NO_NUMBERS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|(-?+Infinity|NaN)', re.DOTALL)
_NULS = re.compile(rb"\0+")
_NO_VALUE = re.compile(rb"[ \t]*+[^ \t\r\n\xef{\[\"\-0-9tfnNI]")
"""No JSON value begins like this."""
_NO_JSON_BYTE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def parse(raw: bytes) -> Any:
    """The value of one JSON text, or `Damaged`. Never raises.

    Accepted although strict parsers refuse them: lone surrogate escapes, numbers beyond a double, NaN, invalid UTF-8 in
    strings (as U+FFFD) and a leading byte order mark; `flaws` names them. Of what is nested deeper than a parser goes,
    the first levels are read (`deep_values`).
    """
    return read(raw)[0]


def without_comma(line: bytes) -> bytes:
    """The record of a line without the comma after it, which only elements of an array should have."""
    if not line.endswith(b","):
        return line
    record = line[:-1].rstrip(b" \t")
    return record if record.endswith((b"}", b"]")) else line


def read(raw: bytes) -> tuple[Any, bool]:
    """The result of `parse`, and whether a strict parser accepts the text as well."""
    value, strict = strictly(raw)
    return (value, True) if strict else (_read_tolerantly(raw), False)


def strictly(raw: bytes) -> tuple[Any, bool]:
    """What a strict parser reads, and whether it succeeds."""
    if len(raw) < _GUARD_FROM or scan(raw[:_GUARD], len(BOM) if raw.startswith(BOM) else 0).state != "error":
        try:
            value = orjson.loads(raw)
            if not _may_be_deep(raw) or orjson.dumps(value):
                return value, True
        except (TypeError, ValueError, RecursionError, MemoryError):
            pass
    return None, False


def _may_be_deep(raw: bytes) -> bool:
    """Whether so many values begin in it that they may be nested deeper than `orjson.dumps` goes, which is 254 levels.

    What that refuses is read like what the parser refuses: with no other value need a walk through values fear
    Python's limit of nested calls. A large record is mostly text, in which brackets mean nothing.
    """
    return len(raw) > _GUARD or (len(raw) > _FEW and raw.count(b"[") + raw.count(b"{") >= _FEW)


def _read_tolerantly(raw: bytes) -> Any:
    if _NO_VALUE.match(raw) and b"{" not in raw and b"[" not in raw and b"\0" not in raw:
        return _no_json(raw, skip_space(raw, 0))  # by far the most common case in a file with many such lines
    start = len(BOM) if raw.startswith(BOM) else 0
    found = scan(raw, start)
    if found.state == "complete" and skip_space(raw, found.pos) == len(raw):
        if found.depth > LEVELS:
            from toolpair.source.deep_values import read_deep

            return read_deep(raw, start)
        try:
            return json.loads(raw[start:].decode("utf-8", "replace"), parse_int=whole_number)
        except ValueError:
            return Damaged("record.bad_json", "bad bytes")
    damaged = _diagnose(raw, found.state, found.pos)
    if found.state == "complete" and not isinstance(first := parse(raw[: found.pos]), Damaged):
        damaged.first = first if isinstance(first, dict) else None
    return damaged


def first_record(raw: bytes) -> bytes:
    """The bytes of the value at the start of a text; all of the text when that is incomplete."""
    found = scan(raw, len(BOM) if raw.startswith(BOM) else 0)
    return raw[: found.pos] if found.state == "complete" else raw


def _diagnose(raw: bytes, state: str, pos: int) -> Damaged:
    if b"\0" in raw:
        pieces_of_it = without_nul(raw)
        values = tuple(map(parse, pieces_of_it))
        if not values:
            return Damaged("record.nul", "only NUL bytes")
        if not any(isinstance(value, Damaged) for value in values):
            where = "in it" if len(values) == 1 else "between two of them"
            stand_so = all(piece in raw for piece in pieces_of_it)
            return Damaged("record.nul", f"NUL bytes {where}", values if stand_so else ())
        torn = len(values) == 1 and isinstance(values[0], Damaged) and values[0].rule == "record.torn"
        if torn and sum(_RECORD_START.match(part) is not None for part in _NULS.split(raw)) < 2:
            return Damaged("record.torn", "cut off, with NUL bytes in place of the rest")
    if state == "torn":
        return Damaged("record.torn", "cut off")
    parts = pieces(raw)
    values = tuple(parse(part) for part in parts) if len(parts) > 1 else ()
    records = [value for part, value in zip(parts, values, strict=False) if _is_a_record(part, value)]
    if len(records) > 1:
        count = "two" if len(records) == 2 else str(len(records))
        return Damaged("record.glued", f"{count} records glued", values)
    if values:
        return Damaged("record.bad_json", "other text in it", tuple(records))
    if state == "complete":
        return Damaged("record.bad_json", "other text at its end")
    if _CONTROL.search(raw) is not None:
        repaired = escaped(raw)
        if repaired != raw and not isinstance(parse(repaired), Damaged):
            return Damaged("record.bad_json", "unescaped control characters")
    return _no_json(raw, pos)


def _no_json(raw: bytes, pos: int) -> Damaged:
    """What is wrong with a text that is unreadable from byte `pos` on."""
    if _NO_JSON_BYTE.match(raw, pos) or raw[pos : pos + 1] >= b"\x80":
        return Damaged("record.bad_json", f"bad bytes: \\x{raw[pos]:02x}")
    if raw[skip_space(raw, 0) : skip_space(raw, 0) + 1] not in (b"{", b"["):
        return Damaged("record.bad_json", "not a JSON record")
    return Damaged("record.bad_json", "not valid JSON")


def without_nul(raw: bytes) -> tuple[bytes, ...]:
    """The records of a line without its NUL bytes: the pieces between runs of NULs, if each is a record."""
    parts = tuple(part for part in _NULS.split(raw) if part.strip())
    if len(parts) > 1 and any(isinstance(parse(part), Damaged) for part in parts):
        return (b"".join(parts),)
    return parts


def pieces(raw: bytes) -> tuple[bytes, ...]:
    """The parts of a line that holds more than one record, in order: complete records and torn remains.

    Joined they are the line again. A single part means that the line cannot be split.
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
    """Where a complete record starts after a cut-off one, trying the start nearest to the error first."""
    near = [match.start() for match in _RECORD_START.finditer(raw, max(start + 1, wrong - 4096), wrong + 2)]
    later = (match.start() for match in _RECORD_START.finditer(raw, wrong + 1))
    for at in islice(chain(reversed(near), later), _CANDIDATES):
        if at > start and not is_part(raw, at, wrong) and scan(raw, at).state == "complete":
            return at
    return len(raw)


def _is_a_record(part: bytes, value: Any) -> bool:
    """Whether a part of a line is a record, though it may be damaged; else it is other text, perhaps after a record."""
    if not isinstance(value, Damaged) or value.rule == "record.torn":
        return True
    return _RECORD_START.match(part) is not None and scan(part).state == "error"


def is_part(raw: bytes, at: int, wrong: int) -> bool:
    """Whether the object at `at` is a value inside a record that is wrong at `wrong`, and so no record of its own.

    Where that record cannot go on with an object, another one begins.
    """
    return at != wrong and raw[max(at - 8, 0) : at].rstrip(b" \t")[-1:] in (b":", b",", b"[")


_CONTROL: Final = re.compile(rb"[\x01-\x1f]")
_STRING_OR_REST: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_ESCAPES: Final = {b"\n": b"\\n", b"\r": b"\\r", b"\t": b"\\t", b"\b": b"\\b", b"\f": b"\\f"}


def escaped(raw: bytes) -> bytes:
    """The record with each control character in a string escaped."""
    return _STRING_OR_REST.sub(lambda match: escape_controls(match.group()), raw)


def escape_controls(text: bytes) -> bytes:
    """The content of a string with its control characters escaped."""
    for control in set(_CONTROL.findall(text)):
        text = text.replace(control, _ESCAPES.get(control, b"\\u%04x" % control[0]))
    return text


def flaws(raw: bytes) -> tuple[str, ...]:
    """The `record.*` rules that a readable record breaks."""
    broken = (
        ("record.bom", raw.startswith(BOM)),
        ("record.lone_surrogate", holds_half(raw)),
        ("record.bad_utf8", not is_utf8(raw)),
        (DUPLICATE_KEY, _has_duplicate_key(raw)),
        (BIG_NUMBER, bool(big_numbers(raw))),
        ("record.nul", b"\0" in raw),
        ("record.bad_json", holds_no_number(raw)),
    )
    return tuple(rule for rule, is_broken in broken if is_broken)


def is_utf8(raw: bytes) -> bool:
    try:
        for start, end in _not_ascii(raw):
            raw[start:end].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def in_utf8(raw: bytes) -> bytes:
    """The bytes with U+FFFD for what is no UTF-8."""
    return raw.decode("utf-8", "replace").encode("utf-8")


def _not_ascii(raw: bytes) -> Iterator[tuple[int, int]]:
    """The stretches that hold all bytes beyond ASCII: most text holds few, and decoding them takes much longer than
    seeing that there are none.
    """
    begin = None
    for at in range(0, len(raw), _STRETCH):
        if raw[at : at + _STRETCH].isascii():
            if begin is not None:
                yield begin, at
            begin = None
        elif begin is None:
            begin = at
    if begin is not None:
        yield begin, len(raw)


def big_numbers(raw: bytes) -> tuple[bytes, ...]:
    """The record's whole numbers that do not fit in 64 bits, and its fractions that do not fit in a double."""
    return tuple(number for number in _numbers(raw) if _is_big(number)) if _LONG_NUMBER.search(raw) else ()


def quiet_flaws(raw: bytes, value: Any) -> tuple[str, ...]:
    """The rules that a record breaks although a strict parser silently accepts it.

    Encoding the value again gives the same text unless something was left out or spelled differently. (That it is as
    long says nothing: 1e6 becomes longer by as much as a key that stands twice makes it shorter.)
    """
    try:
        written = orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        written = b""
    if is_as_written(raw, written):
        return ()
    doubled = _key_ends(written) != _key_ends(raw) and _has_duplicate_key(raw)
    big = _RUN in raw.translate(_AS_ZEROS) and bool(big_numbers(raw))
    return tuple(rule for rule, broken in ((DUPLICATE_KEY, doubled), (BIG_NUMBER, big)) if broken)


def is_as_written(raw: bytes, written: bytes) -> bool:
    """Whether a text differs at most by white space from its value written again. In a string none can be left out."""
    return raw == written or raw.translate(None, _SPACES) == written.translate(None, _SPACES)


def _key_ends(raw: bytes) -> int:
    return raw.count(b'":') - raw.count(b'\\":')


_SPACES: Final = b" \t\r\n"
_AS_ZEROS: Final = bytes(0x30 if 0x30 <= byte < 0x3A else 0 for byte in range(256))
_RUN: Final = b"0" * 19
"""Shorter numbers fit in 64 bits. This search is much faster than a regular expression."""


_SURROGATES = re.compile(
    rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.S
)


def has_lone_surrogate(raw: bytes) -> bool:
    """Whether an escape encodes half a surrogate pair."""
    return any(match.group(3) for match in _SURROGATES.finditer(raw))


def holds_half(raw: bytes) -> bool:
    """The same, sooner for what has no such escape at all."""
    return _ESCAPED_SURROGATE.search(raw) is not None and has_lone_surrogate(raw)


def _numbers(raw: bytes) -> list[bytes]:
    return [number for number in _NUMBER_IN_FULL.findall(raw) if number]


def _is_big(number: bytes) -> bool:
    if number.lstrip(b"-").isdigit():
        return len(number) > MAX_DIGITS or not -(2**63) <= int(number) < 2**64
    try:
        return float(number) in (float("inf"), float("-inf"))
    except ValueError:
        return False


def is_rounded(number: bytes) -> bool:
    """Whether the number would change if read as a double."""
    if len(number) > _LONGEST_DOUBLE or not number.lstrip(b"-").isdigit():
        return True
    whole = int(number)
    return float(whole) != whole


def holds_no_number(raw: bytes) -> bool:
    """Whether it holds NaN or Infinity, which Python writes and reads, and which are not JSON."""
    return any(match[1] for match in _NO_NUMBERS.finditer(raw))


def with_words_for_numbers(raw: bytes) -> bytes:
    """The record with NaN and Infinity as strings."""
    return _NO_NUMBERS.sub(lambda match: b'"%b"' % match[1] if match[1] else match[0], raw)


def with_fractions(raw: bytes) -> bytes:
    """The record with ".0" after each whole number that does not fit in 64 bits."""

    def written(match: re.Match[bytes]) -> bytes:
        number = match[1]
        return number + b".0" if number and number.lstrip(b"-").isdigit() and _is_big(number) else match[0]

    return _NUMBER_IN_FULL.sub(written, raw)


def _has_duplicate_key(raw: bytes) -> bool:
    # A parser that counts pairs is faster than the tokenizer, which walks only what the parser cannot read.
    twice = False

    def count(pairs: list[tuple[str, Any]]) -> None:
        nonlocal twice
        twice = twice or len({key for key, _ in pairs}) != len(pairs)

    try:
        json.loads(raw.decode("utf-8", "replace"), object_pairs_hook=count, parse_int=whole_number, strict=False)
    except (ValueError, RecursionError, MemoryError):
        return False
    return twice


def whole_characters(raw: bytes) -> bytes:
    """The record with U+FFFD for each escape of half a surrogate pair."""

    def mend(match: re.Match[bytes]) -> bytes:
        return b"\\ufffd" if match.group(3) else match.group(0)

    return _SURROGATES.sub(mend, raw)
