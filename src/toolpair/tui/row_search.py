"""Finding and filtering rows by what stands in them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from toolpair.tui.overview import Overview

if TYPE_CHECKING:
    from toolpair.session import Row

Test = Callable[[int], bool]


def row_text(overview: Overview, row: Row) -> str:
    """All that a row says: tool, ids, the call's input, the result."""
    if row.pair is None:
        return row.label
    parts: list[str] = []
    for block in (row.pair.call, row.result):
        if block is None:
            continue
        parts.append(str(block.id))
        if block.kind == "call" or block is row.pair.call:
            parts.append(block.name or "")
            parts.append(overview.session.call_summary(block))
        parts.append(overview.session.block_text(block))
    return "\n".join(parts)


def text_test(overview: Overview, query: str) -> Test:
    """Whether a row holds `query`; upper case letters in it make case matter."""
    exact = query != query.lower()

    def test(n: int) -> bool:
        text = row_text(overview, overview.rows[n])
        return query in (text if exact else text.lower())

    return test


def filter_test(overview: Overview, words: str) -> Test:
    """All terms of a filter together. Raises ValueError, a sentence, for a term that is not known."""
    tests: list[Test] = []
    for term in words.split():
        name, colon, value = term.partition(":")
        if colon and name in ("tool", "is", "id"):
            tests.append(_term(overview, name, value))
        else:
            tests.append(text_test(overview, term))
    return lambda n: all(test(n) for test in tests)


def _term(overview: Overview, name: str, value: str) -> Test:
    def pair_test(check: Callable[[Row], bool]) -> Test:
        return lambda n: overview.rows[n].pair is not None and check(overview.rows[n])

    if name == "tool":
        wanted = value.lower()
        return pair_test(lambda r: r.pair is not None and r.pair.call is not None
                         and (r.pair.call.name or "").lower() == wanted)  # fmt: skip
    if name == "id":
        return pair_test(
            lambda r: r.pair is not None
            and any(value in _id(b.id) for b in (r.pair.call, r.result) if b is not None)
        )  # fmt: skip
    if value == "problem":
        return lambda n: (p := overview.problem_at(n)) is not None and p.severity != "info"
    if value == "error":
        return pair_test(lambda r: r.result is not None and r.result.is_error)
    if value == "mended":
        return pair_test(lambda r: r.pair is not None and overview.is_mended(r.pair))
    raise ValueError(f"is:{value} is not known; is:problem, is:error and is:mended are.")


def _id(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
