"""A replica of Roo Code's check of each user message before it enters the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

from toolpair.recipes.recipe import Options, Recipe
from toolpair.recipes.replica_steps import ReplicaActions, replica
from toolpair.recipes.turn_order import Turn, id_key, turns_of
from toolpair.transcript.edits import InsertResult
from toolpair.transcript.model import Block

INTERRUPTED: Final = "Tool execution was interrupted before completion."
LOSES: Final = (
    "Of two results with one id the first stays, even if it is a placeholder and the second the real output. A result "
    "with an unknown id takes the id of the call at its position: outputs that came back in a different order are "
    "swapped without telling you, and a wrong result that comes first pushes out the right one. Results beyond the "
    "number of calls are removed, and so are those of an earlier response. A call is compared with every user message "
    "after it, so results that are spread over two messages get placeholders in both."
)
INSTEAD: Final = (
    "The default matches by what the transcript shows about a pair, moves a result to its call, keeps what cannot be "
    "paired as text, and leaves to you what only the position would decide."
)


def validated(actions: ReplicaActions, *, reorder: bool = False, by_position: bool = True) -> None:
    """`validateAndFixToolResultIds` on each user message, against the last response before it.

    `by_position`: a result with an unknown id takes that of the call at its position; else it is removed.
    """
    response: Turn | None = None
    before: Turn | None = None
    for turn in turns_of(actions.transcript):
        if turn.role == "assistant":
            response = turn
        elif turn.role == "user" and turn.listed and response is not None and response.listed and response.calls:
            _validate(actions, turn, before, response.calls, reorder, by_position)
        before = turn


def _validate(
    actions: ReplicaActions, turn: Turn, before: Turn | None, calls: Sequence[Block], reorder: bool, by_position: bool
) -> None:
    """One user message, by the calls that it is compared with."""
    first: dict[object, Block] = {}
    for result in turn.results:
        kept = first.setdefault(id_key(result), result)
        if kept is not result:
            actions.remove(result, kept)
    parts: list[tuple[object, Block | InsertResult]] = list(first.items())
    if first.keys() != {id_key(call) for call in calls}:
        results = _matched(actions, first, calls if by_position else (), {id_key(call) for call in calls})
        spot = turn.front(before, actions.transcript)
        where = "before the results" if results else "before the user's message"
        missing = [(key, call) for call in calls if (key := id_key(call)) not in results]
        placeholders = [(key, actions.answer(call, INTERRUPTED, spot, where)) for key, call in missing]
        parts = [*placeholders, *results.items()]
    if reorder:
        # `reorderToolResults`: a stable sort by calls, in the slots that results occupy.
        ranks = {id_key(call): number for number, call in enumerate(calls)}
        ordered = sorted(parts, key=lambda part: ranks.get(part[0], len(ranks)))
        if any(a is not b for a, b in zip(ordered, parts, strict=True)):
            actions.reorder(turn.messages[0], [part for _, part in ordered])


def _matched(
    actions: ReplicaActions, results: Mapping[object, Block], calls: Sequence[Block], wanted: Set[object]
) -> dict[object, Block]:
    """The results that stay, by id: with a `wanted` one, or with that of the call at their position."""
    stay: dict[object, Block] = {}
    for position, (key, result) in enumerate(results.items()):
        if key not in wanted or key in stay:
            call = calls[position] if position < len(calls) else None
            if call is None or id_key(call) in stay:
                actions.remove(result)
                continue
            actions.adopt(result, call)
            key = id_key(call)
        stay[key] = result
    return stay


def _run(actions: ReplicaActions, options: Options) -> None:
    validated(actions)


RECIPE: Final = Recipe(
    "roo-code",
    "As Roo Code reads a user message: unknown ids matched by position, a placeholder for each missing result.",
    replica(_run),
    does=(
        "Looks at each user message that is a list, with the response before it.",
        "Of results with one id in the message the first stays, even where it is a placeholder.",
        "A result whose id belongs to none of the response's calls gets the id of the call at its position; if that "
        "call already has a result, this one is removed.",
        "For each call that is left, a placeholder is put at the start of the message, in the order of the calls.",
    ),
    copies="Roo Code's validateAndFixToolResultIds (pull requests 9952, 10015, 10027, 10466; "
    "Roo Code ended in May 2026)",
    loses=LOSES,
    instead=f"{INSTEAD} It also answers calls that are followed by a plain string, another response, or nothing at "
    "all, which this recipe leaves unanswered.",
    links=(
        "https://github.com/RooCodeInc/Roo-Code/pull/9952",
        "https://github.com/RooCodeInc/Roo-Code/pull/10015",
        "https://github.com/RooCodeInc/Roo-Code/pull/10027",
        "https://github.com/RooCodeInc/Roo-Code/pull/10466",
    ),
)
