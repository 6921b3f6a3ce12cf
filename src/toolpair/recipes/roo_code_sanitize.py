"""Roo Code's id sanitising: other characters become "_", on calls and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from toolpair.recipes.recipe import DEFAULT, Options, Recipe, RecipeStep, S
from toolpair.recipes.replica_steps import ReplicaActions
from toolpair.recipes.roo_ids import fitted
from toolpair.transcript.edits import Edit


def run(state: S, apply: Callable[[S, Sequence[Edit]], S], options: Options = DEFAULT) -> Iterator[RecipeStep[S]]:
    actions = ReplicaActions(state.problems, state.transcript)
    for message in state.transcript.messages:
        for block in (*message.calls, *message.results):
            if not isinstance(block.id, str):
                continue
            new = fitted(block.id, options.max_id_length)
            if new != block.id:
                actions.rename(block, new)
    return actions.carried_out(state, apply)


RECIPE: Final = Recipe(
    "roo-code-sanitize",
    'As Roo Code writes ids: every character except letters, digits, "_" and "-" becomes "_", on calls and results.',
    run,
    does=(
        (
            'Each character of an id except letters, digits, "_" and "-" becomes "_", one for one, on calls and on '
            "results."
        ),
        "With a maximum length, an id that is still longer is cut and ends in the first characters of its MD5.",
    ),
    copies=(
        "Roo Code's sanitizeToolUseId (pull requests 10649, 11131), with a maximum length its sanitizeOpenAiCallId "
        "(10763)"
    ),
    loses=(
        'Ids that differ only in replaced characters become the same: "a.b" and "a:b" are both "a_b", and nobody can '
        "tell any more which result belongs to which call. An empty id stays empty. When Roo Code saves such a "
        "response it leaves out the second call; this recipe only changes ids, and keeps every call."
    ),
    instead=(
        "The default gives a refused id a new one that no other call in the transcript has, on the call and on its "
        "own results, and leaves ids alone that the provider accepts."
    ),
    links=(
        "https://github.com/RooCodeInc/Roo-Code/pull/10649",
        "https://github.com/RooCodeInc/Roo-Code/pull/11131",
        "https://github.com/RooCodeInc/Roo-Code/pull/10763",
    ),
    options=frozenset({"max_id_length"}),
)
