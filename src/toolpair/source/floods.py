"""Floods: thousands of consecutive lines that are not records, all in the same way, kept as one record of many lines.

The index detects them, so that a file of garbage does not cost an object per line.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from toolpair.source.file_bytes import Content, line_blocks
from toolpair.source.record_values import is_utf8, read
from toolpair.transcript.model import Damaged, EmptyObject

PROBED: Final = 1000
"""One line in so many is probed, and the last one of each block: a flood is too long to fit between probes."""
LEAST: Final = 2001
"""Minimum lines of a flood: longer than any record written over several lines, so that none can be part of one."""
LEAST_WITH_TEXT: Final = 20_000
"""The same where the lines may hold text: fewer than this are read one by one."""
_BLOCK: Final = 1 << 17
LONGEST: Final = 1 << 20
"""Maximum bytes of a line in a flood."""
_SPACE: Final = b" \t\r"
_STRING_START: Final = re.compile(rb"[:\[,][ \t]*+\"")
"""A string that is not a key may begin here."""


class Flood(Struct, frozen=True, eq=False):
    """Similar lines, from where the search started up to byte `end`."""

    end: int
    next_start: int
    """Where the next line begins."""
    lines: int
    count: int
    """How many of the lines are not blank."""
    value: Any
    """The `Record.value` of the first line: `Damaged`, or a JSON value that is not a record."""
    says: bool = False
    """Its lines may hold text."""


class _Walk:
    """Walks from line to line as long as they are alike."""

    def __init__(self, start: int) -> None:
        self._at = start
        self._lines = 0
        self._known = b""
        """The last line that was looked at: many are identical."""
        self._kind: Hashable = None
        self._says = False
        self._value: Any = None
        self._count = 0
        # Of the last line of the flood: its end, the start of the next, the number of lines; and the same of the line
        # before.
        self._last = self._before = (0, 0, 0)

    def take(self, block: bytes) -> bool:
        """Take the next lines. False when one is of another kind."""
        whole = self._known + b"\n"
        times = len(block) // len(whole)
        if self._known.strip(_SPACE) and times > 1 and block == whole * times:
            self._repeat(times - 1, len(whole))
            block = whole
        for line in block.removesuffix(b"\n").split(b"\n"):
            next_start = self._at + len(line) + 1
            self._lines += 1
            if line != self._known or not line:
                text = line.strip(_SPACE)
                if not text:
                    if self._says:
                        return False  # what replaces lines with a meaning must not touch blank ones
                    self._at = next_start
                    continue
                value, kind, says = _kind(text)
                blank = self._lines - 1 > self._count
                if kind is None or (self._count and kind != self._kind) or (says and blank):
                    return False
                self._known, self._kind = line, kind
                self._says = self._says or says
                if not self._count:
                    self._value = value
            self._count += 1
            self._before, self._last = self._last, (self._at + len(line.rstrip(_SPACE)), next_start, self._lines)
            self._at = next_start
        return True

    def _repeat(self, times: int, size: int) -> None:
        """Take the last line again, so many times at once. The next one is taken as any other."""
        self._at += times * size
        self._lines += times
        self._count += times
        self._last = (self._at - size + len(self._known.rstrip(_SPACE)), self._at, self._lines)

    def flood(self) -> Flood | None:
        """The flood that was found; None when it is too short."""
        last, count = self._last, self._count
        if isinstance(self._value, Damaged) and self._value.rule == "record.torn":
            # The last one may be the first line of a record that is written over several.
            last, count = self._before, count - 1
        value = EmptyObject() if self._value == {} else self._value
        return Flood(*last, count, value, self._says) if count >= (LEAST_WITH_TEXT if self._says else LEAST) else None


def flood_at(content: Content, start: int, stop: int) -> Flood | None:
    """The flood whose first line begins at `start`; None when there are not enough lines. Raises Unreadable."""
    walk = _Walk(start)
    for _, block in line_blocks(content, start, _BLOCK, stop=stop):
        if not walk.take(block):
            break
    return walk.flood()


def begins_at(lines: Sequence[bytes | memoryview], number: int, first: int) -> int:
    """The index, from `first` on, where the lines begin that are alike up to line `number`."""
    known = bytes(lines[number])
    _, wanted, says = _kind(known.strip(_SPACE))
    begin = number
    for at in range(number - 1, first - 1, -1):
        line = bytes(lines[at])
        text = line.strip(_SPACE)
        if line != known:
            if not text and not says:
                continue
            if not text or _kind(text)[1] != wanted:
                break
        begin = at
    return begin


def may_begin(line: bytes) -> bool:
    """Whether a flood may begin with this line."""
    text = line.strip(_SPACE) if len(line) <= LONGEST else b""
    return bool(text) and not _is_record(text) and _kind(text)[1] is not None


def _is_record(text: bytes) -> bool:
    """Whether it surely is one: nothing of it is read, only skipped, which nearly every line that is probed takes."""
    if not text.startswith(b'{"'):
        return False
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _kind(text: bytes) -> tuple[Any, Hashable, bool]:
    """What the line is, in which way it is not a record (None: it may be one), and whether it may hold text."""
    if len(text) > LONGEST:
        return None, None, True
    value, _ = read(text)
    if not isinstance(value, Damaged):
        return value, None if isinstance(value, (dict, list)) and value else type(value).__name__, False
    if value.first is not None:
        return value, None, True  # some agents read it
    says = bool(value.parts) or ((b"{" in text or b"[" in text) and _STRING_START.search(text) is not None)
    return value, (value.rule, value.reason.partition(":")[0], says, is_utf8(text)), says
