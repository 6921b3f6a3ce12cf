"""The fixes staged on an open file: apply, undo, redo, and apply again on another state of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.conversation import Conversation
from toolpair.history.summary import title_for
from toolpair.rules.problem import Fix, Problem
from toolpair.source.gc_pause import gc_paused
from toolpair.transcript.edits import (
    Edit,
    InsertRecord,
    InsertResult,
    MendBytes,
    MoveRecord,
    Reidentify,
    Relink,
    RemoveRecord,
    SetInRecord,
)
from toolpair.transcript.model import PLACEHOLDER, Block

if TYPE_CHECKING:
    from toolpair.history.losses import Losses
    from toolpair.recipes.careful import HeldBack
    from toolpair.recipes.engine import Pick
    from toolpair.recipes.recipe import Options, Recipe, RecipeStep

_OF_RECORDS: Final = (InsertRecord, MendBytes, MoveRecord, Reidentify, Relink, RemoveRecord, SetInRecord)
Conversations = tuple[Conversation, ...]
LONGEST_ID: Final = 200
"""Characters: providers allow 64, and a longer one may hold anything."""
_Steps = Iterator["RecipeStep[Conversation]"]
_Apply = Callable[[Conversation, Sequence[Edit]], Conversation]
OnFixed = Callable[[int], None]
"""Called with the number of problems fixed so far."""


class Decision(Struct, frozen=True):
    """A fix for a problem, identified so that it can be applied again on another state of the document."""

    rule: str
    record: int | None
    call_id: str
    result_id: str
    fix_id: str
    text: str | None
    options: Options | None = None
    """For a replica of another system, which is one decision: `fix_id` is the recipe's name, these are its options."""

    @classmethod
    def of(cls, problem: Problem, fix: Fix, text: str | None) -> Decision:
        return cls(problem.rule, problem.record, id_of(problem.call), id_of(problem.result), fix.id, text)

    def has_ids_of(self, problem: Problem) -> bool:
        return (id_of(problem.call), id_of(problem.result)) == (self.call_id, self.result_id)

    def find(self, problems: Sequence[Problem]) -> tuple[Problem, Fix] | None:
        """The problem and the fix in another state of the document, preferring the same record; None when it is not
        there.
        """
        return next((pair for _, pair in found_by([self], problems)), None)

    @property
    def _key(self) -> tuple[object, ...]:
        return (self.rule, self.call_id, self.result_id, self.fix_id)


def found_by(decisions: Sequence[Decision], problems: Sequence[Problem]) -> list[tuple[Decision, tuple[Problem, Fix]]]:
    """The problem and the fix for each decision still there: one of its record, else the first anywhere.

    Decisions that cannot be told apart get one problem each; surplus ones are left out.
    """
    wanted = {decision._key for decision in decisions}
    rules = {decision.rule for decision in decisions}
    anywhere: dict[tuple[object, ...], tuple[Problem, Fix]] = {}
    of_record: dict[tuple[object, ...], list[tuple[Problem, Fix]]] = {}
    for problem in problems:
        if problem.rule not in rules:
            continue
        ids = (problem.rule, id_of(problem.call), id_of(problem.result))
        for fix_id, fix in {fix.id: fix for fix in reversed(problem.fixes)}.items():
            key = (*ids, fix_id)
            if key in wanted:
                anywhere.setdefault(key, (problem, fix))
                of_record.setdefault((*key, problem.record), []).append((problem, fix))
    waiting = {key: iter(pairs) for key, pairs in of_record.items()}
    found: list[tuple[Decision, tuple[Problem, Fix]]] = []
    for decision in decisions:
        pairs = waiting.get((*decision._key, decision.record))
        pair = next(pairs, None) if pairs is not None else anywhere.get(decision._key)
        if pair is not None:
            found.append((decision, pair))
    return found


def id_of(block: Block | None) -> str:
    """A block's id, of any type, as a short name: a digest if it may be anything but an id."""
    if block is None:
        return ""
    shown = repr(block.id)
    if len(shown) <= LONGEST_ID and not isinstance(block.id, (dict, list)):
        return shown
    from hashlib import blake2b

    return f"{type(block.id).__name__} {blake2b(shown.encode(errors='backslashreplace'), digest_size=16).hexdigest()}"


