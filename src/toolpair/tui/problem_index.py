"""The problems of a session by everything that the screen asks for: order, number, cause, place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Problem

RANK = {"stops": 0, "loses": 1, "harmless": 2}
SEVERITY = {"error": 0, "warning": 1, "info": 2}


class ProblemIndex:
    """Made anew after each change, in one walk over the problems; no row is looked at."""

    walk: list[Problem]
    """The problems that `]` goes through: errors, then warnings, then notes, each in the order of the file."""

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
        # A group holds problems of one rule and one cause, and these are as severe as the profile has them.
        self.notes = [all(problem.severity == "info" for problem in group.problems) for group in groups]
        errors = [n for n, group in enumerate(groups) if any(p.severity == "error" for p in group.problems)]
        self._cause_number = {group: n for n, group in enumerate(errors, 1)}
        self.causes = len(errors)

    def place(self, problem: Problem) -> int | None:
        """Where in `walk` it stands; None when it is not one of these."""
        return self._place.get(id(problem))

    def number(self, problem: Problem) -> tuple[int, int] | None:
        """Which one of those as severe as it is, from 1, and how many there are."""
        place = self.place(problem)
        if place is None:
            return None
        severity = SEVERITY[problem.severity]
        return place - sum(map(len, self.levels[:severity])) + 1, len(self.levels[severity])

    def group_number(self, problem: Problem) -> int | None:
        """Index of the problem's group."""
        return self._group_of.get(id(problem))

    def cause_number(self, problem: Problem) -> int | None:
        """Which one of the causes with errors, from 1."""
        group = self._group_of.get(id(problem))
        return None if group is None else self._cause_number.get(group)

    def of_pair(self, index: int) -> Sequence[Problem]:
        """The problems that are about the pair, alone or among others."""
        return self._by_pair.get(index, ())

    def of_record(self, record: int) -> Sequence[Problem]:
        """The problems of the record that are about no pair."""
        return self._by_record.get(record, ())

    def from_message(self, number: int) -> Iterator[Problem]:
        """The problems about no pair, in order, from those of this message on."""
        start = bisect_left(self._by_message, number, key=_message)
        return (self._by_message[n] for n in range(start, len(self._by_message)))

    @property
    def unplaced(self) -> Sequence[Problem]:
        """Those that name neither a pair nor a message."""
        return self._unplaced

    def weight(self, problem: Problem) -> tuple[int, int, int]:
        """The lower, the more it is the one to show where several meet."""
        return (RANK[problem.impact], SEVERITY[problem.severity], self._place[id(problem)])


def _message(problem: Problem) -> int:
    return problem.message or 0
