"""Carrying out a recipe: take fixes group by group, judge again after each, until nothing is left to take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeVar

from toolpair.rules.base import Fix, Problem
from toolpair.transcript.edits import Edit, targets

Pick = Callable[[Problem], Fix | None]

_ORDER: Final = (
    "record",
    "chain",
    "field",
    "role.unknown",
    "role.call_in_user",
    "content.null",
    "content.empty_message",
    "item",
    "result.placeholder",
    "id",
    "call.duplicate_id",
    "call.reused_id",
    "name",
    "result.id_mismatch",
    "result.duplicate",
    "result.kind",
    "role.result_in_assistant",
    "result.not_adjacent",
    "result.split_over_messages",
    "result.orphan",
    "result.missing",
    "args",
    "turn.trailing_call",
    "result.not_first",
    "call.not_trailing",
)
"""What is mended first: ids before places, places before placeholders, the shape of a message last."""
_MOST_STEPS: Final = 1000


class Judged(Protocol):
    """Something that has problems: a conversation of a session, or a list of messages."""

    @property
    def problems(self) -> Sequence[Problem]: ...


S = TypeVar("S", bound=Judged)


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """Fixes of one kind that were carried out together."""

    taken: tuple[tuple[Problem, Fix], ...]
    before: S
    after: S


def mend(state: S, apply: Callable[[S, Sequence[Edit]], S], pick: Pick) -> Iterator[Step[S]]:
    """Take what `pick` says, step by step. Each problem is tried once, so it always ends."""
    tried: set[tuple[object, ...]] = set()
    for _ in range(_MOST_STEPS):
        taken = _next_group(state.problems, pick, tried)
        if not taken:
            return
        edits = [edit for _, fix in taken for edit in fix.edits]
        after = apply(state, edits)
        yield Step(taken, state, after)
        state = after


def _mark(problem: Problem, fix: Fix) -> tuple[object, ...]:
    ids = tuple(repr(block.id) for block in (problem.call, problem.result) if block is not None)
    # The same record may need another link once its neighbours are mended.
    links = tuple((type(edit).__name__, getattr(edit, "parent", None)) for edit in fix.edits)
    return (problem.rule, problem.record, problem.key, ids, fix.id, links)


def _rank(rule: str) -> int:
    family = rule.split(".", 1)[0]
    return next((number for number, name in enumerate(_ORDER) if name in (rule, family)), len(_ORDER))


def _next_group(
    problems: Sequence[Problem], pick: Pick, tried: set[tuple[object, ...]]
) -> tuple[tuple[Problem, Fix], ...]:
    """The fixes of the kind that comes first, as many as touch different blocks."""
    waiting = [
        (problem, fix)
        for problem in problems
        if (fix := pick(problem)) is not None and fix.edits and _mark(problem, fix) not in tried
    ]
    if not waiting:
        return ()
    first_problem, first_fix = min(waiting, key=lambda found: _rank(found[0].rule))
    taken: list[tuple[Problem, Fix]] = []
    touched: set[int] = set()
    for problem, fix in waiting:
        if (problem.rule, fix.id) != (first_problem.rule, first_fix.id):
            continue
        wanted: set[int] = set()
        for edit in fix.edits:
            wanted |= targets(edit)
        if touched & wanted:
            continue
        touched |= wanted
        tried.add(_mark(problem, fix))
        taken.append((problem, fix))
    return tuple(taken)
