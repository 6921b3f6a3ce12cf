"""What is wrong with one request, checked as its provider would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolpair.formats import get_format
from toolpair.formats.format import Item
from toolpair.history.checked_records import CheckedRecords, request_of
from toolpair.history.list_windows import windows_in
from toolpair.reports.first_break.bodies import History
from toolpair.rules.problem import Problem
from toolpair.rules.profiles import profile as profile_named
from toolpair.rules.registry import RULES
from toolpair.source.gc_pause import gc_paused

_OF_PAIRS: Final = frozenset({"result", "call", "turn"})
"""Families of rules that all say that a pair is broken: which of them does may change with what follows."""
Key = tuple[str, object]


def errors_in(history: History, profile: str) -> list[Problem]:
    """The errors of a history, each at its message."""
    checked_by, request = profile_named(profile), request_of(history.outer)
    with gc_paused():
        windows = windows_in(history.messages, history.format, checked_by, request=request)
        if windows is not None:
            found = windows.problems
        else:
            items = [Item(number, message) for number, message in enumerate(history.messages)]
            found = CheckedRecords(items, get_format(history.format), checked_by, request).problems
    return [problem for problem in found if problem.severity == "error"]


def keys_of(problems: Sequence[Problem]) -> list[Key]:
    """For each problem what is broken: the same in all requests that hold it, and another for the second of two."""
    seen: dict[Key, int] = {}
    keys: list[Key] = []
    for problem in problems:
        key = _key(problem)
        count = seen[key] = seen.get(key, 0) + 1
        keys.append(key if count == 1 else (f"{key[0]} {count}", key[1]))
    return keys


def _key(problem: Problem) -> Key:
    family = problem.rule.partition(".")[0]
    ids = [block.id for block in (problem.call, problem.result) if block is not None and isinstance(block.id, str)]
    if not ids:
        return problem.rule, None
    return ("pair" if family in _OF_PAIRS else problem.rule), ids[0]


def is_of_texts(problem: Problem) -> bool:
    """Whether it is about what a call or a result says, which a log may have shortened."""
    return RULES[problem.rule].is_of_texts
