"""Finding steps of a comparison by what they say, their tool or id, and on which side they are. Pure."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Final

from toolpair.history.comparison_rows import ComparisonRow, ComparisonRows
from toolpair.history.steps import History, Step
from toolpair.history.two_histories import Comparison
from toolpair.tui.filter_terms import Term, terms_of

TERMS: Final = (
    "tool:Bash  is:different  is:same  is:a (only in A)  is:b  id:toolu_1",
    'text:"two words" or any word. All terms must match; -term excludes.',
)
_STATES: Final = {"different": "differs", "same": "same", "a": "only a", "b": "only b"}
Test = Callable[[ComparisonRow], bool]


def text_test(found: Comparison, words: str) -> Test:
    """Whether a row has this text on either side; a capital letter in it distinguishes them."""
    exact = words != words.lower()

    def test(row: ComparisonRow) -> bool:
        for history, step in ((found.a, row.a), (found.b, row.b)):
            if step is not None:
                text = _text(history, step)
                if words in (text if exact else text.lower()):
                    return True
        return False

    return test


def filter_test(found: Comparison, words: str) -> Test:
    """All terms of a filter combined. Raises ValueError, with a sentence, for a term that means nothing here."""
    tests = [(_term(found, term), term.negated) for term in terms_of(words)]
    return lambda row: all(test(row) != negated for test, negated in tests)


def _term(found: Comparison, term: Term) -> Test:
    wanted = term.wanted.lower()
    match term.name:
        case "tool":
            return lambda row: any(
                step is not None and step.pair >= 0 and step.name.lower() == wanted for step in (row.a, row.b)
            )
        case "is":
            kind = _STATES.get(wanted)
            if kind is None:
                raise ValueError(
                    f"is:{term.wanted} is not a filter here; {', '.join(f'is:{name}' for name in _STATES)} are."
                )
            return lambda row: found.parts[row.part].kind == kind
        case "id":
            return lambda row: any(
                wanted in id_.lower()
                for history, step in ((found.a, row.a), (found.b, row.b))
                if step is not None
                for id_ in _ids(history, step)
            )
        case "" | "text":
            return text_test(found, term.wanted)
    raise ValueError(f"{term.name}: is not a filter here; tool:, is:, id: and text: are.")


def _ids(history: History, step: Step) -> list[str]:
    pair = history.pair_of(step)
    blocks = () if pair is None else (pair.call, *pair.results)
    return [str(block.id) for block in blocks if block is not None]


def _text(history: History, step: Step) -> str:
    """All that a step says."""
    pair = history.pair_of(step)
    if pair is None:
        return history.block_of(step).text
    blocks = (block for block in (pair.call, *pair.results) if block is not None)
    return "\n".join((step.name, *_ids(history, step), *(block.text for block in blocks)))


def unfolded(found: Comparison) -> ComparisonRows:
    """All rows, step by step."""
    return ComparisonRows(found, range(len(found.parts)))


def matching(rows: ComparisonRows, test: Test, rest: Callable[[], object]) -> list[int]:
    """The rows with a step that passes the test. `rest` is called now and then; it may raise to end it."""
    hits: list[int] = []
    for n in range(len(rows)):
        rest()
        row = rows[n]
        if (row.a is not None or row.b is not None) and test(row):
            hits.append(n)
    return hits


class ChosenRows:
    """Some of the rows, as `ComparisonRows` are."""

    def __init__(self, rows: ComparisonRows, chosen: Sequence[int]) -> None:
        self.comparison: Final = rows.comparison
        self.unfolded: Final = rows.unfolded
        self.chosen: Final = chosen
        self._rows = rows
        parts = [rows[n].part for n in chosen]
        self._parts = parts
        self._starts = [
            n
            for n, part in enumerate(parts)
            if rows.comparison.parts[part].kind != "same" and (not n or parts[n - 1] != part)
        ]

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def differences(self) -> int:
        return len(self._starts)

    def __getitem__(self, row: int) -> ComparisonRow:
        return self._rows[self.chosen[row]]

    def row_of(self, place: int) -> int:
        """The first row of a part."""
        return bisect_left(self._parts, place)

    def next(self, row: int, by: int) -> int | None:
        """The first row of the next or previous difference."""
        place = bisect_right(self._starts, row) if by > 0 else bisect_left(self._starts, row) - 1
        return self._starts[place] if 0 <= place < len(self._starts) else None

    def number(self, row: int) -> int:
        """The number, from 1, of the difference that a row belongs to; 0 before the first."""
        return bisect_right(self._starts, row)
