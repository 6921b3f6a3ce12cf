"""What the main screen shows of a session: its rows, which problem sits on which, what is mended."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolpair.session import Group, Pair, Problem, Row, Session, Verdict

RANK = {"stops": 0, "loses": 1, "harmless": 2}
SEVERITY = {"error": 0, "warning": 1, "info": 2}
MARKERS = {"missing": "✗", "mismatch": "≠", "orphan": "?", "duplicate": "=", "misplaced": "~", "pending": "·"}

BlockKey = tuple[int, object]
"""A conversation's number and where a block stands in it."""


class Overview:
    """Read anew after each change of the session; cheap enough for 100,000 rows."""

    rows: Sequence[Row]
    walk: list[Problem]
    """The problems that `]` goes through: errors, then warnings, then notes, each in the order of the file."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.current: Problem | None = None
        self._mended: list[frozenset[BlockKey]] = []
        self._mended_redo: list[frozenset[BlockKey]] = []
        self.reload()

    def reload(self) -> None:
        session = self.session
        self.rows = session.rows()
        problems = list(session.problems)
        self._levels = [[p for p in problems if p.severity == severity] for severity in SEVERITY]
        self.walk = [p for level in self._levels for p in level]
        self._walk_index = {id(p): n for n, p in enumerate(self.walk)}
        self._number = {id(p): (n, len(level)) for level in self._levels for n, p in enumerate(level, 1)}
        self.groups: Sequence[Group] = session.groups
        self._group_of = {id(p): n for n, group in enumerate(self.groups) for p in group.problems}
        errors = [n for n, group in enumerate(self.groups) if any(p.severity == "error" for p in group.problems)]
        self._cause_number = {group: n for n, group in enumerate(errors, 1)}
        self.causes = len(errors)
        self._first_row: dict[int, int] = {}
        self._record_row: dict[int, int] = {}
        self._part_row: dict[int, int] = {}
        self._messages: list[int] = []
        self._message_rows: list[int] = []
        for n, row in enumerate(self.rows):
            parts = (row, row.result) if row.pair is not None else (row,)
            for part in parts:
                if part is not None and part.record is not None:
                    self._part_row.setdefault(part.record, n)
            if row.pair is not None:
                self._first_row.setdefault(row.pair.index, n)
            elif row.record is not None and row.kind in ("cut", "damaged"):
                self._record_row.setdefault(row.record, n)
            if row.message is not None and (not self._messages or row.message > self._messages[-1]):
                self._messages.append(row.message)
                self._message_rows.append(n)
        self._row_problem: dict[int, Problem] = {}
        for problem in problems:
            rows = {self.row_of(problem), *(self._first_row[n] for n in problem.pairs if n in self._first_row)}
            for n in rows:
                other = self._row_problem.get(n)
                if other is None or self._order(problem) < self._order(other):
                    self._row_problem[n] = problem
        self._marked = frozenset().union(*self._mended) if self._mended else frozenset()

    def _key(self) -> tuple[int, str]:
        return (self.session.current, self.session.profile.id)

    @staticmethod
    def _order(problem: Problem) -> tuple[int, int]:
        return (RANK[problem.impact], SEVERITY[problem.severity])

    @property
    def verdict_before(self) -> Verdict:
        """The verdict on the file as it is on disk."""
        return self.session.verdict_before

    # rows and problems

    def row_of(self, problem: Problem) -> int:
        """The row that shows `problem`: its pair's, its line's, else the nearest before its message."""
        if problem.pair is not None and problem.pair in self._first_row:
            n = self._first_row[problem.pair]
            if problem.result is not None:
                for m in range(n, min(n + 50, len(self.rows))):
                    row = self.rows[m]
                    if row.pair is None or row.pair.index != problem.pair:
                        break
                    if row.result is problem.result:
                        return m
            return n
        if problem.record is not None and problem.record in self._record_row:
            return self._record_row[problem.record]
        if problem.message is None:
            return self._part_row.get(problem.record, 0) if problem.record is not None else 0
        place = bisect_right(self._messages, problem.message) - 1
        return self._message_rows[place] if place >= 0 else 0

    def problem_at(self, row: int) -> Problem | None:
        return self._row_problem.get(row)

    def number(self, problem: Problem) -> tuple[int, int] | None:
        """Which one of those as severe as it is, from 1, and how many there are. The head counts the errors so."""
        return self._number.get(id(problem))

    def cause_number(self, problem: Problem) -> int | None:
        """Which one of the causes that the head counts, from 1."""
        group = self._group_of.get(id(problem))
        return None if group is None else self._cause_number.get(group)

    def next_as_severe(self, row: int, fixed: Sequence[Problem]) -> Problem | None:
        """Where to go on after `fixed`: the next one that is as severe as they were, or more."""
        least = max((SEVERITY[p.severity] for p in fixed), default=0)
        for level in self._levels[: least + 1]:
            if level:
                return next((p for p in level if self.row_of(p) >= row), level[0])
        return None

    def group_number(self, problem: Problem) -> int | None:
        """Index of the problem's group."""
        return self._group_of.get(id(problem))

    def same(self, key: tuple[object, ...]) -> Problem | None:
        """The problem with this key, after the session was read again."""
        return next((p for p in self.session.problems if p.key == key), None)

    def after(self, row: int, by: int, current: Problem | None) -> tuple[Problem | None, bool]:
        """The next (`by` 1) or previous problem as seen from the current one or, without one, from `row`.

        The second value says whether the search went around the end.
        """
        if not self.walk:
            return None, False
        if current is not None and id(current) in self._walk_index:
            n = self._walk_index[id(current)] + by
            return self.walk[n % len(self.walk)], not 0 <= n < len(self.walk)
        worst = next(level for level in self._levels if level)
        placed = [(self.row_of(p), p) for p in worst]
        if by > 0:
            found = next((p for n, p in placed if n >= row), None)
            return (found, False) if found else (placed[0][1], True)
        found = next((p for n, p in reversed(placed) if n <= row), None)
        return (found, False) if found else (placed[-1][1], True)

    def marker(self, n: int) -> tuple[str, str]:
        """The sign of a row and its style."""
        row = self.rows[n]
        problem = self._row_problem.get(n)
        pair = row.pair
        if problem is None:
            if pair is not None and self.is_mended(pair):
                return "✓", "good"
            if pair is not None and pair.state == "pending":
                return "·", "dim"
            return " ", ""
        if problem.severity == "info":
            return "·", "dim"
        style = "error" if problem.severity == "error" else "warning"
        if row.kind == "damaged" or pair is None:
            return "!", style
        return MARKERS.get(pair.state, "!"), style

    # what is mended

    def is_mended(self, pair: Pair) -> bool:
        if not self._marked:
            return False
        number = self.session.current
        return any(block is not None and (number, block.key) in self._marked for block in (pair.call, *pair.results))

    def note_staged(self, problems: Sequence[Problem], conversation: int | None = None) -> None:
        """Remember which blocks the step that was just taken was about; the current conversation's by default."""
        number = self.session.current if conversation is None else conversation
        blocks = [block for problem in problems for block in (problem.call, problem.result) if block is not None]
        self._mended.append(frozenset((number, block.key) for block in blocks))
        self._mended_redo.clear()

    def note_undone(self) -> None:
        if self._mended:
            self._mended_redo.append(self._mended.pop())

    def note_redone(self) -> None:
        if self._mended_redo:
            self._mended.append(self._mended_redo.pop())

    def note_taken_out(self, step: int, last_of_step: bool) -> None:
        """One decision of a step was taken out; with its last one the step is gone."""
        if last_of_step and step < len(self._mended):
            del self._mended[step]
        self._mended_redo.clear()

    def forget_marks(self) -> None:
        """Which rows were mended is not known any more: staged fixes were taken off with what they mended."""
        self._mended.clear()
        self._mended_redo.clear()

    def forget(self, session: Session) -> None:
        """Go on with a session that was read from the saved file."""
        self.session = session
        self.current = None
        self.forget_marks()
        self.reload()
