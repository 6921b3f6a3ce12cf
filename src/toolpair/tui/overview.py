"""The view model of the main screen: rows, which problem is on which row, what is fixed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from toolpair.history.conversation import weight
from toolpair.history.row_times import RowTimes
from toolpair.source.gc_pause import gc_paused

if TYPE_CHECKING:
    from toolpair.session.session import CauseGroup, Conversation, Fix, Pair, PairRow, Problem, Session

RANK = {"stops": 0, "loses": 1, "harmless": 2}
SEVERITY = {"error": 0, "warning": 1, "info": 2}


class ProblemIndex:
    """Rebuilt after each change in a single pass over the problems; reads no row."""

    def __init__(self, problems: Sequence[Problem], groups: Sequence[CauseGroup]) -> None:
        self.levels: list[list[Problem]] = [[], [], []]
        self._by_pair: dict[int, list[Problem]] = {}
        self._by_record: dict[int, list[Problem]] = {}
        self._by_message: list[Problem] = []
        self.unplaced: list[Problem] = []
        """Problems with neither a pair nor a message."""
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
                (self._by_message if problem.message is not None else self.unplaced).append(problem)
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

    def weight(self, problem: Problem) -> tuple[int, int, int]:
        """Sort key: of several problems in one place the lowest is shown."""
        return (RANK[problem.impact], SEVERITY[problem.severity], self._place[id(problem)])


def _message(problem: Problem) -> int:
    return problem.message or 0


MARKERS = {"missing": "✗", "mismatch": "≠", "orphan": "?", "duplicate": "=", "misplaced": "~", "pending": "·"}
NEAR = 50
"""How many neighbours of the found position are searched, since problems are not strictly in row order."""


def problem_style(problem: Problem) -> str:
    """Red is what stops, amber what loses or breaks something else."""
    if problem.severity == "info":
        return "dim"
    return "error" if problem.severity == "error" and problem.impact == "stops" else "warning"


def cause_key(group: CauseGroup) -> str:
    """What names a group in a filter, whatever is fixed meanwhile."""
    return f"{group.rule}/{group.cause.id}" if group.cause is not None else group.rule


BlockKey = tuple[int, object]
"""A conversation's index and a block's position in it."""


class Refused(NamedTuple):
    """What only an error that was pasted says was refused."""

    conversation: int
    now: Problem | None = None
    """As the session is in the file."""
    after: Problem | None = None
    """With what is applied."""


def _refused(named: Sequence[Problem], conversation: Conversation) -> Problem | None:
    from toolpair.session.decisions import still_named

    own = {problem.key for problem in conversation.problems if problem.severity == "error"}
    acute = (one for one in still_named(named, conversation) if one.severity == "error")
    return next((one for one in acute if one.key not in own), None)


class Overview:
    """Rebuilt after each change of the session. No method iterates over the rows: there may be 100,000 or more."""

    rows: Sequence[PairRow]

    def __init__(self, session: Session, partial: int | None = None) -> None:
        """`partial`: the session is the beginning of a file of this many bytes; problems are not shown."""
        self.session = session
        self.partial = partial
        self.current: Problem | None = None
        self._named: tuple[int, Sequence[Problem]] = (0, ())
        """Problems only because an error text that was pasted names them, and the index of their conversation."""
        self._refused: Refused | None = None
        self.followed = False
        """Whether records that the agent appends are taken over as they arrive."""
        self._fixed: list[tuple[frozenset[BlockKey], Problem | None]] = []
        self._fixed_redo: list[tuple[frozenset[BlockKey], Problem | None]] = []
        self.reload()

    def reload(self) -> None:
        with gc_paused():  # problems behind a fix are numbered anew: thousands of objects between a key and its frame
            self._reload()

    def _reload(self) -> None:
        conversation = self.session.conversation
        self.rows = conversation.rows
        if self.partial is not None and self.rows and self.rows[-1].kind == "damaged":
            self.rows = self.rows[:-1]  # The loaded beginning ends there.
        self._places = conversation.places
        whole = self.partial is None
        self._refused = None
        problems = self._with_named(conversation)
        self.index = ProblemIndex(problems, conversation.groups) if whole else ProblemIndex((), ())
        self._row_of: dict[int, int] = {}
        self._problem_at: dict[int, Problem | None] = {}
        self.previews: dict[tuple[int, str], str] = {}
        """What fixes would change, by the `id` of their problem, as far as computed."""
        self.wanted: tuple[Problem, Fix] | None = None
        """The problem for which that was requested and is not known yet."""
        self.times = RowTimes(conversation)
        self._marked = frozenset[BlockKey]().union(*(blocks for blocks, _ in self._fixed))

    def name(self, problems: Sequence[Problem]) -> None:
        """A pasted error names these in the current conversation, and nothing else any more."""
        self._named = (self.session.current, problems)

    def _with_named(self, conversation: Conversation) -> Sequence[Problem]:
        at, named = self._named
        if not named or at != self.session.current:
            return conversation.problems
        from toolpair.session.decisions import with_named

        return with_named(named, conversation)

    @property
    def refused_here(self) -> Refused:
        """The same of the current conversation."""
        return self.refused if self.refused.conversation == self.session.current else Refused(self.session.current)

    @property
    def refused(self) -> Refused:
        """What the pasted error says that an API refused, though nothing else says so."""
        if self._refused is None:
            at, named = self._named
            both = (self.session.staging.original[at], self.session.conversations[at]) if named else ()
            self._refused = Refused(at, *(_refused(named, conversation) for conversation in both))
        return self._refused

    @property
    def walk(self) -> list[Problem]:
        """The problems that `]` visits: errors, then warnings, then notes, each in file order."""
        return self.index.walk

    @property
    def has_notes_alone(self) -> bool:
        """Whether nothing is a problem, but there is something to know."""
        return bool(self.walk) and not self.index.levels[0] and not self.index.levels[1]

    @property
    def first_problem(self) -> Problem | None:
        """Where the cursor starts: the first problem that stops, else that loses, else an error, else a warning."""
        best = min(self.session.problems, key=weight, default=None)
        return best if best is not None and best.severity != "info" else None

    @property
    def noun(self) -> str:
        """What a record of the file is called."""
        return "line" if self.session.conversation.document.kind == "lines" else "message"

    @property
    def running(self) -> bool:
        """Whether the call at the end may still be running: some agent might be executing it."""
        native = self.session.conversation.transcript.native
        return self.followed or self.partial is not None or bool(self.session.warnings) or not native

    @property
    def so_far(self) -> str:
        """What to add to "not found" while only the beginning of the file is loaded."""
        return " in what has been read so far" if self.partial is not None else ""

    # rows and problems

    def row_of(self, problem: Problem) -> int:
        """The row that shows `problem`: its pair's, its line's, else the nearest before its message."""
        row = self._row_of.get(id(problem))
        if row is None:
            row = self._row_of[id(problem)] = self._find_row(problem)
        return row

    def _find_row(self, problem: Problem) -> int:
        if problem.pair is not None:
            n = self._places.of_pair(problem.pair)
            if n is not None:
                return self._row_of_result(problem, n)
        return self._row_without_pair(problem)

    def row_near(self, problem: Problem) -> int:
        """The row that shows `problem`, or a few rows before it, found without reading any row."""
        n = self._places.of_pair(problem.pair) if problem.pair is not None else None
        return self._row_without_pair(problem) if n is None else n

    def _row_without_pair(self, problem: Problem) -> int:
        places = self._places
        if problem.record is not None:
            row = places.of_record(problem.record)
            if row is not None:
                return row
        if problem.message is not None:
            return places.of_message(problem.message)
        return (places.of_part(problem.record) or 0) if problem.record is not None else 0

    def _row_of_result(self, problem: Problem, n: int) -> int:
        """A pair's first row may be followed by one for each further result."""
        if problem.result is not None and problem.result is not self.rows[n].result:
            for m in range(n, min(n + NEAR, len(self.rows))):
                row = self.rows[m]
                if row.pair is None or row.pair.index != problem.pair:
                    break
                if row.result is problem.result:
                    return m
        return n

    def row_of_place(self, pair: int | None, message: int | None) -> int | None:
        """The row of a pair or else of a message; None when there is none."""
        if pair is not None:
            return self._places.of_pair(pair)
        return self._places.of_message(message) if message is not None and self.rows else None

    def row_of_record(self, record: int) -> int | None:
        """The first row that shows any part of a record."""
        return self._places.of_part(record)

    def problem_at(self, row: int) -> Problem | None:
        """The problem that the row shows: the worst if there are several."""
        if row not in self._problem_at:
            self._problem_at[row] = min(self._problems_on(row), key=self.index.weight, default=None)
        return self._problem_at[row]

    def _problems_on(self, n: int) -> list[Problem]:
        if not self.index.walk or not 0 <= n < len(self.rows):
            return []
        row, index = self.rows[n], self.index
        found: list[Problem] = []
        if row.pair is not None:
            about = index.of_pair(row.pair.index)
            if about:
                first = self._places.of_pair(row.pair.index) == n
                found += [problem for problem in about if first or self.row_of(problem) == n]
        records = {row.record, row.result.record if row.result is not None else None}
        for record in records:
            if record is not None:
                found += [problem for problem in index.of_record(record) if self.row_of(problem) == n]
        if row.message is not None:
            # Problems whose message has no row are shown on the nearest row before it.
            for problem in index.from_message(row.message if n else 0):
                if self.row_of(problem) == n:
                    found.append(problem)
                elif problem.record is None or self._places.of_record(problem.record) is None:
                    break
        if n == 0:
            found += [problem for problem in index.unplaced if self.row_of(problem) == 0]
        return found

    def rows_with_problems(self) -> list[int]:
        """All rows that may show a problem, in order."""
        found = set(map(self.row_of, self.walk))
        for problem in self.walk:
            firsts = (self._places.of_pair(pair) for pair in (problem.pair, *problem.pairs) if pair is not None)
            found.update(row for row in firsts if row is not None)
        return sorted(found)

    def rows_of_cause(self, key: str) -> list[int]:
        """All rows with problems of this cause, in order."""
        problems = [problem for group in self._groups_of(key) for problem in group.problems]
        found = set(map(self.row_of, problems))
        for problem in problems:
            found.update(row for pair in problem.pairs if (row := self._places.of_pair(pair)) is not None)
        return sorted(found)

    def _groups_of(self, key: str) -> Sequence[CauseGroup]:
        """The groups that are meant by a number in the list of causes, by a rule, or by a rule and a cause."""
        if key.isdecimal() and len(key) < 10:
            return self.index.groups[int(key) - 1 : int(key)] if int(key) else ()
        return [group for group in self.index.groups if key in (cause_key(group), group.rule)]

    def same(self, key: tuple[object, ...]) -> Problem | None:
        """The problem with this key after the session was reloaded."""
        return next((p for p in self.index.walk if p.key == key), None)

    def again(self, problem: Problem | None) -> Problem | None:
        """The same problem after the session was reloaded."""
        if problem is None or self.index.place(problem) is not None:
            return problem
        return self.same(problem.key)

    def next_as_severe(self, row: int, fixed: Sequence[Problem]) -> Problem | None:
        """Where to continue after `fixed`: the next problem at least as severe."""
        least = max((SEVERITY[p.severity] for p in fixed), default=0)
        level = next((level for level in self.index.levels[: least + 1] if level), None)
        return None if level is None else level[self._first_from(level, row) % len(level)]

    def after(self, row: int, by: int, current: Problem | None) -> tuple[Problem | None, bool]:
        """The next (`by` 1) or previous problem relative to the current one or, without one, to `row`.

        The second value says whether the search wrapped around.
        """
        walk = self.walk
        if not walk:
            return None, False
        place = self.index.place(current) if current is not None else None
        if place is not None:
            n = place + by
            return walk[n % len(walk)], not 0 <= n < len(walk)
        worst = next(level for level in self.index.levels if level)
        n = self._first_from(worst, row) if by > 0 else self._last_until(worst, row)
        return worst[n % len(worst)], not 0 <= n < len(worst)

    def _first_from(self, level: list[Problem], row: int) -> int:
        """The position of the first problem on this row or below; problems are, with few exceptions, in row order."""
        n = bisect_left(level, row, key=self.row_of)
        for m in range(max(0, n - NEAR), n):
            if self.row_of(level[m]) >= row:
                return m
        return n

    def _last_until(self, level: list[Problem], row: int) -> int:
        """The position of the last problem on this row or above; -1 when there is none."""
        n = bisect_right(level, row, key=self.row_of)
        for m in range(min(len(level), n + NEAR) - 1, n - 1, -1):
            if self.row_of(level[m]) <= row:
                return m
        return n - 1

    def marker(self, n: int) -> tuple[str, str]:
        """The marker of a row and its style."""
        row = self.rows[n]
        problem = self.problem_at(n)
        pair = row.pair
        if problem is None:
            if pair is not None and self.is_fixed(pair):
                return "✓", "applied"
            if pair is not None and pair.state == "pending":
                return "·", "dim"
            return " ", ""
        if problem.severity == "info":
            return "·", "dim"
        style = problem_style(problem)
        if row.kind == "damaged" or pair is None:
            return "!", style
        return MARKERS.get(pair.state, "!"), style

    # what is fixed

    def is_fixed(self, pair: Pair) -> bool:
        if not self._marked:
            return False
        number = self.session.current
        return any(block is not None and (number, block.key) in self._marked for block in (pair.call, *pair.results))

    def rows_fixed(self) -> list[int]:
        """All rows that may belong to fixed pairs, in order."""
        conversation, number = self.session.conversation, self.session.current
        records = {block[0] for at, block in self._marked if at == number and isinstance(block, tuple)}
        return sorted(set(chain.from_iterable(map(conversation.rows_beside, records))))

    def note_staged(self, problems: Sequence[Problem], conversation: int | None = None) -> None:
        """Remember which blocks the last step was about; by default in the current conversation."""
        number = self.session.current if conversation is None else conversation
        blocks = [block for problem in problems for block in (problem.call, problem.result) if block is not None]
        first = min(problems, key=self._first_of, default=None)
        self._fixed.append((frozenset((number, block.key) for block in blocks), first))
        self._fixed_redo.clear()

    def _first_of(self, problem: Problem) -> int:
        place = self.index.place(problem)
        return len(self.walk) if place is None else place

    def note_undone(self) -> Problem | None:
        """Returns the first, in file order, of the problems that are back, if known."""
        if not self._fixed:
            return None
        self._fixed_redo.append(self._fixed.pop())
        return self._fixed_redo[-1][1]

    def note_redone(self) -> None:
        if self._fixed_redo:
            self._fixed.append(self._fixed_redo.pop())

    def note_taken_out(self, step: int, last_of_step: bool) -> None:
        """One decision of a step was removed; with its last one the step is gone."""
        if last_of_step and step < len(self._fixed):
            del self._fixed[step]
        self._fixed_redo.clear()

    def forget_marks(self) -> None:
        """Forget which rows were fixed: staged fixes were dropped together with what they fixed."""
        self._fixed.clear()
        self._fixed_redo.clear()

    def forget(self, session: Session) -> None:
        """Continue with a session read from the file as it is now."""
        self.session = session
        self.partial = None
        self.current = None
        self._named = (0, ())
        self.forget_marks()
        self.reload()
