"""Counting work instead of timing it: the same on every machine."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any


def work_of(run: Callable[[], Any]) -> int:
    """How many lines of toolpair's own code are executed while `run` runs."""
    return work_by_function(run).total()


def work_by_function(run: Callable[[], Any]) -> Counter[CodeType]:
    """The lines executed while `run` runs, by toolpair function."""
    tallies: dict[int, _Tally | None] = {}  # by identity: to hash a code object costs more than most lines do
    kept: list[CodeType] = []  # so that no other code gets the identity of one

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if id(code) not in tallies:
            tallies[id(code)] = _Tally(code) if "toolpair" in frame.f_globals.get("__name__", "") else None
            kept.append(code)
        tally = tallies[id(code)]
        return tally and tally.count

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    lines: Counter[CodeType] = Counter()
    for tally in filter(None, tallies.values()):
        lines[tally.code] += tally.lines
    return lines


class _Tally:
    """The lines of one function that were gone through."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.lines = 0
        self.count = self._count  # bound once

    def _count(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.lines += 1
        return self.count


def calls_by_function(run: Callable[[], Any], names: frozenset[str]) -> Counter[str]:
    """How often toolpair functions with these names are called while `run` runs."""
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name in names and "toolpair" in frame.f_globals.get("__name__", ""):
            calls[frame.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


_FIRST = 4
"""Warm-up repetitions until everything is compiled: a class's methods are after a few uses, however small."""


def growing(run: Callable[[int], Callable[[], Any]], sizes: tuple[int, int, int], slack: int = 24) -> list[str]:
    """The functions whose work grows faster than the size: `run` creates the job for one size.

    Each size is twice the previous one. Linear work grows twice as much from the second to the third as from the first
    to the second, quadratic work four times as much.
    """
    for size in (*sizes[:1] * (_FIRST - 1), sizes[-1]):
        run(size)()  # lazily read and created data exists afterwards
    few, more, many = (work_by_function(run(size)) for size in sizes)
    return [
        f"{code.co_filename.rpartition('toolpair/')[2]}:{code.co_firstlineno} {code.co_qualname}: "
        f"{few[code]}, {more[code]}, {many[code]} lines"
        for code in many
        if many[code] - more[code] > 3 * max(more[code] - few[code], 0) + slack
    ]
