"""Finding steps of a comparison by what they say, their tool or id, and on which side they are. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Final

from toolpair.history.comparison_rows import ComparisonRow, ComparisonRows, Differences
from toolpair.history.steps import DiffStep
from toolpair.history.two_histories import Comparison
from toolpair.tui.filter_terms import Term, terms_of

TERMS: Final = (
    "tool:Bash  is:different  is:same  is:a (only in A)  is:b  id:toolu_1",
    'text:"two words" or any word. All terms must match; -term excludes.',
)
_STATES: Final = {"different": "differs", "same": "same", "a": "only a", "b": "only b"}
Test = Callable[[ComparisonRow], bool]


def text_test(words: str) -> Test:
    """Whether a row has this text on either side; a capital letter in it distinguishes them."""
    exact = words != words.lower()

    def test(row: ComparisonRow) -> bool:
        return any(words in (text if exact else text.lower()) for text in map(_text, row.steps))

    return test


def filter_test(words: str) -> Test:
    """All terms of a filter combined. Raises ValueError, with a sentence, for a term that means nothing here."""
    tests = [(_term(term), term.negated) for term in terms_of(words)]
    return lambda row: all(test(row) != negated for test, negated in tests)


def _term(term: Term) -> Test:
    wanted = term.wanted.lower()
    match term.name:
        case "tool":
            return lambda row: any(step.pair is not None and step.name.lower() == wanted for step in row.steps)
        case "is":
            kind = _STATES.get(wanted)
            if kind is None:
                raise ValueError(
                    f"is:{term.wanted} is not a filter here; {', '.join(f'is:{name}' for name in _STATES)} are."
                )
            return lambda row: row.kind == kind
        case "id":
            return lambda row: any(wanted in id_.lower() for step in row.steps for id_ in step.ids)
        case "" | "text":
            return text_test(term.wanted)
    raise ValueError(f"{term.name}: is not a filter here; tool:, is:, id: and text: are.")


def _text(step: DiffStep) -> str:
    """All that a step says."""
    if step.pair is None:
        return step.text or ""
    return "\n".join((step.name, *step.ids, *(block.text for block in step.blocks)))


def unfolded(found: Comparison) -> ComparisonRows:
    """All rows, step by step."""
    return ComparisonRows(found, range(len(found.parts)))


def matching(rows: ComparisonRows, test: Test, rest: Callable[[], object]) -> list[int]:
    """The rows with a step that passes the test. `rest` is called now and then; it may raise to end it."""
    hits: list[int] = []
    for n in range(len(rows)):
        rest()
        row = rows[n]
        if row.steps and test(row):
            hits.append(n)
    return hits


class ChosenRows(Differences):
    """Some of the rows, as `ComparisonRows` are."""

    def __init__(self, rows: ComparisonRows, chosen: Sequence[int]) -> None:
        self.comparison: Final = rows.comparison
        self.unfolded: Final = rows.unfolded
        self.chosen: Final = chosen
        self._rows = rows
        found = [rows[n] for n in chosen]
        self._parts = [row.part for row in found]
        super().__init__(
            [n for n, row in enumerate(found) if row.kind != "same" and (not n or found[n - 1].part != row.part)]
        )

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, row: int) -> ComparisonRow:
        return self._rows[self.chosen[row]]

    def row_of(self, place: int) -> int:
        """The first row of a part."""
        return bisect_left(self._parts, place)
