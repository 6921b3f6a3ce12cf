"""Two sessions compared by what they say: the data of `toolpair diff`, and the library's function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final, Literal

from msgspec import Struct

from toolpair.history.comparison_rows import ComparisonRows
from toolpair.history.comparison_text import summary_text
from toolpair.history.steps import History, Step, StepKind, history_of
from toolpair.history.two_histories import Aspect, Comparison, PartKind, Tally, compared
from toolpair.session.session import Session, open_session

DifferenceKind = Literal["differs", "only a", "only b"]


class DiffStep(Struct, frozen=True, eq=False):
    """One step of a history: a call with its results, or something else that a message says."""

    history: History
    step: Step

    @property
    def kind(self) -> StepKind:
        return self.step.kind

    @property
    def name(self) -> str:
        """The tool; else who speaks."""
        return self.step.name

    @property
    def line(self) -> int | None:
        """The line of the file, from 1."""
        return self.history.line_of(self.step)

    @property
    def message(self) -> int:
        return self.step.message

    @property
    def inherited(self) -> bool:
        """It stands in another session's file, which this one continues; numbers count in what is inherited."""
        return self.step.inherited

    @property
    def pair(self) -> int | None:
        """The number of the pair; None for what is no pair."""
        return self.step.pair if self.step.pair >= 0 else None

    @property
    def call_id(self) -> object:
        """The id of the call; any JSON value may be in its place."""
        pair = self.history.pair_of(self.step)
        return pair.call.id if pair is not None and pair.call is not None else None

    @property
    def result_ids(self) -> tuple[object, ...]:
        pair = self.history.pair_of(self.step)
        return tuple(result.id for result in pair.results) if pair is not None else ()

    @property
    def call(self) -> str | None:
        """What the call says."""
        pair = self.history.pair_of(self.step)
        return pair.call.text if pair is not None and pair.call is not None else None

    @property
    def results(self) -> tuple[str, ...]:
        """What the results say."""
        pair = self.history.pair_of(self.step)
        return tuple(result.text for result in pair.results) if pair is not None else ()

    @property
    def text(self) -> str | None:
        """What is said, where it is no pair."""
        return self.history.block_of(self.step).text if self.step.pair < 0 else None


class Difference(Struct, frozen=True, eq=False):
    """A step that differs, and in what; or one that only one of the two has."""

    kind: DifferenceKind
    differs: tuple[Aspect, ...]
    a: DiffStep | None
    b: DiffStep | None


class DiffParting(Struct, frozen=True, eq=False):
    """Where the two part: the first steps that only one has, and with how many pairs each goes on."""

    a: DiffStep
    b: DiffStep
    pairs_a: int
    pairs_b: int


class ConversationDiff(Struct, frozen=True, eq=False):
    """A conversation that both sessions have."""

    comparison: Comparison

    @property
    def same(self) -> bool:
        return self.comparison.same

    def __bool__(self) -> bool:
        """True when they are the same."""
        return self.same

    def __str__(self) -> str:
        return summary_text(self.comparison)

    @property
    def counts(self) -> Mapping[PartKind, Tally]:
        """How many pairs and other steps are the same, differ, are only in one."""
        return self.comparison.tallies

    @property
    def parting(self) -> DiffParting | None:
        found = self.comparison.parting
        if found is None:
            return None
        a, b = self.comparison.a, self.comparison.b
        return DiffParting(DiffStep(a, a.steps[found.a]), DiffStep(b, b.steps[found.b]), found.pairs_a, found.pairs_b)

    @property
    def differences(self) -> Iterator[Difference]:
        """In the order of both."""
        comparison = self.comparison
        rows = ComparisonRows(comparison)
        for row in map(rows.__getitem__, range(len(rows))):
            part = comparison.parts[row.part]
            if part.kind != "same" and (row.a is not None or row.b is not None):
                yield Difference(
                    part.kind,
                    part.aspects,
                    DiffStep(comparison.a, row.a) if row.a is not None else None,
                    DiffStep(comparison.b, row.b) if row.b is not None else None,
                )


class SessionDiff(Struct, frozen=True, eq=False):
    """Two sessions, conversation by conversation; None for one that only one of them has. True if they are the same."""

    a: Session
    b: Session
    conversations: tuple[ConversationDiff | None, ...]

    @property
    def same(self) -> bool:
        return all(found is not None and found.same for found in self.conversations)

    def __bool__(self) -> bool:
        return self.same

    def __str__(self) -> str:
        longer = "a" if len(self.a.conversations) > len(self.b.conversations) else "b"
        return "\n".join(str(found) if found is not None else _MISSING.format(longer) for found in self.conversations)


_MISSING: Final = "Only {} has this conversation."


def diff(
    a: Session | str | os.PathLike[str], b: Session | str | os.PathLike[str], *, ignore_ids: bool = False
) -> SessionDiff:
    """Compare two sessions by what they say, as their agent would continue them.

    The order of keys, record ids, times and other branches do not count; ids of calls do, unless `ignore_ids`. Sessions
    are compared as they are now, with the fixes staged on them. Raises SessionError for one that cannot be read.
    """
    one, other = (found if isinstance(found, Session) else open_session(os.fspath(found)) for found in (a, b))
    histories = zip_longest(map(history_of, one.conversations), map(history_of, other.conversations))
    return SessionDiff(
        one,
        other,
        tuple(
            ConversationDiff(compared(left, right, ignore_ids)) if left is not None and right is not None else None
            for left, right in histories
        ),
    )
