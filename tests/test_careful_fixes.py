"""Which of several fixes is held back, when something is gone after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolpair.recipes.careful import Done, carefully
from toolpair.recipes.recipe import RecipeStep
from toolpair.recipes.recommended import pick
from toolpair.rules.problem import Fix, Problem
from toolpair.transcript.edits import Edit, RemoveRecord


@dataclass(frozen=True)
class Text:
    """What is gone with a record."""

    record: int
    kind: str = "text"
    id: str | None = None
    size: int = 6


@dataclass(frozen=True)
class Missing:
    texts: Sequence[Text]
    outputs: Sequence[Text] = ()
    words: Sequence[Text] = ()
    without: str | None = "a text would be gone"
    phrase: str | None = "a text"


@dataclass(frozen=True)
class State:
    """Records that are all wrong alike: the fix takes them away, and one step does it for all of them."""

    wrong: tuple[int, ...]
    holding: frozenset[int]
    """Those with a text that stands nowhere else."""
    saying: frozenset[int] = frozenset()
    """Those whose fix says that it takes a text along."""
    sends_nothing: bool = False
    items: tuple[()] = ()
    next_uid: int = 0

    @property
    def problems(self) -> Sequence[Problem]:
        return [self._problem(number) for number in self.wrong]

    def _problem(self, number: int) -> Problem:
        loses = "a text" if number in self.saying else None
        fix = Fix("take", "take it away", (RemoveRecord(number),), recommended=True, loses=loses)
        return Problem("rule", "error", "loses", "", "It is wrong.", None, None, None, number, fixes=(fix,))


def apply(state: State, edits: Sequence[Edit]) -> State:
    gone = {edit.record for edit in edits if isinstance(edit, RemoveRecord)}
    return State(tuple(number for number in state.wrong if number not in gone), state.holding, state.saying)


def missing(opened: State, first: State, now: State) -> Missing:
    return Missing([Text(number) for number in opened.wrong if number not in now.wrong and number in opened.holding])


def run(state: State) -> Done[State]:
    def collect(begin: State, steps: Iterator[RecipeStep[State]]) -> tuple[State, State]:
        for step in steps:
            begin = step.after
        return begin, begin

    return carefully(state, apply, pick, missing, collect)


def held(done: Done[State]) -> set[int | None]:
    return {one.problem.record for one in done.held_back}


def test_the_fix_that_takes_a_text_along_unsaid_is_held_back_alone() -> None:
    done = run(State((1, 2, 3, 4), frozenset({3})))
    assert held(done) == {3} and done.made.wrong == (3,)


def test_a_fix_beside_one_that_says_what_it_loses_is_made_by_the_first_run() -> None:
    done = run(State((1, 2), holding=frozenset({1}), saying=frozenset({1})))
    assert held(done) == set() and done.made.wrong == ()


def test_of_two_that_lose_something_the_one_that_does_not_say_so_is_held_back() -> None:
    done = run(State((1, 2, 3), holding=frozenset({1, 2}), saying=frozenset({1})))
    assert held(done) == {2} and done.made.wrong == (2,)
