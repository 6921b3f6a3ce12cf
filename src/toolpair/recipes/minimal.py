"""Touch the fewest records: several ways are tried, and the one that changes least is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic

from msgspec import Struct

from toolpair.recipes import drop, keep, recommended
from toolpair.recipes.engine import Pick, apply_fixes
from toolpair.recipes.measuring import touched
from toolpair.recipes.recipe import DEFAULT, Options, Recipe, RecipeStep, S
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit

_WORK: Final = 200_000
"""Budget of records for measuring problems one by one; others are then assumed to cost what their kind did."""
_ROUNDS: Final = 3
_Apply = Callable[[S, Sequence[Edit]], S]
_Kind = tuple[object, ...]


class _Way(Struct, Generic[S], frozen=True):
    """One way that was tried."""

    steps: list[RecipeStep[S]]
    errors: int
    records: int


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
    """Apply the cheapest way; repeat while that leaves errors which another way fixes."""
    for _ in range(_ROUNDS):
        best = min(_ways(state, apply), key=lambda way: (way.errors, way.records))
        if not best.steps:
            return
        yield from best.steps
        state = best.steps[-1].after
        if not best.errors:
            return


def _ways(state: S, apply: _Apply[S]) -> Iterator[_Way[S]]:
    """The ways to choose from; of two that touch equally many records the first wins."""
    default = _carried_out(state, apply, recommended.pick_without_guessing)
    yield default
    states = [step.before for step in default.steps]
    measured = _Measured(state, apply)
    for choice in (
        _Choice(keep.pick),
        _Cheapest(measured, lossless=True),
        _Cheapest(measured, lossless=False),
        _Choice(drop.pick),
    ):
        # If it would choose every recommended fix, the result is the same.
        if any(_is_other(choice, measured, passed) for passed in states):
            measured.states = (state,)
            yield _carried_out(state, measured.apply, choice.pick)


def _is_other(choice: _Choice, measured: _Measured[S], state: S) -> bool:
    measured.states = (state,)
    return any(choice.pick(problem) is not recommended.pick_without_guessing(problem) for problem in state.problems)


def _carried_out(state: S, apply: _Apply[S], pick: Pick) -> _Way[S]:
    steps = list(apply_fixes(state, apply, pick))
    after = steps[-1].after if steps else state
    errors = sum(problem.severity == "error" for problem in after.problems)
    return _Way(steps, errors, touched(state.items, after.items).total if steps else 0)


class _Choice:
    """Which fix to apply for each problem."""

    def __init__(self, pick: Pick) -> None:
        self.pick: Pick = pick


class _Measured(Generic[S]):
    """How many records each fix of a problem touches, measured by applying it."""

    def __init__(self, state: S, apply: _Apply[S]) -> None:
        self._apply = apply
        self.states: tuple[S, ...] = (state,)
        """The records that the problems in question can involve."""
        self._work = 0
        self._known: dict[int, tuple[Problem, dict[str, int]]] = {}
        self._kinds: dict[_Kind, dict[str, int]] = {}

    def apply(self, state: S, edits: Sequence[Edit]) -> S:
        after = self._apply(state, edits)
        self.states = (state, after)
        return after

    def costs(self, problem: Problem) -> dict[str, int]:
        """The cost of each certain fix, by its id."""
        known = self._known.get(id(problem))
        if known is None:
            known = (problem, self._measure(problem))
            self._known[id(problem)] = known
        return known[1]

    def _measure(self, problem: Problem) -> dict[str, int]:
        fixes = [fix for fix in problem.fixes if fix.certain and fix.edits]
        kind = (problem.rule, tuple(fix.id for fix in fixes))
        if self._work < _WORK or kind not in self._kinds:
            state = next(found for found in reversed(self.states) if any(one is problem for one in found.problems))
            self._work += len(state.items) * len(fixes)
            self._kinds[kind] = {
                fix.id: touched(state.items, self._apply(state, fix.edits).items).total for fix in fixes
            }
        return self._kinds[kind]


class _Cheapest(_Choice, Generic[S]):
    """Of each problem's certain fixes, the one that touches fewest records; of equals the recommended, then a lossless
    one.
    """

    def __init__(self, measured: _Measured[S], lossless: bool) -> None:
        super().__init__(self._choose)
        self._measured = measured
        self._lossless = lossless

    def _choose(self, problem: Problem) -> Fix | None:
        best = recommended.pick_without_guessing(problem)
        if best is None:
            return None
        choices = [best] + [
            fix
            for fix in problem.fixes
            if fix is not best and fix.certain and fix.edits and not (self._lossless and fix.loses)
        ]
        if len(choices) == 1:
            return best
        costs = self._measured.costs(problem)
        return min(choices, key=lambda fix: (costs[fix.id], fix is not best, fix.loses is not None))


RECIPE: Final = Recipe(
    "minimal",
    "Touches the fewest lines, even if that loses something; among equals, the least loss.",
    run,
    does=(
        "Tries several ways and takes the one with the fewest changed, added and removed records among those that "
        "leave the fewest errors: the recommended fixes, keep, drop, and for each problem the certain fix that "
        "touches the fewest records, once among those that lose nothing and once among all.",
        "If several ways touch equally many records, one that loses nothing is taken, the recommended fixes first.",
        "A record that only moves counts as changed, and so does one that is replaced. So do records that change "
        "because of their neighbours: links, ordinals.",
    ),
    loses="Where removing a call or an output touches fewer records than keeping it, it is removed. Where both touch "
    "equally many, nothing is lost.",
    instead="It touches as many records as it takes to lose nothing.",
)
