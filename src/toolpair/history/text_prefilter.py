"""A prefilter on JSON bytes: whether they may contain a text, without parsing and without false negatives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolpair.transcript.model import COMPACTED, UNDONE

_RUN: Final = re.compile(r"[0-9A-Za-z_]{2,}")
_OF_A_NUMBER: Final = re.compile(r"[0-9eE]+")
_NUMBER: Final = "0123456789eE+-."
_BEFORE_A_NUMBER: Final = " \n[:,"
_BEHIND_A_NUMBER: Final = " \n,]}"
_MADE: Final = ("none", "null", "infinity", "nan")
"""What is shown for a value that the file lacks, or spells differently."""
_ESCAPE: Final = b"\\u00"
_SPELT: Final = re.compile(rb"\\u00(?:0[89acd]|[3-7])")
"""Letters, digits and control characters with a short escape, written as hexadecimal escapes."""
_FOLDED: Final = (b"\xc4\xb0", b"\xe2\x84\xaa", b"\\u0130", b"\\u212a")
"""The only non-ASCII characters whose lower case is an ASCII letter: i and k."""
# Numbers that may be shown with other digits than written: found by making all digits equal.
_LEVEL: Final = bytes.maketrans(b"123456789.", b"0000000000")
_MANY_DIGITS: Final = b"0" * 17
_ZERO: Final = ord("0")
_ESCAPES: Final = (b"\\n", b"\\r", b"\\t")
_SMALL: Final = b"0.0000"
_EXPONENT: Final = re.compile(rb"0e[-+]?0+(?![0a-z-])")


class ByteQuery:
    """Texts that must all occur, ignoring case.

    Their runs of ASCII letters, digits and underscores are searched for: a writer may spell everything between them in
    several ways, but the runs in only one, unless the bytes show that the writer escapes them.
    """

    __slots__ = ("_folds", "_numbers", "_runs")

    def __init__(self, texts: Sequence[str]) -> None:
        found = {run.group().lower(): _may_be_a_number(text, run) for text in texts for run in _RUN.finditer(text)}
        runs = sorted((run for run in found if not any(run in made for made in _MADE)), key=len, reverse=True)
        if any(all(text.lower() in shown for text in texts) for shown in (COMPACTED, UNDONE)):
            runs = []
        sure = [run for run in runs if not found[run]]
        self._numbers = bool(runs) and not sure
        """Only runs that may be part of a number are searched for."""
        self._runs = [run.encode() for run in sure or runs]
        self._folds = any(b"i" in run or b"k" in run for run in self._runs)

    @property
    def is_useful(self) -> bool:
        """Whether there is anything to search for; without that, everything may match."""
        return bool(self._runs)

    def may_occur_in(self, lowered: bytes) -> bool:
        """Whether records whose lower-cased bytes are these may contain all the texts."""
        if all(run in lowered for run in self._runs):
            return True
        if _ESCAPE in lowered and _SPELT.search(lowered) is not None:
            return True
        if self._folds and any(letter in lowered for letter in _FOLDED):
            return True
        return self._numbers and _has_odd_number(lowered)


def _may_be_a_number(text: str, run: re.Match[str]) -> bool:
    """Whether the run, with what is around it, may be part of a number."""
    if _OF_A_NUMBER.fullmatch(run.group()) is None:
        return False
    start, end = run.span()
    while start and text[start - 1] in _NUMBER:
        start -= 1
    while end < len(text) and text[end] in _NUMBER:
        end += 1
    return (not start or text[start - 1] in _BEFORE_A_NUMBER) and (end == len(text) or text[end] in _BEHIND_A_NUMBER)


def _has_odd_number(lowered: bytes) -> bool:
    """Whether there may be a number that is shown with other digits than written."""
    if _SMALL in lowered:
        return True
    levelled = lowered.translate(_LEVEL)
    return _MANY_DIGITS in levelled or any(
        _is_standalone(levelled, found.start()) for found in _EXPONENT.finditer(levelled)
    )


def _is_standalone(levelled: bytes, at: int) -> bool:
    """Whether no letter precedes the digits up to here, except that of an escape."""
    while at and levelled[at - 1] == _ZERO:
        at -= 1
    return not levelled[at - 1 : at].isalpha() or levelled[max(at - 2, 0) : at] in _ESCAPES
