"""Tests for searching and filtering rows by their content."""

from __future__ import annotations

import json
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from toolpair.dialects.block_texts import call_summary
from toolpair.tui.overview import Overview

if TYPE_CHECKING:
    from toolpair.history.conversation import RowPrefilter
    from toolpair.session.session import PairRow

Test = Callable[[int], bool]
NAMES = ("tool", "is", "id", "cause")


def row_text(overview: Overview, row: PairRow) -> str:
    """All the text of a row: tool, ids, the call's input, the result."""
    if row.pair is None:
        return row.label
    parts: list[str] = []
    for block in (row.pair.call, row.result):
        if block is None:
            continue
        parts.append(str(block.id))
        if block.kind == "call" or block is row.pair.call:
            parts.append(block.name or "")
            parts.append(call_summary(block))
        parts.append(block.text)
    return "\n".join(parts)


def text_test(overview: Overview, query: str) -> Test:
    """Whether a row contains `query`; upper-case letters in it make the search case-sensitive."""
    exact = query != query.lower()
    rows = overview.session.conversation.passing_rows()

    def test(n: int) -> bool:
        text = row_text(overview, rows[n])
        return query in (text if exact else text.lower())

    return test


def filter_test(overview: Overview, words: str) -> Test:
    """All terms of a filter combined. Raises ValueError, with a sentence, for an unknown term."""
    tests: list[Test] = []
    for term in words.split():
        name, colon, value = term.partition(":")
        if colon and name in NAMES:
            tests.append(_term(overview, name, value))
        else:
            tests.append(text_test(overview, term))
    return lambda n: all(test(n) for test in tests)


def text_row_filter(overview: Overview, query: str) -> RowPrefilter | None:
    """A fast prefilter that skips rows without `query`; None: each row must be tested."""
    return overview.session.conversation.row_filter([query])


def term_row_filter(overview: Overview, words: str) -> RowPrefilter | None:
    """A fast prefilter that skips rows a filter cannot match; None: each row must be tested."""
    texts: list[str] = []
    for term in words.split():
        name, colon, value = term.partition(":")
        if not colon or name not in NAMES:
            texts.append(term)
        elif name == "cause":
            return OnlyThese(partial(overview.rows_of_cause, value))
        elif name != "is":
            texts.append(value)
        elif value == "error":
            texts.append("is_error")
        elif value in _KNOWN_ROWS:
            return OnlyThese(partial(_KNOWN_ROWS[value], overview))
    return overview.session.conversation.row_filter(texts)


_KNOWN_ROWS: Final[dict[str, Callable[[Overview], Sequence[int]]]] = {
    "problem": Overview.rows_with_problems,
    "note": Overview.rows_with_problems,
    "fixed": Overview.rows_fixed,
}


class OnlyThese:
    """Skips all rows except some."""

    def __init__(self, find: Callable[[], Sequence[int]]) -> None:
        """`find` returns the rows, in order; it is called on first use."""
        self._find = find

    @cached_property
    def _rows(self) -> Sequence[int]:
        return self._find()

    def about(self, row: int) -> tuple[range, bool]:
        place = bisect_left(self._rows, row)
        next_row = self._rows[place] if place < len(self._rows) else sys.maxsize
        if next_row == row:
            return range(row, row + 1), True
        return range(self._rows[place - 1] + 1 if place else 0, next_row), False


def _term(overview: Overview, name: str, value: str) -> Test:
    rows = overview.session.conversation.passing_rows()

    def pair_test(check: Callable[[PairRow], bool]) -> Test:
        def test(n: int) -> bool:
            row = rows[n]
            return row.pair is not None and check(row)

        return test

    if name == "tool":
        wanted = value.lower()
        return pair_test(lambda r: r.pair is not None and r.pair.call is not None
                         and (r.pair.call.name or "").lower() == wanted)  # fmt: skip
    if name == "id":
        return pair_test(
            lambda r: r.pair is not None
            and any(value in _id(b.id) for b in (r.pair.call, r.result) if b is not None)
        )  # fmt: skip
    if name == "cause":
        return overview.has_cause(value)
    if value == "note":
        return lambda n: (p := overview.problem_at(n)) is not None and p.severity == "info"
    if value == "problem":
        return lambda n: (p := overview.problem_at(n)) is not None and p.severity != "info"
    if value == "error":
        return pair_test(lambda r: r.result is not None and r.result.is_error)
    if value == "fixed":
        return pair_test(lambda r: r.pair is not None and overview.is_fixed(r.pair))
    raise ValueError(f"is:{value} is not a filter; is:problem, is:error, is:note and is:fixed are.")


def _id(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
