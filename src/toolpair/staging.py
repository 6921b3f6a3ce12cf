"""The fixes that are staged on an opened file: put on, taken off, put on again on another state of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolpair.opened import Conversation
from toolpair.overview import title_for
from toolpair.recipes.engine import Pick, mend
from toolpair.rules.base import Fix, Problem
from toolpair.source.changes import changes
from toolpair.transcript.edits import Answer, Edit
from toolpair.transcript.model import PLACEHOLDER, Block

Conversations = tuple[Conversation, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A fix for a problem, named so that it can be taken again on another state of the document."""

    rule: str
    record: int | None
    call_id: str
    result_id: str
    fix_id: str
    text: str | None

    @classmethod
    def of(cls, problem: Problem, fix: Fix, text: str | None) -> Decision:
        return cls(problem.rule, problem.record, id_of(problem.call), id_of(problem.result), fix.id, text)

    def has_ids_of(self, problem: Problem) -> bool:
        return (id_of(problem.call), id_of(problem.result)) == (self.call_id, self.result_id)

    def find(self, problems: Sequence[Problem]) -> tuple[Problem, Fix] | None:
        """The problem and the fix on another state of the document, its record's first; None when it is not there."""
        same = [found for found in problems if found.rule == self.rule]
        for strict in (True, False):
            for found in same:
                if self.has_ids_of(found) and (not strict or found.record == self.record):
                    fix = next((fix for fix in found.fixes if fix.id == self.fix_id), None)
                    if fix is not None:
                        return found, fix
        return None


def id_of(block: Block | None) -> str:
    return "" if block is None else repr(block.id)


@dataclass(frozen=True, eq=False)
class Staged:
    """Fixes of one kind that are staged, one row of the review."""

    title: str
    count: int
    fix_ids: tuple[str, ...]
    rules: tuple[str, ...]
    loses: str | None
    lines_changed: int
    lines_added: int
    lines_removed: int
    tools: tuple[str, ...]
    conversation: int
    step: int = 0
    placeholders: int = 0
    decisions: tuple[Decision, ...] = field(default=(), repr=False)

    @property
    def problems(self) -> int:
        return self.count


class Staging:
    """The conversations of a file and the fixes that are staged on them, as steps that can be undone."""

    def __init__(self, original: Conversations) -> None:
        self.original = original
        """As the file holds them."""
        self.now = original
        self._steps: list[tuple[tuple[Staged, ...], Conversations]] = []
        """Each undo step: the staged rows that it made and the conversations before it."""
        self._undone: list[tuple[tuple[Staged, ...], Conversations]] = []

    @property
    def steps(self) -> tuple[tuple[Staged, ...], ...]:
        """The rows of each step, in the order in which they were staged."""
        return tuple(rows for rows, _ in self._steps)

    @property
    def changed(self) -> bool:
        return any(now.document is not then.document for now, then in zip(self.now, self.original, strict=True))

    def judge_anew(self, anew: Callable[[Conversation], Conversation]) -> None:
        """Every state, those to go back to included, looked at in another way."""

        def of(conversations: Conversations) -> Conversations:
            return tuple(map(anew, conversations))

        self.original = of(self.original)
        self.now = of(self.now)
        self._steps = [(rows, of(before)) for rows, before in self._steps]
        self._undone = [(rows, of(after)) for rows, after in self._undone]

    def stage(self, at: int, problem: Problem, fix: Fix, text: str | None) -> Staged:
        """Put one fix on the conversation with index `at`; `text` replaces a placeholder's."""
        before = self.now
        after = before[at].apply(edits_of(fix, text))
        row = _row(at, [(problem, fix)], before[at], after, text)
        self._push((row,), before)
        self._replace(at, after)
        return row

    def stage_where(self, at: int, pick: Pick) -> Staged | None:
        """Take the fixes that `pick` chooses until it chooses none, as one step. None when there were none."""
        before = self.now
        rows: list[Staged] = []
        conversation = before[at]
        for step in mend(conversation, _apply, pick):
            rows.append(_row(at, list(step.taken), step.before, step.after, None))
            conversation = step.after
        if not rows:
            return None
        merged = _merged(rows)
        self._push(tuple(merged), before)
        self._replace(at, conversation)
        return _as_one(merged)

    def undo(self) -> Staged | None:
        if not self._steps:
            return None
        rows, before = self._steps.pop()
        self._undone.append((rows, self.now))
        self.now = before
        return _as_one(rows)

    def redo(self) -> Staged | None:
        if not self._undone:
            return None
        rows, after = self._undone.pop()
        self._steps.append((rows, self.now))
        self.now = after
        return _as_one(rows)

    def unstage(self, staged: Staged) -> None:
        """Take one row out; what else was staged is put on again without it."""
        self.put_on_again([tuple(row for row in rows if row is not staged) for rows in self.steps])

    def put_back(self, row: Staged) -> tuple[Problem, ...]:
        """Put a row that was taken out on again, as a step of its own.

        Gives back the problems that it is about; none when they are not there any more.
        """
        before = self.now
        problems = before[row.conversation].problems
        found = tuple(pair[0] for decision in row.decisions if (pair := decision.find(problems)) is not None)
        made, _ = self._again(row)
        if not made:
            return ()
        self._push(tuple(_merged(made)), before)
        return found

    def put_on_again(self, steps: Sequence[Sequence[Staged]]) -> list[tuple[Staged, Decision]]:
        """Stage these steps on what the file holds. Gives back what found no problem any more, with its row."""
        self.now = self.original
        self._steps = []
        self._undone = []
        left: list[tuple[Staged, Decision]] = []
        for rows in steps:
            before = self.now
            made: list[Staged] = []
            for row in rows:
                waiting = row.decisions
                if row.conversation < len(self.now):
                    again, waiting = self._again(row)
                    made.extend(again)
                left += [(row, decision) for decision in waiting]
            if made:
                self._push(tuple(_merged(made)), before)
        return left

    def _again(self, row: Staged) -> tuple[list[Staged], tuple[Decision, ...]]:
        """Stage the row's decisions; the second value are those that found no problem."""
        made: list[Staged] = []
        waiting = list(row.decisions)
        at = row.conversation
        while waiting:
            conversation = self.now[at]
            found = [
                (decision, pair) for decision in waiting if (pair := decision.find(conversation.problems)) is not None
            ]
            if not found:
                break
            wanted = {id(problem): (fix, decision) for decision, (problem, fix) in found}
            texts = {decision.text for decision, _ in found}
            if len(texts) == 1 and None in texts:
                step = next(mend(conversation, _apply, _pick_from(wanted)), None)
                if step is None:
                    break
                taken, after, text = list(step.taken), step.after, None
            else:
                decision, (problem, fix) = found[0]
                taken, after, text = [(problem, fix)], conversation.apply(edits_of(fix, decision.text)), decision.text
            done = {id(wanted[id(problem)][1]) for problem, _ in taken}
            made.append(_row(at, taken, conversation, after, text))
            self._replace(at, after)
            waiting = [decision for decision in waiting if id(decision) not in done]
        return made, tuple(waiting)

    def look_at(self, at: int, conversation: Conversation) -> None:
        """The file is looked at in another way; only while nothing is staged."""
        self._undone.clear()
        self._replace(at, conversation)
        self.original = self.now

    def _push(self, rows: tuple[Staged, ...], before: tuple[Conversation, ...]) -> None:
        number = len(self._steps)
        self._steps.append((tuple(replace(row, step=number) for row in rows), before))
        self._undone.clear()

    def _replace(self, at: int, after: Conversation) -> None:
        self.now = (*self.now[:at], after, *self.now[at + 1 :])


