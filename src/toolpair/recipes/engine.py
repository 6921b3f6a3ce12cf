"""Running a recipe: apply fixes group by group, checking again after each, until there is nothing left to apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.recipes.recipe import DEFAULT, Options, RecipeRun, RecipeStep, S
from toolpair.rules.binding import DROPS_THINKING
from toolpair.rules.problem import Fix, Problem
from toolpair.rules.registry import fix_order
from toolpair.transcript.edits import Edit, targets

Pick = Callable[[Problem], Fix | None]
Mark = tuple[object, ...]
"""Identifies the choice of a fix, across states."""
_Choice = tuple[Mark, Problem, Fix]

_MOST_STEPS: Final = 1000
_MOST_TIMES: Final = 2
"""How often the same fix is made whose problem comes back."""


def picking(pick: Pick) -> RecipeRun:
    """A recipe that applies, for each problem, the fix that `pick` returns."""

    def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
        return apply_fixes(state, apply, pick)

    return run


def apply_fixes(state: S, apply: Callable[[S, Sequence[Edit]], S], pick: Pick) -> Iterator[RecipeStep[S]]:
    """Apply what `pick` returns, step by step, until it returns nothing, or nothing that helps.

    Each problem is tried once, and again after others have been fixed; one whose fix was kept, a second time at most.
    So it always ends. A step that leaves its problems and fixes no others is not kept, nor are those fixes of a step
    without which it helps as much: running the recipe on its own result changes nothing.
    """
    tried: set[Mark] = set()
    kept: Counter[Mark] = Counter()
    again = False
    waiting = _waiting(state.problems, pick)
    for _ in range(_MOST_STEPS):
        taken = _next_group([found for found in waiting if found[0] not in tried])
        if not taken:
            if not again:
                return
            tried, again = {mark for mark in tried if kept[mark] >= _MOST_TIMES}, False
            continue
        after, left, useless = _tried(state, apply, pick, taken)
        if useless and len(left) >= len(waiting):
            tried |= useless
            continue
        tried.update(mark for mark, _, _ in taken)
        helpful = [found for found in taken if found[0] not in useless]
        if useless and helpful:
            alone = _tried(state, apply, pick, helpful)
            if not alone[2] and len(alone[1]) <= len(left):
                (after, left, _), taken = alone, helpful
        kept.update(mark for mark, _, _ in taken)
        yield RecipeStep(tuple((problem, fix) for _, problem, fix in taken), state, after)
        state, waiting, again = after, left, True


def _tried(
    state: S, apply: Callable[[S, Sequence[Edit]], S], pick: Pick, taken: Sequence[_Choice]
) -> tuple[S, list[_Choice], set[Mark]]:
    """The state after these fixes, what is still to be fixed then, and which of them left their problems."""
    after = apply(state, [edit for _, _, fix in taken for edit in fix.edits])
    left = _waiting(after.problems, pick)
    standing = {mark for mark, _, _ in left}
    return after, left, {mark for mark, _, _ in taken if mark in standing}


def mark_of(problem: Problem, fix: Fix) -> Mark:
    """Identifies the choice of this fix, in other states as well."""
    ids = tuple(repr(block.id) for block in (problem.call, problem.result) if block is not None)
    # The same record may need another link once its neighbours are fixed.
    links = tuple((type(edit).__name__, getattr(edit, "parent", None)) for edit in fix.edits)
    return (problem.rule, problem.record, problem.key, ids, fix.id, links)


def _waiting(problems: Sequence[Problem], pick: Pick) -> list[_Choice]:
    """What `pick` would apply for these problems.

    Two empty texts in one message cannot be told apart: the mark counts how many such are left.
    """
    picked = ((problem, pick(problem)) for problem in problems)
    found = [(mark_of(problem, fix), problem, fix) for problem, fix in picked if fix is not None and fix.edits]
    left = Counter(mark for mark, _, _ in found)
    counted: list[_Choice] = []
    for mark, problem, fix in found:
        counted.append(((*mark, left[mark]), problem, fix))
        left[mark] -= 1
    return counted


def _next_group(waiting: Sequence[_Choice]) -> list[_Choice]:
    """The fixes of the kind that comes first, as many as touch different blocks."""
    if not waiting:
        return []
    _, first_problem, first_fix = min(waiting, key=lambda found: fix_order(found[1].rule))
    taken: list[_Choice] = []
    touched: set[int] = set()
    for mark, problem, fix in waiting:
        if (problem.rule, fix.id) != (first_problem.rule, first_fix.id):
            continue
        wanted: set[int] = set()
        for edit in fix.edits:
            wanted |= targets(edit)
        if fix.id.endswith(DROPS_THINKING):
            wanted.add(id(DROPS_THINKING))
        if touched & wanted:
            continue
        touched |= wanted
        taken.append((mark, problem, fix))
    return taken
