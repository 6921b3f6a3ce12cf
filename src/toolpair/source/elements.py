"""The elements of the largest array in a JSON document, found by scanning brackets without parsing what is in it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from typing import Any, Final

import orjson

from toolpair.source.file_bytes import BLOCK, Content
from toolpair.source.json_spans import STRING_REST
from toolpair.source.record_values import parse
from toolpair.transcript.model import Damaged

_TO_BRACKET: Final[Any] = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+[\[\]{}]', re.DOTALL)
_TO_FIRST_KEY: Final = re.compile(rb'\{[ \t\n\r]*"[^"\\]*"')
_TRUST: Final = 16
"""What guesses at where an element ends begin with; a wrong one takes two, a right one gives one back."""
_SPACE: Final = b" \t\n\r"
_LONGEST_GAP: Final = 1 << 16
_OPENS: Final = 2
"""The bit that differs between an opening bracket and its closing one."""
_ARRAY: Final = ord("[")
_OBJECT_ENDS: Final = ord("}")


class Elements:
    """Consecutive objects and arrays from the start of an array, all valid and separated by commas, with their spans.

    Anything else (a string or number, bad JSON, the end of the text) ends the run; what follows is for others to read.
    `lines` has, for each element, the number of line ends before it.
    """

    __slots__ = ("ends", "lines", "start", "starts", "value_end")

    def __init__(self, start: int, code: str) -> None:
        self.start = start
        """Offset of the array's opening bracket."""
        self.starts = array(code)
        self.ends = array(code)
        self.lines = array("I")
        self.value_end: int | None = None
        """Where the value that contains the array ends; None when no end was found."""

    @property
    def size(self) -> int:
        return self.ends[-1] - self.start if self.ends else 0


def largest_array(content: Content, start: int, size: int = BLOCK, longest: int = 1 << 62) -> Elements | None:
    """The elements of the largest array that is nested only in objects, in the value at `start`.

    None when no array there holds objects or arrays. The content is read in blocks of `size` bytes; an element longer
    than `longest` ends the run. Raises Unreadable as `content` does.
    """
    walk = _Walk(content, longest)
    for at in range(start, len(content), size):
        if not walk.take(at, content[at : at + size]):
            break
    walk.leave_array()
    if walk.best is not None:
        walk.best.value_end = walk.value_end
    return walk.best