def edits_of(fix: Fix, text: str | None) -> tuple[Edit, ...]:
    """The fix's edits, with `text` in the place of a placeholder's where one is given."""
    if text is None or not fix.placeholder:
        return fix.edits
    return tuple(
        replace(edit, content=text) if isinstance(edit, Answer) and edit.content == PLACEHOLDER else edit
        for edit in fix.edits
    )


def _apply(conversation: Conversation, edits: Sequence[Edit]) -> Conversation:
    return conversation.apply(edits)


def _pick_from(wanted: Mapping[int, tuple[Fix, Decision]]) -> Pick:
    return lambda problem: wanted[id(problem)][0] if id(problem) in wanted else None


def _row(
    at: int, taken: Sequence[tuple[Problem, Fix]], before: Conversation, after: Conversation, text: str | None
) -> Staged:
    different = list(changes(before.document, after.document))
    problem, fix = taken[0]
    answers = [edit for _, chosen in taken for edit in chosen.edits if isinstance(edit, Answer)]
    return Staged(
        title=title_for([chosen for _, chosen in taken]),
        count=len(taken),
        fix_ids=(fix.id,),
        rules=(problem.rule,),
        loses=fix.loses,
        lines_changed=sum(change.kind in ("changed", "moved") for change in different),
        lines_added=sum(change.kind == "added" for change in different),
        lines_removed=sum(change.kind == "removed" for change in different),
        tools=tuple(dict.fromkeys(edit.call.name for edit in answers if edit.call.name)),
        conversation=at,
        placeholders=sum(edit.is_error for edit in answers),
        decisions=tuple(Decision.of(found, chosen, text) for found, chosen in taken),
    )


def _as_one(rows: Sequence[Staged]) -> Staged:
    return rows[0] if len(rows) == 1 else _summary(rows)


def _merged(rows: Sequence[Staged]) -> list[Staged]:
    """Rows with one kind of fix as one row."""
    by_kind: dict[tuple[object, ...], Staged] = {}
    for row in rows:
        key = (row.rules, row.fix_ids, row.conversation)
        known = by_kind.get(key)
        by_kind[key] = row if known is None else _summary([known, row], row.title if row.count > 1 else known.title)
    return list(by_kind.values())


def _summary(rows: Sequence[Staged], title: str | None = None) -> Staged:
    count = sum(row.count for row in rows)
    losses = [row.loses for row in rows if row.loses]
    return Staged(
        title=title or f"{count} fixes",
        count=count,
        fix_ids=tuple(dict.fromkeys(id_ for row in rows for id_ in row.fix_ids)),
        rules=tuple(dict.fromkeys(rule for row in rows for rule in row.rules)),
        loses="; ".join(dict.fromkeys(losses)) or None,
        lines_changed=sum(row.lines_changed for row in rows),
        lines_added=sum(row.lines_added for row in rows),
        lines_removed=sum(row.lines_removed for row in rows),
        tools=tuple(dict.fromkeys(tool for row in rows for tool in row.tools)),
        conversation=rows[0].conversation,
        step=rows[0].step,
        placeholders=sum(row.placeholders for row in rows),
        decisions=tuple(decision for row in rows for decision in row.decisions),
    )