class Applied(Protocol):
    """What can be applied again: decisions, and the index of their conversation."""

    @property
    def conversation(self) -> int: ...

    @property
    def decisions(self) -> tuple[Decision, ...]: ...


A = TypeVar("A", bound=Applied)


class Staged(Struct, frozen=True, eq=False):
    """Staged fixes of one kind: one row of the review."""

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
    decisions: tuple[Decision, ...] = ()
    each_loses: tuple[str, ...] = ()
    """What each of its fixes claims to lose."""

    @property
    def problems(self) -> int:
        return self.count


class CarriedOut(Struct, frozen=True):
    """What a recipe did to a conversation. No rows when it had nothing to do."""

    rows: tuple[Staged, ...]
    taken: tuple[tuple[Problem, Fix], ...]
    after: Conversation
    held_back: tuple[HeldBack, ...] = ()


class Staging:
    """The conversations of a file and their staged fixes, as steps that can be undone."""

    def __init__(self, original: Conversations) -> None:
        self.original = original
        """As they are in the file."""
        self.now = original
        self._steps: list[tuple[tuple[Staged, ...], Conversations]] = []
        """Each undo step: its staged rows, and the conversations before it."""
        self._undone: list[tuple[tuple[Staged, ...], Conversations]] = []
        self._on_progress: OnFixed | None = None
        self.held_back: dict[int, tuple[HeldBack, ...]] = {}
        """For each conversation the recommended fixes that were not applied, because the agent would then send less."""

    def copy(self, on_progress: OnFixed | None = None) -> Staging:
        """A copy to continue with elsewhere. `on_progress` is called during long work; an exception from
        it ends that.
        """
        other = Staging(self.original)
        other.now = self.now
        other._steps, other._undone = list(self._steps), list(self._undone)
        other._on_progress = on_progress
        other.held_back = dict(self.held_back)
        return other

    def _with_progress(self) -> tuple[_Apply, Callable[[_Steps], _Steps]]:
        """How to apply edits and run steps while `on_progress` is called with the number of problems done."""
        on_progress, done = self._on_progress, 0
        if on_progress is None:
            return _apply, lambda steps: steps

        def apply(state: Conversation, edits: Sequence[Edit]) -> Conversation:
            return state.apply(edits, lambda parts: on_progress(done + parts))

        def over(steps: _Steps) -> _Steps:
            nonlocal done
            done = 0  # they are gone through again where a fix is held back
            for step in steps:
                done += len(step.taken)
                on_progress(done)
                yield step

        return apply, over

    @property
    def steps(self) -> tuple[tuple[Staged, ...], ...]:
        """The rows of each step, in the order of staging."""
        return tuple(rows for rows, _ in self._steps)

    @property
    def changed(self) -> bool:
        return any(now.document is not then.document for now, then in zip(self.now, self.original, strict=True))

    def recheck(self, anew: Callable[[Conversation], Conversation]) -> None:
        """Replace every state, including those to undo to, by a newly checked one."""

        known: dict[int, Conversation] = {}  # what is the same object in several states stays so

        def once(conversation: Conversation) -> Conversation:
            made = known.get(id(conversation.document))
            if made is None:
                made = known[id(conversation.document)] = anew(conversation)
            return made

        def of(conversations: Conversations) -> Conversations:
            return tuple(map(once, conversations))

        steps = [(rows, of(before)) for rows, before in self._steps]
        undone = [(rows, of(after)) for rows, after in self._undone]
        self.original, self.now, self._steps, self._undone = of(self.original), of(self.now), steps, undone

    def stage(self, at: int, problem: Problem, fix: Fix, text: str | None) -> Staged:
        """Apply one fix to the conversation with index `at`; `text` replaces a placeholder's."""
        before = self.now
        after = before[at].apply(edits_of(fix, text))
        row = _row(at, [(problem, fix)], before[at], after, text)
        if row.loses is None and _moves_records(fix) and (less := after.sends_less(before[at]).text) is not None:
            row = _losing(row, less)
        self._replace(at, after)
        return self._push((row,), before)[0]

    def stage_where(self, at: int, pick: Pick) -> Staged | None:
        """Apply the fixes that `pick` chooses until it chooses none, as one step. None when there were none."""
        with gc_paused():
            return self._stage_steps(at, _picked(at, self.now[at], pick, *self._with_progress()))

    def stage_recipe(self, at: int, recipe: Recipe, options: Options) -> Staged | None:
        """Run a recipe as one step. None when it has nothing to do."""
        with gc_paused():
            return self._stage_steps(at, carried_out(at, self.now[at], recipe, options))

    def _stage_steps(self, at: int, done: CarriedOut) -> Staged | None:
        known = {one.problem.key: one for one in (*self.held_back.get(at, ()), *done.held_back)}
        self.held_back[at] = tuple(known.values())
        if not done.rows:
            return None
        rows = self._push(done.rows, self.now)
        self._replace(at, done.after)
        return _as_one(rows)

    def undo(self) -> Staged | None:
        if not self._steps:
            return None
        self.held_back = {}
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
        """Remove one row; everything else that was staged is applied again without it."""
        self.replay([tuple(row for row in rows if row is not staged) for rows in self.steps])

    def include(self, row: Staged) -> tuple[Problem, ...] | None:
        """Apply a removed row again, as a step of its own.

        Returns the problems that it is about (a recipe may be about none); None when they no longer exist.
        """
        problems = self.now[row.conversation].problems
        found = tuple(pair[0] for _, pair in found_by(row.decisions, problems))
        trial = self.copy(self._on_progress)
        made, _ = trial._again(row)
        if not made:
            return None
        self._push(tuple(_merged(made)), self.now)
        self.now = trial.now
        return found

    def replay(self, steps: Sequence[Sequence[A]]) -> list[tuple[A, Decision]]:
        """Stage these steps on the file's own state. Returns decisions whose problems no longer exist,
        with their rows.
        """
        return self._go_on_as(Staging(self.original), steps)

    def reapply(self, steps: Sequence[Sequence[A]]) -> list[tuple[A, Decision]]:
        """The same, on top of what is staged."""
        return self._go_on_as(self.copy(self._on_progress), steps)

    def _go_on_as(self, trial: Staging, steps: Sequence[Sequence[A]]) -> list[tuple[A, Decision]]:
        left = trial._reapply(steps)
        self.now, self._steps, self._undone = trial.now, trial._steps, []
        self.held_back = dict(trial.held_back)
        return left

    def _reapply(self, steps: Sequence[Sequence[A]]) -> list[tuple[A, Decision]]:
        left: list[tuple[A, Decision]] = []
        done = 0
        for rows in steps:
            before = self.now
            made: list[Staged] = []
            for row in rows:
                waiting = row.decisions
                if row.conversation < len(self.now):
                    again, waiting = self._again(row)
                    made.extend(again)
                left += [(row, decision) for decision in waiting]
                done += len(row.decisions)
                if self._on_progress is not None:
                    self._on_progress(done)
            if made:
                self._push(tuple(_merged(made)), before)
        return left

    def _again(self, row: Applied) -> tuple[list[Staged], tuple[Decision, ...]]:
        """Stage the row's decisions; the second value is those whose problems were not found."""
        made: list[Staged] = []
        waiting = list(row.decisions)
        at = row.conversation
        if waiting and waiting[0].options is not None:
            from toolpair.recipes import RECIPES

            if waiting[0].fix_id not in RECIPES:
                return made, row.decisions
            recipe, options = RECIPES[waiting[0].fix_id], waiting[0].options
            copied = _copied(at, recipe, options, list(recipe.run(self.now[at], _apply, options)))
            if copied is None:
                return made, row.decisions
            self._replace(at, copied[1])
            return [copied[0]], ()
        from toolpair.recipes.engine import apply_fixes

        while waiting:
            conversation = self.now[at]
            found = found_by(waiting, conversation.problems)
            if not found:
                break
            wanted = {id(problem): (fix, decision) for decision, (problem, fix) in found}
            texts = {decision.text for decision, _ in found}
            if len(texts) == 1 and None in texts:
                step = next(apply_fixes(conversation, _apply, _pick_from(wanted)), None)
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
        """Replace a conversation by another view of it; only while nothing is staged."""
        self._undone.clear()
        self._replace(at, conversation)
        self.original = self.now

    def _push(self, rows: tuple[Staged, ...], before: tuple[Conversation, ...]) -> tuple[Staged, ...]:
        """Add a step. Returns its rows as staged."""
        number = len(self._steps)
        rows = tuple(replace(row, step=number) for row in rows)
        self._steps.append((rows, before))
        self._undone.clear()
        return rows

    def _replace(self, at: int, after: Conversation) -> None:
        self.now = (*self.now[:at], after, *self.now[at + 1 :])


