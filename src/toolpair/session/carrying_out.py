"""Fixes and recipes carried out on a conversation: what is taken, as rows of the review. Nothing is staged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from toolpair.history.conversation import Conversation
from toolpair.rules.problem import Fix, Problem
from toolpair.session.decisions import Applied, Decision, edits_of, found_by, standing
from toolpair.session.staged import Staged, losing, merged, moves_records, row_of
from toolpair.transcript.edits import Edit

if TYPE_CHECKING:
    from toolpair.history.losses import Losses
    from toolpair.recipes.careful import HeldBack
    from toolpair.recipes.engine import Pick
    from toolpair.recipes.recipe import Options, Recipe, RecipeStep
    from toolpair.source.changes import Change

OnFixed = Callable[[int], None]
"""Called with the number of problems fixed so far."""
_Steps = Iterator["RecipeStep[Conversation]"]
_Apply = Callable[[Conversation, Sequence[Edit]], Conversation]


class CarriedOut(Struct, frozen=True):
    """What a recipe did to a conversation. No rows when it had nothing to do."""

    rows: tuple[Staged, ...]
    taken: tuple[tuple[Problem, Fix], ...]
    after: Conversation
    held_back: tuple[HeldBack, ...] = ()


def carried_out(conversation: Conversation, recipe: Recipe, options: Options) -> CarriedOut:
    """Run a recipe on a conversation; stages nothing."""
    if recipe.pick is not None:
        return picked(conversation, recipe.pick)
    steps = recipe.run(conversation, Conversation.apply, options)
    if recipe.copies is None:
        return _by_kind(conversation, steps)
    done = list(steps)
    made = _copied(recipe, options, done)
    if made is None:
        return CarriedOut((), (), conversation)
    return CarriedOut((made[0],), tuple(pair for step in done for pair in step.taken), made[1])


def preview(conversation: Conversation, fix: Fix, text: str | None = None) -> list[Change]:
    """What that fix alone would change; `text` replaces a placeholder's."""
    from toolpair.source.changes import changes

    edits = edits_of(fix, text)
    after = conversation.apply(edits)
    conversation.previewed = edits, after
    return list(changes(conversation.document, after.document))


def fixed(before: Conversation, problem: Problem, fix: Fix, text: str | None) -> tuple[Staged, Conversation]:
    """One fix; `text` replaces a placeholder's."""
    edits, known = edits_of(fix, text), before.previewed
    before.previewed = None
    after = known[1] if known is not None and known[0] is edits else before.apply(edits)
    row = row_of([(problem, fix)], before, after, text)
    if row.loses is None:
        less = after.texts_gone(before)
        less = less + after.sends_less(before) if moves_records(fix) else less
        row = losing(row, less.phrase) if less.phrase is not None else row
    return row, after


def again(row: Applied, conversation: Conversation) -> tuple[list[Staged], Conversation, tuple[Decision, ...]]:
    """The row's decisions taken on this state: as rows, what it is then, and those that found no problem."""
    made: list[Staged] = []
    waiting = list(row.decisions)
    if waiting and waiting[0].options is not None:
        from toolpair.recipes import RECIPES

        if waiting[0].fix_id not in RECIPES:
            return made, conversation, row.decisions
        recipe, options = RECIPES[waiting[0].fix_id], waiting[0].options
        copy = _copied(recipe, options, list(recipe.run(conversation, Conversation.apply, options)))
        return (made, conversation, row.decisions) if copy is None else ([copy[0]], copy[1], ())
    from toolpair.recipes.engine import apply_fixes

    while waiting:
        found = found_by(waiting, standing(waiting, conversation))
        if not found:
            break
        wanted = {id(problem): (fix, decision) for decision, (problem, fix) in found}
        texts = {decision.text for decision, _ in found}
        if len(texts) == 1 and None in texts and not any(decision.within is not None for decision, _ in found):
            step = next(apply_fixes(conversation, Conversation.apply, _pick_from(wanted)), None)
            if step is None:
                break
            taken, after, text = list(step.taken), step.after, None
        else:
            decision, (problem, fix) = found[0]
            taken, after, text = [(problem, fix)], conversation.apply(edits_of(fix, decision.text)), decision.text
        done = {id(wanted[id(problem)][1]) for problem, _ in taken}
        made.append(row_of(taken, conversation, after, text))
        conversation = after
        waiting = [decision for decision in waiting if id(decision) not in done]
    return made, conversation, tuple(waiting)


def _pick_from(wanted: Mapping[int, tuple[Fix, Decision]]) -> Pick:
    return lambda problem: wanted[id(problem)][0] if id(problem) in wanted else None


def picked(conversation: Conversation, pick: Pick, on_progress: OnFixed | None = None) -> CarriedOut:
    """Apply what `pick` returns, except recommended fixes by which something would be missing."""
    from toolpair.recipes.careful import carefully

    apply, watched = _with_progress(on_progress)

    def collect(state: Conversation, steps: _Steps) -> tuple[CarriedOut, Conversation]:
        made = _by_kind(state, watched(steps))
        return made, made.after

    done = carefully(conversation, apply, pick, _missing, collect)
    rows = done.made.rows
    if done.less is not None and len(rows) == 1 and rows[0].loses is None:
        rows = (losing(rows[0], done.less),)
    return replace(done.made, rows=rows, held_back=done.held_back)


def _by_kind(conversation: Conversation, steps: Iterable[RecipeStep[Conversation]]) -> CarriedOut:
    """The steps as rows, one for each kind of fix."""
    rows: list[Staged] = []
    taken: list[tuple[Problem, Fix]] = []
    for step in steps:
        rows.append(row_of(list(step.taken), step.before, step.after, None))
        taken.extend(step.taken)
        conversation = step.after
    return CarriedOut(tuple(merged(rows)), tuple(taken), conversation)


def _copied(
    recipe: Recipe, options: Options, steps: Sequence[RecipeStep[Conversation]]
) -> tuple[Staged, Conversation] | None:
    """Everything that a replica of another system does, as a single decision; None when it does nothing."""
    if not steps:
        return None
    before, after = steps[0].before, steps[-1].after
    taken = [pair for step in steps for pair in step.taken]
    row = row_of(taken, before, after, None)
    decision = Decision("", None, "", "", recipe.name, None, options)
    return replace(
        row,
        title=f"do as {(recipe.copies or recipe.name).partition(' (')[0]}",
        fix_ids=tuple(dict.fromkeys(fix.id for _, fix in taken)),
        rules=tuple(dict.fromkeys(problem.rule for problem, _ in taken)),
        decisions=(decision,),
    ), after


def _missing(opened: Conversation, first: Conversation, now: Conversation) -> Losses:
    return now.sends_less(first) + now.texts_gone(opened)


def _with_progress(on_progress: OnFixed | None) -> tuple[_Apply, Callable[[_Steps], _Steps]]:
    """How to apply edits and run steps while `on_progress` is called with the number of problems done."""
    done = 0
    if on_progress is None:
        return Conversation.apply, lambda steps: steps

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