class _Walk:
    """Steps from bracket to bracket. Strings are skipped; whether they and numbers are valid is left to parsers."""

    def __init__(self, content: Content, longest: int) -> None:
        self._content = content
        self._longest = longest
        self._code = "I" if len(content) < 1 << 32 else "Q"
        self._objects = 0
        """How many nested objects are open here."""
        self._depth = 0
        """Open brackets within the array."""
        self._array: Elements | None = None
        self._goes_on = False
        """Whether the run of elements continues."""
        self._opened = 0
        self._in_string = False
        self._escaped = False
        self._lines = 0
        self._usual_gap = b","
        self._between = b""
        """From the end of an element to the first key of the next, as it was last."""
        self._trust = _TRUST
        self._counted = 0
        """To where in the block line ends are counted."""
        self.best: Elements | None = None
        self.value_end: int | None = None

    def take(self, at: int, block: bytes) -> bool:
        """Scan the block that starts at `at`. False when the value has ended or cannot be followed."""
        place = 0
        if self._in_string:
            place = self._leave_string(block)
            if self._in_string:
                self._lines += block.count(b"\n")
                return True
        self._counted = 0 if b"\n" in block else len(block)
        match = _TO_BRACKET.scanner(block, place).match
        end = place
        while (found := match()) is not None:
            end = found.end()
            bracket = block[end - 1]
            if self._array is not None:
                if bracket & _OPENS:
                    if not self._depth:
                        self._count(block, end)
                        self._open(at + end - 1, at, block)
                    self._depth += 1
                elif self._depth > 1:
                    self._depth -= 1
                elif self._depth:
                    self._depth = 0
                    if self._goes_on:
                        self._close(at + end, at, block)
                        if (leapt := self._leap(end, at, block)) > end:
                            end, match = leapt, _TO_BRACKET.scanner(block, leapt).match
                else:
                    self.leave_array()
                    if not self._objects:
                        self.value_end = at + end
                        return False
            elif bracket == _ARRAY:
                self._array = Elements(at + end - 1, self._code)
                self._goes_on = True
            elif bracket & _OPENS:
                self._objects += 1
            elif bracket == _OBJECT_ENDS and self._objects > 1:
                self._objects -= 1
            else:
                self.value_end = at + end if bracket == _OBJECT_ENDS else None
                return False
        self._count(block, len(block))
        self._enter_string(block, end)
        return True

    def _count(self, block: bytes, end: int) -> None:
        """Count the line ends in front of a place in the block."""
        self._lines += block.count(b"\n", self._counted, end)
        self._counted = max(self._counted, end)

    def leave_array(self) -> None:
        """The array, or the text, has ended."""
        here, self._array = self._array, None
        if here is not None and here.ends and (self.best is None or here.size > self.best.size):
            del here.starts[len(here.ends) :]
            del here.lines[len(here.ends) :]
            self.best = here

    def _open(self, place: int, at: int, block: bytes) -> None:
        here = self._array
        if here is None or not self._goes_on:
            return
        before = here.ends[-1] if here.ends else here.start + 1
        if place - before > _LONGEST_GAP:
            self._goes_on = False
            return
        gap = block[before - at : place - at] if before >= at else self._content[before:place]
        if not here.ends:
            self._goes_on = not gap.strip(_SPACE)
        elif gap != self._usual_gap:
            self._goes_on = gap.strip(_SPACE) == b","
            self._usual_gap = gap if self._goes_on else b","
        if self._goes_on:
            here.starts.append(place)
            here.lines.append(self._lines)
            key = _TO_FIRST_KEY.match(block, place - at)
            self._between = gap + key[0] if here.ends and key is not None else b""

    def _close(self, place: int, at: int, block: bytes) -> None:
        here = self._array
        assert here is not None
        start = here.starts[-1]
        if place - start > self._longest:
            self._goes_on = False
            return
        body = block[start - at : place - at] if start >= at else self._content[start:place]
        self._goes_on = _is_valid(body)
        if self._goes_on:
            here.ends.append(place)

    def _leap(self, end: int, at: int, block: bytes) -> int:
        """Takes elements that begin as the one before `end` did, without stepping through their brackets: where the
        last of them ends.

        One ends before the next place that looks like what stands between them, if a parser takes it so: no part of a
        JSON object from its start is an object.
        """
        here, between = self._array, self._between
        if here is None or not between or not self._goes_on:
            return end
        gap = between.index(b"{")
        while self._trust > 0 and block.startswith(between, end):
            start = end + gap
            found = block.find(b"}" + between, start) + 1
            try:
                orjson.loads(block[start:found] if 0 < found - start <= self._longest else b"")
            except (ValueError, RecursionError, MemoryError):
                self._trust -= 2
                break
            self._trust = min(self._trust + 1, _TRUST)
            self._count(block, start)
            here.starts.append(at + start)
            here.lines.append(self._lines)
            here.ends.append(at + found)
            end = found
        return end

    def _enter_string(self, block: bytes, place: int) -> None:
        """Note whether the block ends inside a string. After `place` it has no brackets outside strings."""
        while (place := block.find(b'"', place)) >= 0:
            found = STRING_REST.match(block, place + 1)
            if found is None:
                self._in_string = True
                self._escaped = _ends_in_escape(block, place + 1)
                return
            place = found.end()

    def _leave_string(self, block: bytes) -> int:
        """Where the string that was open at the end of the previous block ends."""
        begin = 1 if self._escaped else 0
        found = STRING_REST.match(block, begin)
        if found is None:
            self._escaped = _ends_in_escape(block, begin)
            return len(block)
        self._in_string = self._escaped = False
        return found.end()


def _ends_in_escape(block: bytes, begin: int) -> bool:
    """Whether the first byte of the next block is escaped by the last one of this block."""
    return (len(block) - begin - len(block[begin:].rstrip(b"\\"))) % 2 == 1


def _is_valid(body: bytes, loads: Callable[[bytes], Any] = orjson.loads) -> bool:
    try:
        loads(body)
    except (ValueError, RecursionError, MemoryError):
        return not isinstance(parse(body), Damaged)
    return True
