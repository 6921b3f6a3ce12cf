"""No recommended fix may make the agent send less, or take a text along without saying so: one that would is held back,
and its problem left to a person.

What would be sent, and the texts of the records, are compared once, after all fixes. Only if something is missing are
the fixes responsible searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, Generic, TypeVar

from msgspec import Struct

from toolpair.recipes.engine import Mark, Pick, apply_fixes, mark_of
from toolpair.recipes.recipe import Gone, Less, RecipeStep, S
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit

T = TypeVar("T")
Apply = Callable[[S, Sequence[Edit]], S]
Missing = Callable[[S, S, S], Less]
"""(opened, first, now): what the opened state says that is nowhere now, and what the first one would send that would
not be sent now.
"""
_Key = tuple[str, int, str | None, int]
_Taken = tuple[Problem, Fix]
_ROUNDS: Final = 6
_PASSES: Final = 3


class HeldBack(Struct, frozen=True):
    """A recommended fix that was not applied."""

    problem: Problem
    fix: Fix
    without: str
    """What would be missing, as a clause: "the agent would no longer send 1 output (34 bytes)"."""

    @property
    def text(self) -> str:
        """Why it was not applied, one sentence."""
        return f"The recommended fix is not applied: with it {self.without}."


class Done(Struct, Generic[T], frozen=True):
    """The result of the steps, and the fixes held back."""

    made: T
    held_back: tuple[HeldBack, ...]
    less: str | None
    """What is missing nevertheless, as a phrase, because a person chose so."""


def carefully(
    state: S,
    apply: Apply[S],
    pick: Pick,
    missing: Missing[S],
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
        return made, _Measure(state, watch.first, apply, missing, after)

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
    """Finds the recommended fixes that cause `lost`, which would be missing in the end."""

    def __init__(self, opened: S, first: S, apply: Apply[S], missing: Missing[S], last: S) -> None:
        self._apply = apply
        self._less: Callable[[S], Less] = partial(missing, opened, first)
        less = self._less(last)
        self.lost = _keys(less)
        self.less = less.phrase
        self._without = less.without or ""

    def to_blame(self, steps: Iterable[RecipeStep[S]]) -> list[HeldBack]:
        found: list[HeldBack] = []
        known: frozenset[_Key] = frozenset()
        refused: RecipeStep[S] | None = None  # from here on the agent would not resume it
        for step in steps:
            less = _keys(self._less(step.after)) & self.lost
            if step.after.sends_nothing:
                refused = step if refused is None and not step.before.sends_nothing else refused
                less = _texts(less)  # nothing is sent, but the texts are there
            new = less - known
            known |= less
            if new and refused is None:
                found += self._culprits(step.before, _recommended(step), new)
            elif new:
                found += self._culprits(step.before, _recommended(step), _texts(new))
                found += self._of(refused) if refused is not None and new != _texts(new) else []
            refused = None if not step.after.sends_nothing else refused
            if known == self.lost:
                break
        return found if refused is None else found + self._of(refused)

    def _of(self, step: RecipeStep[S]) -> list[HeldBack]:
        """The fixes of a step after which the agent would refuse to resume, be it only until other fixes follow."""
        taken = _recommended(step)
        alone = [one for one in taken if self._apply(step.before, one[1].edits).sends_nothing]
        return [HeldBack(problem, fix, self._without) for problem, fix in alone or taken]

    def _culprits(self, before: S, taken: Sequence[_Taken], lost: frozenset[_Key]) -> list[HeldBack]:
        return self._blamed(before, taken, lost) or []

    def _blamed(self, before: S, taken: Sequence[_Taken], lost: frozenset[_Key]) -> list[HeldBack] | None:
        """None where these are not to blame; empty where those that are have named what they lose."""
        after = self._apply(before, [edit for _, fix in taken for edit in fix.edits])
        less = self._less(after)
        if not taken or not lost or not _keys(less) & lost:
            return None
        if len(taken) > 1:
            half = len(taken) // 2
            halves = (self._blamed(before, part, lost) for part in (taken[:half], taken[half:]))
            found = [part for part in halves if part is not None]
            if found:
                return [one for part in found for one in part]  # no single one causes it otherwise
        # A fix that says what it loses has named its texts.
        gone = _keys(less) & lost
        named = gone == _texts(gone)
        return [HeldBack(problem, fix, less.without or "") for problem, fix in taken if not (named and fix.loses)]


def _recommended(step: RecipeStep[S]) -> list[_Taken]:
    return [one for one in step.taken if one[1].recommended]


def _texts(keys: frozenset[_Key]) -> frozenset[_Key]:
    return frozenset(key for key in keys if key[0] == "text")


def _keys(less: Less) -> frozenset[_Key]:
    found: list[Gone] = [*less.outputs, *less.words, *less.texts]
    return frozenset((one.kind, one.record, one.id, one.size) for one in found)
