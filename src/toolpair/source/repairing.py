"""Repairing the bytes of one record: each way gives the records to write in its place and the bytes to set aside.

What is written consists of the original bytes. Nothing readable is dropped: removed bytes go to `RepairedBytes.aside`,
except for trailing commas, NUL bytes, a byte order mark, and invalid bytes and half surrogates that U+FFFD replaces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from toolpair.source.json_spans import BadSpan, JsonNode, SpanScan, children, key_text, node_at, scan
from toolpair.source.record_values import (
    BOM,
    escape_controls,
    escaped,
    in_utf8,
    is_part,
    parse,
    pieces,
    whole_characters,
    with_fractions,
    with_words_for_numbers,
    without_nul,
)
from toolpair.transcript.model import Damaged

_LONGEST_RUN: Final = 2000
_ESCAPED: Final = re.compile(rb"\\.", re.DOTALL)
_CUT_ESCAPE: Final = re.compile(rb"(?<!\\)(?:\\\\)*+(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_CUT_PAIR: Final = re.compile(rb"(?<!\\)(?:\\\\)*+(\\u[dD][89abAB][0-9a-fA-F]{2})\Z")
_CUT_SCALAR: Final = re.compile(rb"[^\s,:\[\]{}\"]+\Z")
_WHOLE_WORDS: Final = (b"true", b"false", b"null")


class RepairedBytes(Struct, frozen=True):
    """`bodies` replace the old record; `aside` are the bytes that leave the file."""

    bodies: tuple[bytes, ...]
    aside: tuple[bytes, ...] = ()


def repaired(raw: bytes, how: str) -> RepairedBytes | None:
    """The record repaired in this way (see transcript.edits.Mending); None if it cannot be, or would not change.

    "join", "mark", "commas" and "end" concern more than one record: see `joined_lines`, and `rewriting`.
    """
    made = _repaired(raw, how)
    return None if made is None or made == RepairedBytes((raw,)) else made


def repaired_lines(raw: bytes, how: str) -> RepairedBytes | None:
    """Lines damaged alike, each repaired in this way; one that cannot be stays as it is."""
    if how == "aside":
        return RepairedBytes((), (raw,))
    bodies: list[bytes] = []
    aside: list[bytes] = []
    changed = False
    for line in raw.split(b"\n"):
        line = line.strip(b" \t\r")
        made = repaired(line, how)
        changed = changed or made is not None
        bodies += [line] if made is None else made.bodies
        aside += () if made is None else made.aside
    return RepairedBytes(tuple(bodies), tuple(aside)) if changed else None


def _repaired(raw: bytes, how: str) -> RepairedBytes | None:
    match how:
        case "split":
            parts = pieces(raw)
            return RepairedBytes(parts) if len(parts) > 1 else None
        case "close" | "close_line":
            closed = close(raw)
            return None if closed is None else RepairedBytes((closed.text,), (closed.cut,) if closed.cut else ())
        case "trim":
            return _trimmed(raw)
        case "nul":
            parts = without_nul(raw)
            return RepairedBytes(parts) if parts else RepairedBytes((), (raw,))
        case _ if how in _IN_PLACE:
            return RepairedBytes((_IN_PLACE[how](raw),))
        case "aside":
            return RepairedBytes((), (raw,))
    return None


# A record that was cut off


class Closed(Struct, frozen=True):
    """A cut-off record with its end added. `whole`: only brackets were missing."""

    text: bytes
    cut: bytes
    """What followed the last place that can be closed: part of a key, of a number, of an escape."""
    whole: bool


def close(raw: bytes) -> Closed | None:
    """The cut-off record closed at its end, or shortly before, without NUL bytes; None when nothing can be read."""
    raw = raw.replace(b"\0", b"")
    found = scan(raw)
    if found.state != "torn" or not found.stack:
        return None
    text = raw.rstrip(b" \t\r\n")
    # Cut between two values: a number at the end may have had more digits.
    ends_whole = text[-1:] in (b"}", b"]", b'"', b"{", b"[") or text.endswith(_WHOLE_WORDS)
    if found.safe >= len(text) and ends_whole:
        closed = text + found.closers
        return Closed(closed, b"", text[-1:] not in (b"{", b"[")) if _reads(closed) else None
    in_string = _cut_in_string(raw, found)
    if in_string is not None:
        return in_string
    return _cut_back(raw, found)


def _cut_in_string(raw: bytes, found: SpanScan) -> Closed | None:
    """Closed inside the string where it was cut off: the written part of the string stays."""
    if not _in_string(raw[found.safe :]):
        return None
    keep = raw
    for half in (_CUT_ESCAPE, _CUT_PAIR):
        match = half.search(keep, max(found.safe, len(keep) - 64))
        if match is not None:
            keep = keep[: match.start(1)]
    keep = _whole_characters(keep)
    closed = keep + b'"' + found.closers
    if not _reads(closed):
        return None
    return Closed(closed, raw[len(keep) :], False)


def _cut_back(raw: bytes, found: SpanScan) -> Closed | None:
    """Closed after the last complete value."""
    safe, stack = found.safe, found
    at_end = not raw[safe:].strip(b" \t\r\n")
    match = _CUT_SCALAR.search(raw, max(safe - 64, 0), safe) if at_end else None
    if match is not None and match.group() not in _WHOLE_WORDS:
        stack = scan(raw[: match.start()])
        safe = stack.safe
    if not stack.stack:
        return None
    closed = raw[:safe] + stack.closers
    return Closed(closed, raw[safe:], False) if _reads(closed) else None


def _in_string(text: bytes) -> bool:
    return _ESCAPED.sub(b"", text).count(b'"') % 2 == 1


def _whole_characters(text: bytes) -> bytes:
    """The text without the first bytes of an incomplete character at its end."""
    for back in range(1, min(4, len(text) + 1)):
        byte = text[-back]
        if byte & 0xC0 == 0x80:
            continue
        wanted = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return text[:-back] if wanted > back else text
    return text


def _reads(raw: bytes) -> bool:
    return not isinstance(parse(raw), Damaged)


# A record broken by a raw line feed, or written over several lines


def joined_lines(lines: Sequence[bytes], between: Sequence[bytes]) -> tuple[bytes, int] | None:
    """The record that begins on the first of `lines`, on one line, and how many lines it takes.

    `between[n]` are the bytes between line n and the next. A line end within a string becomes an escape, one between
    two values a space. None when no record ends at the end of any of the lines.
    """
    parts: list[bytes] = []
    ends: dict[int, int] = {}
    length = 0
    within = False
    for number, line in enumerate(lines[:_LONGEST_RUN]):
        parts.append(line)
        length += len(line)
        ends[length] = number + 1
        within ^= _in_string(line)
        if number < len(between):
            gap = escape_controls(between[number]) if within else b" "
            parts.append(gap)
            length += len(gap)
    text = b"".join(parts)
    found = scan(text)
    if found.state != "complete" or ends.get(found.pos, 1) < 2:
        return None
    whole = text[: found.pos]
    return (whole, ends[found.pos]) if _reads(whole) else None


# Bytes that no JSON text may hold


def bad_bytes(raw: bytes) -> tuple[bytes, int]:
    """The first run of bytes that is not UTF-8, and the number of such runs; (b"", 0) when there is none."""
    first, places, pos = b"", 0, 0
    while places < _MANY:
        try:
            raw[pos:].decode("utf-8")
            break
        except UnicodeDecodeError as error:
            first = first or raw[pos + error.start : pos + error.end]
            places += 1
            pos += error.end
    return first, places


_MANY: Final = 20


# Other text before or after a record


def _trimmed(raw: bytes) -> RepairedBytes | None:
    """The records of the line; everything else on it is set aside."""
    bodies: list[bytes] = []
    aside: list[bytes] = []
    pos = tries = 0
    wrong = -1
    """Where the first record that cannot be read is wrong."""
    at = _next_start(raw, 0)
    while at >= 0 and tries < _MOST_TRIES:
        found = scan(raw, at)
        if found.state != "complete" or (wrong > pos and is_part(raw, at, wrong)):
            tries += 1
            wrong = found.pos if wrong <= pos else wrong
            at = _next_start(raw, at + 1)
            continue
        aside.append(raw[pos:at])
        bodies.append(raw[at : found.pos])
        pos = found.pos
        at = _next_start(raw, pos)
    aside.append(raw[pos:])
    return RepairedBytes(tuple(bodies), tuple(text for text in aside if text.strip(b" \t\r,"))) if bodies else None


_MOST_TRIES: Final = 64


def _next_start(raw: bytes, pos: int) -> int:
    return raw.find(b'{"', pos)


# Duplicate keys in an object


def without_doubles(raw: bytes, *, last: bool) -> bytes:
    """The record with each key once per object: the last value, as parsers read it, or the first."""
    cuts: list[tuple[int, int]] = []
    try:
        todo = [node_at(raw)]
        while todo:
            node = todo.pop()
            below = children(raw, node)
            if node.kind == "object":
                gone = _doubles(raw, below, last)
                cuts.extend(_cuts(below, gone))
                below = [member for number, member in enumerate(below) if number not in gone]
            todo.extend(member for member in below if member.kind in ("object", "array"))
    except BadSpan:
        return raw
    kept: list[bytes] = []
    pos = 0
    for start, end in sorted(cuts):
        kept.append(raw[pos:start])
        pos = max(pos, end)
    return b"".join((*kept, raw[pos:]))


def _doubles(raw: bytes, members: Sequence[JsonNode], last: bool) -> set[int]:
    by_key: dict[str, list[int]] = {}
    for number, member in enumerate(members):
        by_key.setdefault(key_text(raw, member), []).append(number)
    return {n for places in by_key.values() for n in (places[:-1] if last else places[1:])}


def _cuts(members: Sequence[JsonNode], gone: set[int]) -> list[tuple[int, int]]:
    """The spans to cut so that commas are left only between the members that stay."""
    kept = [number for number in range(len(members)) if number not in gone]
    cuts = []
    for number in sorted(gone):
        member = members[number]
        start = member.key[0] if member.key is not None else member.start
        if number < kept[-1]:
            follower = members[number + 1]
            cuts.append((start, follower.key[0] if follower.key is not None else follower.start))
        else:
            cuts.append((members[number - 1].end, member.end))
    return cuts


def doubled_keys(raw: bytes) -> tuple[str, ...]:
    """The keys that occur more than once in some object of the record, in the order of the text."""
    found: dict[str, None] = {}
    try:
        todo = [node_at(raw)]
        while todo:
            node = todo.pop()
            below = children(raw, node)
            if node.kind == "object":
                counts = Counter(key_text(raw, member) for member in below)
                found.update((key, None) for key, count in counts.items() if count > 1)
            todo.extend(member for member in below if member.kind in ("object", "array"))
    except BadSpan:
        pass
    return tuple(found)


_IN_PLACE: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "utf8": in_utf8,
    "halves": whole_characters,
    "escape": escaped,
    "bom": lambda raw: raw.removeprefix(BOM),
    "keep_last": partial(without_doubles, last=True),
    "keep_first": partial(without_doubles, last=False),
    "fraction": with_fractions,
    "numbers": with_words_for_numbers,
}
"""Repairs of which one record remains, and nothing is set aside."""
