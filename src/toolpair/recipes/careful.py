"""No recommended fix may make the agent send less: one that would is held back, and its problem left to a person.

What would be sent is compared once, after all fixes. Only if it is less than before are the fixes responsible searched
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Generic, TypeVar

from msgspec import Struct

from toolpair.recipes.engine import Mark, Pick, apply_fixes, mark_of
from toolpair.recipes.recipe import Gone, Less, RecipeStep, S
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit

T = TypeVar("T")
Apply = Callable[[S, Sequence[Edit]], S]
SendsLess = Callable[[S, S], Less]
"""What the first state would send and the second would not."""
_Key = tuple[str, int, str | None, int]
_Taken = tuple[Problem, Fix]
_ROUNDS: Final = 6
_PASSES: Final = 3


class HeldBack(Struct, frozen=True):
    """A recommended fix that was not applied."""

    problem: Problem
    fix: Fix
    less: str
    """What the agent would no longer send: "1 output (34 bytes)"."""

    @property
    def text(self) -> str:
        """Why it was not applied, one sentence."""
        return f"The recommended fix is not applied: with it the agent would no longer send {self.less}."


class Done(Struct, Generic[T], frozen=True):
    """The result of the steps, and the fixes held back."""

    made: T
    held_back: tuple[HeldBack, ...]
    less: str | None
    """What the agent no longer sends nevertheless, because a person chose so."""


def carefully(
    state: S,
    apply: Apply[S],
    pick: Pick,
    sends_less: SendsLess[S],
    collect: Callable[[S, Iterator[RecipeStep[S]]], tuple[T, S]],
) -> Done[T]:
    """Let `collect` run through the steps of `pick`: it returns their result and the last state.

    It is called again if a recommended fix is held back. What a person chose is applied, whatever it removes.
    """
    passes = [_Pass(pick)]
    held: list[HeldBack] = []

    def steps() -> Iterator[RecipeStep[S]]:
        now = state
        for one in passes:
            one.took = False
            for step in apply_fixes(now, apply, one.allowed):
                now, one.took = step.after, True
                yield step

    def tried() -> tuple[T, _Measure[S]]:
        watch = _Watch(state)
        made, after = collect(state, watch.over(steps()))
        return made, _Measure(watch.first, apply, sends_less, sends_less(watch.first, after))

    made, measure = tried()
    while True:
        for number in range(_ROUNDS):
            found = measure.to_blame(steps()) if measure.lost else []
            if not found:
                break
            held += found
            passes[-1].refuse(found, kinds=number >= _ROUNDS - 2)
            made, measure = tried()
        last = passes[-1]
        if measure.lost and len(passes) > 1:
            passes.pop()
            made, measure = tried()
            return Done(made, tuple(held), measure.less)
        if not (last.held and last.took) or len(passes) == _PASSES:
            return Done(made, tuple(held), measure.less)
        # Together with what was applied since, one that was held back may remove nothing.
        passes.append(_Pass(pick))
        made, measure = tried()


class _Pass:
    """What may be applied: what is picked, except recommended fixes that are held back."""

    def __init__(self, pick: Pick) -> None:
        self.took = False
        self.held = False
        self._pick = pick
        self._refused: set[Mark] = set()
        self._kinds: set[tuple[str, str]] = set()

    def allowed(self, problem: Problem) -> Fix | None:
        fix = self._pick(problem)
        if fix is None or not fix.recommended:
            return fix
        return None if (problem.rule, fix.id) in self._kinds or mark_of(problem, fix) in self._refused else fix

    def refuse(self, found: Sequence[HeldBack], *, kinds: bool) -> None:
        """`kinds`: each run finds something new, so apply nothing of these kinds."""
        self.held = True
        self._refused |= {mark_of(one.problem, one.fix) for one in found}
        if kinds:
            self._kinds |= {(one.problem.rule, one.fix.id) for one in found}


class _Watch(Generic[S]):
    """Finds the first state that the agent resumes: of one that it refuses, nothing would be sent."""

    def __init__(self, state: S) -> None:
        self.first = state

    def over(self, steps: Iterable[RecipeStep[S]]) -> Iterator[RecipeStep[S]]:
        for step in steps:
            if self.first is step.before and self.first.sends_nothing:
                self.first = step.after
            yield step


class _Measure(Generic[S]):
    """Finds the recommended fixes that cause `lost`, which would no longer be sent in the end."""

    def __init__(self, first: S, apply: Apply[S], sends_less: SendsLess[S], less: Less) -> None:
        self._first = first
        self._apply = apply
        self._sends_less = sends_less
        self.lost = _keys(less)
        self.less = less.text

    def to_blame(self, steps: Iterable[RecipeStep[S]]) -> list[HeldBack]:
        found: list[HeldBack] = []
        known: frozenset[_Key] = frozenset()
        refused: RecipeStep[S] | None = None  # from here on the agent would not resume it
        for step in steps:
            if step.after.sends_nothing:
                refused = step if refused is None and not step.before.sends_nothing else refused
                continue
            less = _keys(self._sends_less(self._first, step.after)) & self.lost
            new = less - known
            known |= less
            if new:
                found += self._culprits(step.before, _recommended(step), new) if refused is None else self._of(refused)
            refused = None
            if known == self.lost:
                break
        return found if refused is None else found + self._of(refused)

    def _of(self, step: RecipeStep[S]) -> list[HeldBack]:
        """The fixes of a step after which the agent would refuse to resume, be it only until other fixes follow."""
        taken = _recommended(step)
        alone = [one for one in taken if self._apply(step.before, one[1].edits).sends_nothing]
        return [HeldBack(problem, fix, self.less or "") for problem, fix in alone or taken]

    def _culprits(self, before: S, taken: Sequence[_Taken], lost: frozenset[_Key]) -> list[HeldBack]:
        after = self._apply(before, [edit for _, fix in taken for edit in fix.edits])
        less = self._sends_less(self._first, after)
        if not taken or not _keys(less) & lost:
            return []
        if len(taken) > 1:
            half = len(taken) // 2
            found = self._culprits(before, taken[:half], lost) + self._culprits(before, taken[half:], lost)
            if found:
                return found  # no single one causes it otherwise
        return [HeldBack(problem, fix, less.text or "") for problem, fix in taken]


def _recommended(step: RecipeStep[S]) -> list[_Taken]:
    return [one for one in step.taken if one[1].recommended]


def _keys(less: Less) -> frozenset[_Key]:
    found: list[Gone] = [*less.outputs, *less.words]
    return frozenset((one.kind, one.record, one.id, one.size) for one in found)
