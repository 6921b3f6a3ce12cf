"""A recipe leaves nothing that a second run would change, whatever its fixes do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toolpair.recipes.engine import mend
from toolpair.recipes.recommended import pick
from toolpair.rules.base import Fix, Problem
from toolpair.transcript.edits import Edit, RemoveRecord


@dataclass(frozen=True)
class State:
    """A file of which some records are wrong. Those that need another are mended only once that one is."""

    wrong: tuple[int, ...]
    needs: tuple[tuple[int, int], ...] = ()
    tried: int = 0
    """How often something was done that did not help: it shows in the file."""

    @property
    def problems(self) -> Sequence[Problem]:
        return [wrong(number) for number in self.wrong]


def wrong(number: int) -> Problem:
    fix = Fix("mend", "mend it", (RemoveRecord(number),), recommended=True)
    return Problem(f"rule.{number}", "error", "loses", "", "It is wrong.", None, None, None, number, fixes=(fix,))


def apply(state: State, edits: Sequence[Edit]) -> State:
    done, tried = set[int](), state.tried
    for edit in edits:
        assert isinstance(edit, RemoveRecord)
        need = dict(state.needs).get(edit.record)
        if need is None or need not in state.wrong:
            done.add(edit.record)
        else:
            tried += 1
    return State(tuple(number for number in state.wrong if number not in done), state.needs, tried)


def run(state: State) -> State:
    for step in mend(state, apply, pick):
        state = step.after
    return state


def test_a_fix_that_does_not_take_is_not_put_on() -> None:
    state = State((1, 2, 3), needs=((2, 2),))
    once = run(state)
    assert once == State((2,), state.needs)
    assert run(once) == once and list(mend(once, apply, pick)) == []


def test_a_fix_that_takes_only_behind_another_is_tried_again() -> None:
    assert run(State((1, 2, 3), needs=((1, 2), (2, 3)))).wrong == ()
