"""Two sessions compared by what they say: the data of `toolpair diff`, and the library's function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Final

from msgspec import Struct

from toolpair.history.comparison_rows import ComparisonRow, ComparisonRows
from toolpair.history.comparison_text import summary_text
from toolpair.history.steps import DiffStep, history_of
from toolpair.history.two_histories import Comparison, PartKind, Tally, compared
from toolpair.session.session import Session, open_session


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
        a, b = self.comparison.a.at(found.a), self.comparison.b.at(found.b)
        return DiffParting(a, b, found.pairs_a, found.pairs_b)

    @property
    def differences(self) -> Iterator[ComparisonRow]:
        """Each step that differs, with in what, or that only one of the two has, in the order of both."""
        rows = ComparisonRows(self.comparison)
        return (row for row in map(rows.__getitem__, range(len(rows))) if row.kind != "same" and row.steps)


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
