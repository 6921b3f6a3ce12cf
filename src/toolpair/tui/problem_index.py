"""An index of a session's problems by everything the screen asks for: order, number, cause, place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Problem

RANK = {"stops": 0, "loses": 1, "harmless": 2}
SEVERITY = {"error": 0, "warning": 1, "info": 2}


class ProblemIndex:
    """Rebuilt after each change in a single pass over the problems; reads no row."""

    walk: list[Problem]
    """The problems that `]` visits: errors, then warnings, then notes, each in file order."""

    def __init__(self, problems: Sequence[Problem], groups: Sequence[CauseGroup]) -> None:
        self.levels: list[list[Problem]] = [[], [], []]
        self._by_pair: dict[int, list[Problem]] = {}
        self._by_record: dict[int, list[Problem]] = {}
        self._by_message: list[Problem] = []
        self._unplaced: list[Problem] = []
        for problem in problems:
            self.levels[SEVERITY[problem.severity]].append(problem)
            if problem.pair is not None:
                self._by_pair.setdefault(problem.pair, []).append(problem)
            for pair in problem.pairs:
                if pair != problem.pair:
                    self._by_pair.setdefault(pair, []).append(problem)
            if problem.pair is None:
                if problem.record is not None:
                    self._by_record.setdefault(problem.record, []).append(problem)
                (self._by_message if problem.message is not None else self._unplaced).append(problem)
        self._by_message.sort(key=_message)
        self.walk = [problem for level in self.levels for problem in level]
        self._place = {id(problem): n for n, problem in enumerate(self.walk)}
        self.groups = groups
        self._group_of = {id(problem): n for n, group in enumerate(groups) for problem in group.problems}
        # A group holds problems of one rule and one cause, which have the same severity.
        self.notes = [all(problem.severity == "info" for problem in group.problems) for group in groups]
        errors = [n for n, group in enumerate(groups) if any(p.severity == "error" for p in group.problems)]
        self._cause_number = {group: n for n, group in enumerate(errors, 1)}
        self.causes = len(errors)

    def place(self, problem: Problem) -> int | None:
        """The position in `walk`; None when it is not there."""
        return self._place.get(id(problem))

    def number(self, problem: Problem) -> tuple[int, int] | None:
        """Its number, from 1, among problems of the same severity, and their total."""
        place = self.place(problem)
        if place is None:
            return None
        severity = SEVERITY[problem.severity]
        return place - sum(map(len, self.levels[:severity])) + 1, len(self.levels[severity])

    def group_number(self, problem: Problem) -> int | None:
        """The index of the problem's group."""
        return self._group_of.get(id(problem))

    def cause_number(self, problem: Problem) -> int | None:
        """The number, from 1, of its cause among those with errors."""
        group = self._group_of.get(id(problem))
        return None if group is None else self._cause_number.get(group)

    def of_pair(self, index: int) -> Sequence[Problem]:
        """The problems that concern the pair, alone or with others."""
        return self._by_pair.get(index, ())

    def of_record(self, record: int) -> Sequence[Problem]:
        """The record's problems that concern no pair."""
        return self._by_record.get(record, ())

    def from_message(self, number: int) -> Iterator[Problem]:
        """The problems without a pair, in order, from this message on."""
        start = bisect_left(self._by_message, number, key=_message)
        return (self._by_message[n] for n in range(start, len(self._by_message)))

    @property
    def unplaced(self) -> Sequence[Problem]:
        """Problems with neither a pair nor a message."""
        return self._unplaced

    def weight(self, problem: Problem) -> tuple[int, int, int]:
        """Sort key: of several problems in one place the lowest is shown."""
        return (RANK[problem.impact], SEVERITY[problem.severity], self._place[id(problem)])


def _message(problem: Problem) -> int:
    return problem.message or 0
