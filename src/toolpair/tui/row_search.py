"""Tests for searching and filtering rows by their content."""

from __future__ import annotations

import json
import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from toolpair.dialects.block_texts import call_summary
from toolpair.history.row_texts import whole_text
from toolpair.history.row_times import RowTimes
from toolpair.tui.filter_terms import Term, seconds_range, size_range, terms_of, time_range
from toolpair.tui.numbers import count_text
from toolpair.tui.overview import Overview, cause_key

if TYPE_CHECKING:
    from toolpair.history.joined_windows import RowPrefilter
    from toolpair.session.session import PairRow

Test = Callable[[int], bool]
_NUMBERED_CAUSE: Final = re.compile(r"(?<!\S)(-?cause:)(\d{1,9})(?!\S)")


def row_text(overview: Overview, row: PairRow) -> str:
    """All the text of a row: tool, ids, the call's input, the result."""
    if row.pair is None:
        # In a long history the message would have to be read for each row.
        conversation = overview.session.conversation
        return row.label if conversation.fixes_are_local else whole_text(conversation, row)
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
    """All terms of a filter combined. Raises ValueError, with a sentence, for a term that means nothing."""
    tests = [(_term(overview, term), term.negated) for term in terms_of(words)]
    return lambda n: all(test(n) != negated for test, negated in tests)


def with_cause_keys(overview: Overview, words: str) -> str:
    """The words with causes named by what stays true when others are fixed, not by their numbers."""
    groups = overview.index.groups

    def named(found: re.Match[str]) -> str:
        number = int(found[2])
        return f"{found[1]}{cause_key(groups[number - 1])}" if 0 < number <= len(groups) else found[0]

    return _NUMBERED_CAUSE.sub(named, words)


def text_row_filter(overview: Overview, query: str) -> RowPrefilter | None:
    """A fast prefilter that skips rows without `query`; None: each row must be tested."""
    return overview.session.conversation.row_filter([query])


def term_row_filter(overview: Overview, words: str) -> RowPrefilter | None:
    """A fast prefilter that skips rows a filter cannot match; None: each row must be tested."""
    texts: list[str] = []
    for term in terms_of(words):
        if term.negated:
            continue
        if term.name == "cause":
            return OnlyThese(partial(overview.rows_of_cause, term.wanted))
        if term.is_text or term.name in ("tool", "id"):
            texts.append(term.wanted)
        elif term.name == "is" and term.wanted == "error":
            texts.append("is_error")
        elif term.name == "is" and term.wanted in _KNOWN_ROWS:
            return OnlyThese(partial(_KNOWN_ROWS[term.wanted], overview))
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


def _term(overview: Overview, term: Term) -> Test:
    name, value = term.name, term.wanted
    if term.is_text:
        return text_test(overview, value)
    if name in ("took", "size", "time"):
        return _measured(overview, name, value)
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
        count = len(overview.index.groups)
        if value.isdecimal() and not 0 < int(value[:9]) <= count:
            raise ValueError(f"there is no cause {value}; the list has {count_text(count, 'cause')}.")
        return frozenset(overview.rows_of_cause(value)).__contains__
    if value == "note":
        return lambda n: (p := overview.problem_at(n)) is not None and p.severity == "info"
    if value == "problem":
        return lambda n: (p := overview.problem_at(n)) is not None and p.severity != "info"
    if value == "error":
        return pair_test(lambda r: r.result is not None and r.result.is_error)
    if value == "fixed":
        return pair_test(lambda r: r.pair is not None and overview.is_fixed(r.pair))
    raise ValueError(f"is:{value} is not a filter; is:problem, is:error, is:note and is:fixed are.")


def _measured(overview: Overview, name: str, value: str) -> Test:
    """Whether a row was written, took so long or is so large. Rows of which the file does not say it do not match."""
    rows = overview.session.conversation.passing_rows()
    if name == "size":
        fits = size_range(value)
        return lambda n: (result := rows[n].result) is not None and fits(output_size(result.text))
    fits = seconds_range(value) if name == "took" else time_range(value)
    if not overview.times.any:
        raise ValueError(f"{name}: needs times, and this file does not say when its records were written.")
    times = RowTimes(overview.session.conversation)
    measure = times.seconds if name == "took" else times.written
    return lambda n: (known := measure(rows[n])) is not None and fits(known)


def output_size(text: str) -> int:
    """The bytes of an output."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _id(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