def edits_of(fix: Fix, text: str | None) -> tuple[Edit, ...]:
    """The fix's edits, with `text` in place of a placeholder's if given."""
    if text is None or not fix.placeholder:
        return fix.edits
    return tuple(
        replace(edit, content=text) if isinstance(edit, InsertResult) and edit.content == PLACEHOLDER else edit
        for edit in fix.edits
    )


def _apply(conversation: Conversation, edits: Sequence[Edit]) -> Conversation:
    return conversation.apply(edits)


def _sends_less(before: Conversation, after: Conversation) -> Losses:
    return after.sends_less(before)


def _losing(row: Staged, less: str) -> Staged:
    said = f"{less}, no longer sent"
    return replace(row, loses=said, each_loses=(said,))


def _moves_records(fix: Fix) -> bool:
    """Whether the fix may change which records are sent. Edits within messages do not."""
    return any(isinstance(edit, _OF_RECORDS) for edit in fix.edits)


def _pick_from(wanted: Mapping[int, tuple[Fix, Decision]]) -> Pick:
    return lambda problem: wanted[id(problem)][0] if id(problem) in wanted else None


def _together(losses: Sequence[str]) -> str | None:
    """What several fixes lose, in a few words: the common part once, the rest counted."""
    kinds = list(dict.fromkeys(losses))
    if len(kinds) > 2 or (len(kinds) == 2 and len(losses) > 2):
        kinds[2:] = [f"and {len(losses) - 2:,} more"]
    elif len(kinds) < len(losses):
        kinds[0] += ", each"
    return "; ".join(kinds) or None


