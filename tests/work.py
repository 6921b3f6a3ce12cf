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
    lines: Counter[CodeType] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if "toolpair" not in frame.f_globals.get("__name__", ""):
            return None
        code = frame.f_code

        def count(frame: FrameType, event: str, _: Any) -> Any:
            lines[code] += event == "line"
            return count

        return count(frame, event, _)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines


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
"""Warm-up repetitions until everything is compiled: a class's methods are after a few uses."""


def growing(run: Callable[[int], Callable[[], Any]], sizes: tuple[int, int, int], slack: int = 24) -> list[str]:
    """The functions whose work grows faster than the size: `run` creates the job for one size.

    Each size is twice the previous one. Linear work grows twice as much from the second to the third as from the first
    to the second, quadratic work four times as much.
    """
    for _ in range(_FIRST):
        run(sizes[-1])()  # lazily read and created data exists afterwards
    few, more, many = (work_by_function(run(size)) for size in sizes)
    return [
        f"{code.co_filename.rpartition('toolpair/')[2]}:{code.co_firstlineno} {code.co_qualname}: "
        f"{few[code]}, {more[code]}, {many[code]} lines"
        for code in many
        if many[code] - more[code] > 3 * max(more[code] - few[code], 0) + slack
    ]