def _row(
    at: int, taken: Sequence[tuple[Problem, Fix]], before: Conversation, after: Conversation, text: str | None
) -> Staged:
    from toolpair.source.changes import changes

    different = list(changes(before.document, after.document))
    problem, fix = taken[0]
    answers = [edit for _, chosen in taken for edit in chosen.edits if isinstance(edit, InsertResult)]
    made_up = [
        edit
        for _, chosen in taken
        for edit in chosen.edits
        if isinstance(edit, InsertResult) and (edit.is_error or chosen.placeholder)
    ]
    losses = tuple(chosen.loses for _, chosen in taken if chosen.loses)
    return Staged(
        title=title_for([chosen for _, chosen in taken]),
        count=len(taken),
        fix_ids=(fix.id,),
        rules=(problem.rule,),
        loses=_together(losses),
        lines_changed=sum(change.count for change in different if change.kind in ("changed", "moved")),
        lines_added=sum(change.kind == "added" for change in different),
        lines_removed=sum(change.count for change in different if change.kind == "removed"),
        tools=tuple(dict.fromkeys(edit.call.name for edit in answers if edit.call.name)),
        conversation=at,
        placeholders=len(made_up),
        decisions=tuple(Decision.of(found, chosen, text) for found, chosen in taken),
        each_loses=losses,
    )


def carried_out(at: int, conversation: Conversation, recipe: Recipe, options: Options) -> CarriedOut:
    """Run a recipe on the conversation with index `at` of its file; stages nothing."""
    if recipe.pick is not None:
        return _picked(at, conversation, recipe.pick)
    steps = recipe.run(conversation, _apply, options)
    if recipe.copies is None:
        return _by_kind(at, conversation, steps)
    done = list(steps)
    made = _copied(at, recipe, options, done)
    if made is None:
        return CarriedOut((), (), conversation)
    return CarriedOut((made[0],), tuple(pair for step in done for pair in step.taken), made[1])


def _picked(
    at: int,
    conversation: Conversation,
    pick: Pick,
    apply: _Apply | None = None,
    watched: Callable[[_Steps], _Steps] = lambda steps: steps,
) -> CarriedOut:
    """Apply what `pick` returns, except recommended fixes that would make the agent send less."""
    from toolpair.recipes.careful import carefully

    def collect(state: Conversation, steps: _Steps) -> tuple[CarriedOut, Conversation]:
        made = _by_kind(at, state, watched(steps))
        return made, made.after

    done = carefully(conversation, apply or _apply, pick, _sends_less, collect)
    rows = done.made.rows
    if done.less is not None and len(rows) == 1 and rows[0].loses is None:
        rows = (_losing(rows[0], done.less),)
    return replace(done.made, rows=rows, held_back=done.held_back)


def _by_kind(at: int, conversation: Conversation, steps: Iterable[RecipeStep[Conversation]]) -> CarriedOut:
    """The steps as rows, one for each kind of fix."""
    rows: list[Staged] = []
    taken: list[tuple[Problem, Fix]] = []
    for step in steps:
        rows.append(_row(at, list(step.taken), step.before, step.after, None))
        taken.extend(step.taken)
        conversation = step.after
    return CarriedOut(tuple(_merged(rows)), tuple(taken), conversation)


def _copied(
    at: int, recipe: Recipe, options: Options, steps: Sequence[RecipeStep[Conversation]]
) -> tuple[Staged, Conversation] | None:
    """Everything that a replica of another system does, as a single decision; None when it does nothing."""
    if not steps:
        return None
    before, after = steps[0].before, steps[-1].after
    taken = [pair for step in steps for pair in step.taken]
    row = _row(at, taken, before, after, None)
    decision = Decision("", None, "", "", recipe.name, None, options)
    return replace(
        row,
        title=f"do as {(recipe.copies or recipe.name).partition(' (')[0]}",
        fix_ids=tuple(dict.fromkeys(fix.id for _, fix in taken)),
        rules=tuple(dict.fromkeys(problem.rule for problem, _ in taken)),
        decisions=(decision,),
    ), after


def _as_one(rows: Sequence[Staged]) -> Staged:
    return rows[0] if len(rows) == 1 else _summary(rows)


def _merged(rows: Sequence[Staged]) -> list[Staged]:
    """Rows of the same kind of fix merged."""
    by_kind: dict[tuple[object, ...], Staged] = {}
    for row in rows:
        key = (row.rules, row.fix_ids, row.conversation)
        known = by_kind.get(key)
        by_kind[key] = row if known is None else _summary([known, row], row.title if row.count > 1 else known.title)
    return list(by_kind.values())


def _summary(rows: Sequence[Staged], title: str | None = None) -> Staged:
    count = sum(row.count for row in rows)
    losses = tuple(loss for row in rows for loss in row.each_loses)
    return Staged(
        title=title or f"{count} fixes",
        count=count,
        fix_ids=tuple(dict.fromkeys(id_ for row in rows for id_ in row.fix_ids)),
        rules=tuple(dict.fromkeys(rule for row in rows for rule in row.rules)),
        loses=_together(losses),
        lines_changed=sum(row.lines_changed for row in rows),
        lines_added=sum(row.lines_added for row in rows),
        lines_removed=sum(row.lines_removed for row in rows),
        tools=tuple(dict.fromkeys(tool for row in rows for tool in row.tools)),
        conversation=rows[0].conversation,
        step=rows[0].step,
        placeholders=sum(row.placeholders for row in rows),
        decisions=tuple(decision for row in rows for decision in row.decisions),
        each_loses=losses,
    )
